import { Effect, Either, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Safe } from "../../facts/control/Safe.js"
import { UnlistedEntries } from "../../facts/control/UnlistedEntries.js"
import * as Check from "../Check.js"

/**
 * Whether modules can move the Safe's assets without its owners' signatures. That its list names none is no answer where
 * code that may have entered one past the list was run in the Safe's storage when it was set up.
 *
 * @see https://docs.safe.global/advanced/smart-account-modules
 * @since 0.1.0
 * @category models
 */
export const safeModules = Check.make({
  id: "safe.modules",
  code: "S-03",
  version: 2,
  targets: ["wallet", "contract"],
  claim: "Modules can act without the owners' signatures",
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
      if (modules === null) return [Check.unknown("inconclusive", "its list of modules does not answer", seen)]
      const entries = yield* Effect.either((yield* UnlistedEntries).of(target.address, modules))
      const unlisted = Either.isRight(entries) ? entries.right.modules : []
      const lists = { modules, unlisted }
      if (modules.length + unlisted.length > 0)
        return [
          Check.confirmed({
            ...seen,
            value: lists,
            detail: [...modules, ...unlisted.map((module) => `${module}, which its list does not name`)].join(", ")
          })
        ]
      const { complete, setupBy } = yield* entries
      if (Option.isSome(setupBy))
        return [Check.unknown("inconclusive", `${setupBy.value}, by which it was set up, may have entered some`, seen)]
      return complete
        ? [Check.refuted({ ...seen, value: lists, detail: "no module is enabled" })]
        : [Check.unknown("log_range_limited", "not every block could be searched", seen)]
    })
})
