import { Context, type Effect, type Option } from "effect"
import type { ApiKey, KeyState } from "../domain/ApiKey.js"
import type { Hex } from "../domain/Hex.js"
import type { StorageError } from "./StorageError.js"

/**
 * A key as it is kept: the SHA-256 of its secret under a numbered scheme, and nothing else of the secret but the hint.
 * Times are epoch milliseconds. `source` is who created it (an address or network), none where that is not tracked.
 *
 * @since 0.1.0
 * @category models
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
}

/**
 * Where keys are kept. Every method is atomic; each is told the time.
 *
 * @since 0.1.0
 * @category services
 */
export class KeyStore extends Context.Tag("@assay/core/KeyStore")<
  KeyStore,
  {
    /** Keeps a new key, durably when it returns; a second insert with the same id changes nothing. */
    readonly insert: (record: KeyRecord) => Effect.Effect<void, StorageError>
    /** Finds a key by the hash of its secret: one indexed look-up. */
    readonly findByHash: (hash: Hex) => Effect.Effect<Option.Option<KeyRecord>, StorageError>
    readonly find: (id: ApiKey["id"]) => Effect.Effect<Option.Option<KeyRecord>, StorageError>
    /** Notes that a key was used; an older time than the one kept changes nothing. */
    readonly touch: (id: ApiKey["id"], usedAt: number) => Effect.Effect<void, StorageError>
  }
>() {}
