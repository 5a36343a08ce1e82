import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as ControlGraph from "../../domain/facts/ControlGraph.js"
import { Control } from "../../facts/control/Control.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether an owner getter of the contract returns an account. A contract without an owner can still be controlled.
 *
 * @see https://eips.ethereum.org/EIPS/eip-173
 */
export const owner = Check.make({
  id: "control.owner",
  code: "O-01",
  version: 1,
  targets: ["token", "contract"],
  claim: "The contract has an owner getter that names an account",
  polarity: "neutral",
  severity: "info",
  dimension: "control",
  value: Schema.Struct({ owner: Schema.NullOr(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const control = yield* Control
      const { observation, value } = yield* control.of(target.address)
      if (value.owner !== null)
        return [
          Check.confirmed({
            value: { owner: value.owner },
            detail: `owner: ${value.owner}`,
            observation: observation(),
            at: value.owner
          })
        ]
      return Option.match(ControlGraph.ownerGap(value), {
        onNone: () => [
          Check.refuted({
            value: { owner: null },
            detail: "no owner getter returns an address",
            observation: observation()
          })
        ],
        onSome: ({ reason }) => [Phrases.unknown(reason, "the owner getter was not read")]
      })
    })
})
