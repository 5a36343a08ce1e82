import { Effect, Option, Schema } from "effect"
import { SafeAccount } from "../../domain/facts/SafeAccount.js"
import { Safe } from "../../facts/control/Safe.js"
import * as Check from "../Check.js"

const { owners, threshold } = SafeAccount.fields

/**
 * Whether one signature is enough to move all that a Safe has. Medium with several owners, since each of their keys moves
 * it alone; low with one owner, as that is no more than an account with one key. It counts signatures and not people, and
 * does not apply to a Safe with an unpublished singleton, of which the threshold proves nothing.
 *
 * @see https://docs.safe.global/advanced/smart-account-overview
 */
export const safeSingleSignature = Check.make({
  id: "safe.single-signature",
  code: "S-06",
  version: 1,
  targets: ["wallet"],
  claim: "One signature is enough to move the Safe's assets",
  polarity: "risk",
  severity: "medium",
  dimension: "account",
  value: Schema.Struct({ owners, threshold }),
  run: (target) =>
    Effect.gen(function* () {
      const found = yield* (yield* Safe).of(target.address)
      if (Option.isNone(found) || !found.value.value.canonical) return Check.notApplicable
      const { observation, value } = found.value
      const { owners, threshold } = value
      const seen = { value: { owners, threshold }, observation: observation() }
      if (threshold > 1)
        return [Check.refuted({ ...seen, detail: `${threshold} of ${owners.length} signatures needed` })]
      return [
        owners.length === 1
          ? Check.confirmed({ ...seen, severity: "low", detail: "the signature of its only owner is enough" })
          : Check.confirmed({ ...seen, detail: `the signature of any 1 of ${owners.length} owners is enough` })
      ]
    })
})
