import { Effect, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as PublishedBuilds from "../../facts/code/PublishedBuilds.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether all code of the contract, its own and its implementations, is a build published by OpenZeppelin, Safe,
 * Uniswap, Circle or WETH. It is about what the code does and not about who controls it.
 */
export const knownGoodCode = Check.make({
  id: "contract.known-good-code",
  code: "C-10",
  version: 1,
  targets: ["token", "contract"],
  claim: "All code is a known published build",
  polarity: "protective",
  severity: "info",
  dimension: "code",
  value: Schema.Struct({
    builds: Schema.Array(Schema.Struct({ address: Address, name: Schema.String, source: Schema.String })),
    others: Schema.Array(Address)
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* PublishedBuilds.of(target.address)
      const { builds, others, resolved } = value
      const seen = { value: { builds, others }, observation: observation() }
      if (others.length > 0)
        return [Check.refuted({ ...seen, detail: `the code at ${Phrases.few(others)} is not a known build` })]
      if (!resolved || builds.length === 0)
        return [Phrases.unknown("inconclusive", "not all of the implementation code was found", seen)]
      return [
        Check.confirmed({ ...seen, detail: Phrases.few(builds.map(({ name, source }) => `${name} of ${source}`)) })
      ]
    })
})
