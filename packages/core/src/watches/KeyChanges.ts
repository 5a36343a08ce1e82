import { Effect, Option } from "effect"
import type { KeyId } from "../domain/Id.js"
import { type KeyChange, type KeyRecord, KeyStore } from "../storage/KeyStore.js"
import type { StorageError } from "../storage/StorageError.js"
import type { WatchStore } from "../storage/WatchStore.js"
import { happen } from "./Happenings.js"

/**
 * Changes a key for its operator, and its watches with it: one that is enabled again resumes those that were suspended
 * because it was disabled, and a new quota or plan makes those due that wait for a unit. The watches of a key that is disabled,
 * revoked or expired are suspended when they are next due. None if there is no such key; a revoked one stays as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const change = (
  keyId: KeyId,
  to: KeyChange
): Effect.Effect<Option.Option<KeyRecord>, StorageError, KeyStore | WatchStore> =>
  Effect.gen(function* () {
    const keys = yield* KeyStore
    const found = yield* keys.change(keyId, to)
    if (Option.isNone(found) || found.value.state !== "active") return found
    if (to.state === "active") yield* enabled(keyId)
    if (to.dailyQuota !== undefined || to.plan !== undefined) yield* quotaRaised(keyId)
    return found
  })

/**
 * Resumes the watches of a key that is enabled again: only those that were suspended because it was disabled.
 *
 * @since 0.1.0
 * @category combinators
 */
export const enabled = (keyId: KeyId): Effect.Effect<void, StorageError, WatchStore> =>
  happen(keyId, { _tag: "KeyEnabled" })

/**
 * Makes the watches of a key that wait for a unit due again, because its quota was raised.
 *
 * @since 0.1.0
 * @category combinators
 */
export const quotaRaised = (keyId: KeyId): Effect.Effect<void, StorageError, WatchStore> =>
  happen(keyId, { _tag: "QuotaRaised" })
