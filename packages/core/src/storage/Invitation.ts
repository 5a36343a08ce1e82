import { Option } from "effect"
import type { Hex } from "../domain/Hex.js"
import type { InvitationId } from "../domain/Id.js"
import { type KeyRecord, unusable } from "./KeyRecords.js"

/**
 * An invitation as stored: the SHA-256 of its secret, and nothing else of that. It makes at most `uses` keys, `used` so far,
 * each with its `plan`, until `endsAt`. `label` is what its operator calls it. Times are epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
 */
export interface InvitationRecord {
  readonly id: InvitationId
  readonly hash: Hex
  readonly label: string
  readonly plan: Option.Option<string>
  readonly uses: number
  readonly used: number
  readonly createdAt: number
  readonly endsAt: number
}

/**
 * A key to make by an invitation, of which `invitation` is the hash. `request` is the hash of what names this request, so
 * that it can be repeated after a lost answer; none if it cannot. The plan of the key is that of the invitation.
 *
 * @since 0.1.0
 * @category models
 */
export interface Redemption {
  readonly invitation: Hex
  readonly request: Option.Option<Hex>
  readonly key: KeyRecord
  readonly now: number
}

/**
 * Why an invitation makes no key: there is none, its time is over, or all of its uses are taken.
 *
 * @since 0.1.0
 * @category models
 */
export type InvitationRefusal = "unknown" | "ended" | "used_up"

/**
 * What became of a redemption: the key as it is stored now, or why there is none.
 *
 * @since 0.1.0
 * @category models
 */
export type RedeemAnswer =
  | { readonly _tag: "Redeemed"; readonly record: KeyRecord }
  | { readonly _tag: "Refused"; readonly reason: InvitationRefusal }

/**
 * What a store writes for a redemption, in one step with what it read for it. `Made`: the key and the invitation with one
 * use more. `Renewed`: the key has another secret. `Known`: nothing, as it was written before.
 *
 * @since 0.1.0
 * @category models
 */
export type Redeemed =
  | { readonly _tag: "Made"; readonly record: KeyRecord; readonly invitation: InvitationRecord }
  | { readonly _tag: "Renewed" | "Known"; readonly record: KeyRecord }
  | { readonly _tag: "Refused"; readonly reason: InvitationRefusal }

/**
 * Decides on a redemption. `same` is the key that is stored with the id of the new one, and `earlier` the one that the same
 * request has made by this invitation. A repeated request gives that key a new secret as long as nobody has used it: the
 * answer with the old one was lost. So no repetition makes a second key.
 *
 * @since 0.1.0
 * @category combinators
 */
export const redeemed = (
  found: Option.Option<InvitationRecord>,
  { earlier, same }: { readonly same: Option.Option<KeyRecord>; readonly earlier: Option.Option<KeyRecord> },
  { key, now, request }: Redemption
): Redeemed => {
  if (Option.isSome(same)) return { _tag: "Known", record: same.value }
  if (Option.isNone(found)) return { _tag: "Refused", reason: "unknown" }
  const invitation = found.value
  if (invitation.endsAt <= now) return { _tag: "Refused", reason: "ended" }
  if (Option.isSome(earlier))
    return isUntouched(earlier.value, now)
      ? { _tag: "Renewed", record: { ...earlier.value, hash: key.hash, hint: key.hint } }
      : { _tag: "Refused", reason: "used_up" }
  if (invitation.used >= invitation.uses) return { _tag: "Refused", reason: "used_up" }
  return {
    _tag: "Made",
    record: { ...key, plan: invitation.plan, invitation: Option.some({ id: invitation.id, request }) },
    invitation: { ...invitation, used: invitation.used + 1 }
  }
}

const isUntouched = (record: KeyRecord, now: number): boolean =>
  Option.isNone(record.lastUsedAt) && Option.isNone(record.former) && Option.isNone(unusable(record, now))

/**
 * An invitation that makes no key from a time on (epoch milliseconds). One that has ended before stays as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ended = (record: InvitationRecord, now: number): InvitationRecord => ({
  ...record,
  endsAt: Math.min(record.endsAt, now)
})
