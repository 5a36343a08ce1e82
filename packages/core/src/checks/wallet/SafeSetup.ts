import { Effect, Option, Schema } from "effect"
import { SafeAccount } from "../../domain/facts/SafeAccount.js"
import { Safe } from "../../facts/control/Safe.js"
import * as Check from "../Check.js"

const { canonical, owners, singleton, threshold, version } = SafeAccount.fields

/**
 * Whether the account is a Safe of a published version, and its setup. The check does not apply to other accounts.
 *
 * @see https://docs.safe.global
 */
export const safeSetup = Check.make({
  id: "safe.setup",
  code: "S-01",
  version: 1,
  targets: ["wallet", "contract"],
  claim: "The account is a Safe of a published version",
  polarity: "neutral",
  severity: "info",
  dimension: "counterparty",
  value: Schema.Struct({ canonical, owners, singleton, threshold, version }),
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Safe).of(target.address)
      if (Option.isNone(found)) return Check.notApplicable
      const { observation, value } = found.value
      const verdict = value.canonical ? Check.confirmed : Check.refuted
      return [
        verdict({
          value: {
            canonical: value.canonical,
            owners: value.owners,
            singleton: value.singleton,
            threshold: value.threshold,
            version: value.version
          },
          detail: value.canonical
            ? `${value.threshold} of ${value.owners.length} signatures needed, version ${value.version ?? "not readable"}`
            : `Safe did not publish the singleton ${value.singleton}`,
          observation: observation()
        })
      ]
    })
})
