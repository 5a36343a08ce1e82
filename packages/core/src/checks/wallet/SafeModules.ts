import { Effect, Either, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import * as Count from "../../domain/Count.js"
import { Safe } from "../../facts/control/Safe.js"
import { UnlistedEntries } from "../../facts/control/UnlistedEntries.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether modules can move the Safe's assets without its owners' signatures. An empty module list is no proof where the
 * Safe's setup ran a delegatecall that may have enabled a module outside the list.
 *
 * @see https://docs.safe.global/advanced/smart-account-modules
 */
export const safeModules = Check.make({
  id: "safe.modules",
  code: "S-03",
  version: 2,
  targets: ["wallet", "contract"],
  claim: "Modules can act without signatures of the owners",
  polarity: "risk",
  severity: "high",
  dimension: "account",
  value: Schema.Struct({ modules: Schema.Array(Address), unlisted: Schema.Array(Address) }),
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Safe).of(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      const { modules } = value
      const seen = { observation: observation() }
      if (modules === null) return [Phrases.unknown("inconclusive", "the module list was not read", seen)]
      const entries = yield* Effect.either((yield* UnlistedEntries).of(target.address, modules))
      const unlisted = Either.isRight(entries) ? entries.right.modules : []
      const lists = { modules, unlisted }
      if (modules.length + unlisted.length > 0)
        return [
          Check.confirmed({
            ...seen,
            value: lists,
            detail: `${Count.of(modules.length + unlisted.length, "module")} enabled: ${Phrases.few([
              ...unlisted.map((module) => `${module} (not in the module list)`),
              ...modules
            ])}`
          })
        ]
      const { complete, setupBy } = yield* entries
      if (Option.isSome(setupBy))
        return [
          Phrases.unknown(
            "inconclusive",
            `the setup delegatecall to ${setupBy.value} may have enabled a module outside the list`,
            seen
          )
        ]
      return complete
        ? [Check.refuted({ ...seen, value: lists, detail: "no module is enabled" })]
        : [Phrases.unknown("log_range_limited", "the module events of some blocks were not searched", seen)]
    })
})
