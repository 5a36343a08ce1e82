/** @internal */

import { Option } from "effect"
import type { ApiKey, KeyState } from "../domain/ApiKey.js"
import type { Hex } from "../domain/Hex.js"
import type { InvitationId } from "../domain/Id.js"

/**
 * A secret that another one took the place of: the SHA-256 of it, and until when it is still accepted (epoch milliseconds).
 */
export interface FormerSecret {
  readonly hash: Hex
  readonly endsAt: number
}

/** The invitation that made a key, and the hash of what named the request; none where it cannot be repeated. */
export interface MadeBy {
  readonly id: InvitationId
  readonly request: Option.Option<Hex>
}

/**
 * A key as stored: the SHA-256 of its secret under a numbered scheme, and nothing else of the secret but the hint.
 * Times are epoch milliseconds. `source` is who created it (an address or network), none if that is not tracked. `former`
 * is the secret before the last rotation, also once it has ended. `dailyQuota` holds where the key has no `plan`, or one
 * that no process has.
 */
export interface KeyRecord {
  readonly id: ApiKey["id"]
  readonly hashVersion: 1
  readonly hash: Hex
  readonly hint: string
  readonly label: string
  readonly state: KeyState
  readonly dailyQuota: number
  readonly createdAt: number
  readonly expiresAt: Option.Option<number>
  readonly lastUsedAt: Option.Option<number>
  readonly source: Option.Option<string>
  readonly former: Option.Option<FormerSecret>
  readonly plan: Option.Option<string>
  readonly invitation: Option.Option<MadeBy>
}

/**
 * What to change of a key; what is absent stays. `expiresAt` is none for a key that never expires, `plan` for one without
 * a plan.
 */
export interface KeyChange {
  readonly label?: string | undefined
  readonly state?: KeyState | undefined
  readonly dailyQuota?: number | undefined
  readonly expiresAt?: Option.Option<number> | undefined
  readonly plan?: Option.Option<string> | undefined
}

/** A key after a change. Revoking is final: a revoked key stays as it is. */
export const changed = (record: KeyRecord, change: KeyChange): KeyRecord =>
  record.state === "revoked"
    ? record
    : {
        ...record,
        label: change.label ?? record.label,
        state: change.state ?? record.state,
        dailyQuota: change.dailyQuota ?? record.dailyQuota,
        expiresAt: change.expiresAt ?? record.expiresAt,
        plan: change.plan ?? record.plan
      }

/** Why a key is not accepted. */
export type Unusable = "key_revoked" | "key_expired" | "key_disabled"

/** Why a key is not accepted at a time (epoch milliseconds), its state before its expiry; none if it is. */
export const unusable = ({ expiresAt, state }: KeyRecord, now: number): Option.Option<Unusable> => {
  if (state !== "active") return Option.some(state === "revoked" ? "key_revoked" : "key_disabled")
  return Option.exists(expiresAt, (end) => end <= now) ? Option.some("key_expired") : Option.none()
}

/**
 * Why a secret of a key is not accepted at a time (epoch milliseconds); none if it is. One that another secret took the
 * place of expires on its own.
 */
export const refusedSecret = (record: KeyRecord, hash: Hex, now: number): Option.Option<Unusable> =>
  Option.orElse(unusable(record, now), () =>
    record.hash === hash || Option.exists(record.former, (former) => former.hash === hash && former.endsAt > now)
      ? Option.none()
      : Option.some("key_expired" as const)
  )

/** When the former secret of a key ends, as long as it is accepted (epoch milliseconds). */
export const rotatingUntil = (record: KeyRecord, now: number): Option.Option<number> =>
  Option.filterMap(record.former, ({ endsAt, hash }) =>
    Option.isNone(refusedSecret(record, hash, now)) ? Option.some(endsAt) : Option.none()
  )

/**
 * A new secret of a key. `presented` is the hash of the secret that its caller has, which stays valid until `endsAt` at
 * most. Times are epoch milliseconds.
 */
export interface Rotation {
  readonly presented: Hex
  readonly hash: Hex
  readonly hint: string
  readonly endsAt: number
  readonly now: number
}

/**
 * A key after a rotation; none where the presented secret is not accepted. The presented secret becomes the former one, and
 * every other one has ended: so a caller who lost the answer repeats the request, and a key never has more than two
 * secrets. It ends no later than it would have, and than the key. Once more with the same new secret changes nothing.
 */
export const rotated = (record: KeyRecord, rotation: Rotation): Option.Option<KeyRecord> => {
  if (record.hash === rotation.hash) return Option.some(record)
  if (Option.isSome(refusedSecret(record, rotation.presented, rotation.now))) return Option.none()
  const ends = [
    rotation.endsAt,
    ...Option.toArray(record.expiresAt),
    ...Option.toArray(record.former).flatMap(({ endsAt, hash }) => (hash === rotation.presented ? [endsAt] : []))
  ]
  return Option.some({
    ...record,
    hash: rotation.hash,
    hint: rotation.hint,
    former: Option.some({ hash: rotation.presented, endsAt: Math.max(rotation.now, Math.min(...ends)) })
  })
}

/** A page of keys that were created before a time (epoch milliseconds) and never used. */
export interface UnusedQuery {
  readonly before: number
  readonly after: Option.Option<ApiKey["id"]>
  readonly limit: number
}
