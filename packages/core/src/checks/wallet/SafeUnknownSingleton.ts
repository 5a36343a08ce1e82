import { Effect, Option, Schema } from "effect"
import { SafeAccount } from "../../domain/facts/SafeAccount.js"
import { Safe } from "../../facts/control/Safe.js"
import * as Check from "../Check.js"

const { canonical, singleton } = SafeAccount.fields

/**
 * Whether a Safe runs a singleton that Safe did not publish for the chain. Such code need not respect the signatures of
 * the owners.
 *
 * @see https://github.com/safe-global/safe-deployments
 */
export const safeUnknownSingleton = Check.make({
  id: "safe.unknown-singleton",
  code: "S-02",
  version: 1,
  targets: ["wallet", "contract"],
  claim: "The Safe runs code that Safe did not publish",
  polarity: "risk",
  severity: "critical",
  dimension: "account",
  value: Schema.Struct({ singleton, canonical }),
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Safe).singletonOf(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      const seen = { value, observation: observation(), at: value.singleton }
      return [
        value.canonical
          ? Check.refuted({ ...seen, detail: `Safe published the singleton ${value.singleton}` })
          : Check.confirmed({
              ...seen,
              detail: `Safe published neither the address nor the code of the singleton ${value.singleton}`
            })
      ]
    })
})
