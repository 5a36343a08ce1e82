import { Array as Arr, Chunk, Context, Effect, Layer, Option, Stream } from "effect"
import type { ApiKey, KeyState } from "../domain/ApiKey.js"
import type { Hex } from "../domain/Hex.js"
import type { Page } from "../domain/Page.js"
import { StorageError } from "./StorageError.js"

/**
 * A secret that another one took the place of: the SHA-256 of it, and until when it is still accepted (epoch milliseconds).
 *
 * @since 0.1.0
 * @category models
 */
export interface FormerSecret {
  readonly hash: Hex
  readonly endsAt: number
}

/**
 * A key as stored: the SHA-256 of its secret under a numbered scheme, and nothing else of the secret but the hint.
 * Times are epoch milliseconds. `source` is who created it (an address or network), none if that is not tracked. `former`
 * is the secret before the last rotation, also once it has ended.
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
  readonly former: Option.Option<FormerSecret>
}

/**
 * What to change of a key; what is absent stays. `expiresAt` is none for a key that never expires.
 *
 * @since 0.1.0
 * @category models
 */
export interface KeyChange {
  readonly label?: string | undefined
  readonly state?: KeyState | undefined
  readonly dailyQuota?: number | undefined
  readonly expiresAt?: Option.Option<number> | undefined
}

/**
 * A key after a change. Revoking is final: a revoked key stays as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const changed = (record: KeyRecord, change: KeyChange): KeyRecord =>
  record.state === "revoked"
    ? record
    : {
        ...record,
        label: change.label ?? record.label,
        state: change.state ?? record.state,
        dailyQuota: change.dailyQuota ?? record.dailyQuota,
        expiresAt: change.expiresAt ?? record.expiresAt
      }

/**
 * Why a key is not accepted.
 *
 * @since 0.1.0
 * @category models
 */
export type Unusable = "key_revoked" | "key_expired" | "key_disabled"

/**
 * Why a key is not accepted at a time (epoch milliseconds), its state before its expiry; none if it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unusable = ({ expiresAt, state }: KeyRecord, now: number): Option.Option<Unusable> => {
  if (state !== "active") return Option.some(state === "revoked" ? "key_revoked" : "key_disabled")
  return Option.exists(expiresAt, (end) => end <= now) ? Option.some("key_expired") : Option.none()
}

/**
 * Why a secret of a key is not accepted at a time (epoch milliseconds); none if it is. One that another secret took the
 * place of expires on its own.
 *
 * @since 0.1.0
 * @category combinators
 */
export const refusedSecret = (record: KeyRecord, hash: Hex, now: number): Option.Option<Unusable> =>
  Option.orElse(unusable(record, now), () =>
    record.hash === hash || Option.exists(record.former, (former) => former.hash === hash && former.endsAt > now)
      ? Option.none()
      : Option.some("key_expired" as const)
  )

/**
 * When the former secret of a key ends, as long as it is accepted (epoch milliseconds).
 *
 * @since 0.1.0
 * @category combinators
 */
export const rotatingUntil = (record: KeyRecord, now: number): Option.Option<number> =>
  Option.filterMap(record.former, ({ endsAt, hash }) =>
    Option.isNone(refusedSecret(record, hash, now)) ? Option.some(endsAt) : Option.none()
  )

/**
 * A new secret of a key. `presented` is the hash of the secret that its caller has, which stays valid until `endsAt` at
 * most. Times are epoch milliseconds.
 *
 * @since 0.1.0
 * @category models
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
 *
 * @since 0.1.0
 * @category combinators
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

/**
 * A page of keys that were created before a time (epoch milliseconds) and never used.
 *
 * @since 0.1.0
 * @category models
 */
export interface UnusedQuery {
  readonly before: number
  readonly after: Option.Option<ApiKey["id"]>
  readonly limit: number
}

/**
 * Stores API keys. Every method is atomic and receives the time.
 *
 * @since 0.1.0
 * @category services
 */
export class KeyStore extends Context.Tag("@assay/core/KeyStore")<
  KeyStore,
  {
    /**
     * Stores a new key durably. A second insert with the same id changes nothing. A hash of another key is refused: two
     * keys never share a secret.
     */
    readonly insert: (record: KeyRecord) => Effect.Effect<void, StorageError>
    /** Finds a key by the hash of its secret or of its former one, also where that has ended: indexed look-ups. */
    readonly findByHash: (hash: Hex) => Effect.Effect<Option.Option<KeyRecord>, StorageError>
    readonly find: (id: ApiKey["id"]) => Effect.Effect<Option.Option<KeyRecord>, StorageError>
    /** Keys newest first, by their ids; `next_cursor` is the id to pass as `before` for the next page. */
    readonly list: (page: {
      readonly limit: number
      readonly before: Option.Option<ApiKey["id"]>
    }) => Effect.Effect<Page<KeyRecord>, StorageError>
    /**
     * Changes a key durably and returns it as it is now; none if there is no such key. A revoked key stays as it is. From
     * here on `find` and `findByHash` answer the changed key, in every process.
     */
    readonly change: (id: ApiKey["id"], change: KeyChange) => Effect.Effect<Option.Option<KeyRecord>, StorageError>
    /**
     * Gives a key a new secret durably, and returns the key as it is now; none if there is no such key, or the presented
     * secret is not accepted (`rotated`). A hash of another key is refused. From here on every process knows the secrets.
     */
    readonly rotate: (id: ApiKey["id"], rotation: Rotation) => Effect.Effect<Option.Option<KeyRecord>, StorageError>
    /** Stores when a key was used. A time before the stored one changes nothing. */
    readonly touch: (id: ApiKey["id"], usedAt: number) => Effect.Effect<void, StorageError>
    /** Keys that were created before a time and never used, by their ids; the next page begins after the last of them. */
    readonly unused: (query: UnusedQuery) => Effect.Effect<ReadonlyArray<ApiKey["id"]>, StorageError>
    /** Removes those of these keys that were still never used, and returns how many they are. */
    readonly removeUnused: (ids: ReadonlyArray<ApiKey["id"]>) => Effect.Effect<number, StorageError>
  }
>() {}

/**
 * All keys, newest first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const all: Stream.Stream<KeyRecord, StorageError, KeyStore> = Stream.unwrap(
  Effect.map(KeyStore, (store) =>
    Stream.paginateChunkEffect(Option.none<ApiKey["id"]>(), (before) =>
      Effect.map(store.list({ limit: 100, before }), ({ data, next_cursor }) => [
        Chunk.fromIterable(data),
        next_cursor === null ? Option.none() : Option.map(Arr.last(data), ({ id }) => Option.some(id))
      ])
    )
  )
)

/**
 * Stores keys in the memory of this process, for the lifetime of the layer.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<KeyStore> = Layer.sync(KeyStore, () => {
  const byId = new Map<ApiKey["id"], KeyRecord>()
  const idOfHash = new Map<Hex, ApiKey["id"]>()

  return {
    insert: Effect.fn("KeyStore.insert")((record: KeyRecord) =>
      Effect.suspend(() => {
        if (byId.has(record.id)) return Effect.void
        if (idOfHash.has(record.hash))
          return new StorageError({
            reason: "unavailable",
            operation: "KeyStore.insert",
            detail: "another key holds this hash"
          })
        byId.set(record.id, record)
        for (const hash of hashesOf(record)) idOfHash.set(hash, record.id)
        return Effect.void
      })
    ),
    findByHash: Effect.fn("KeyStore.findByHash")((hash: Hex) =>
      Effect.sync(() => Option.flatMapNullable(Option.fromNullable(idOfHash.get(hash)), (id) => byId.get(id)))
    ),
    find: Effect.fn("KeyStore.find")((id: ApiKey["id"]) => Effect.sync(() => Option.fromNullable(byId.get(id)))),
    list: Effect.fn("KeyStore.list")(
      ({ before, limit }: { readonly limit: number; readonly before: Option.Option<ApiKey["id"]> }) =>
        Effect.sync(() => {
          const earlier = [...byId.values()]
            .filter(({ id }) => Option.match(before, { onNone: () => true, onSome: (end) => id < end }))
            .sort((a, b) => (a.id < b.id ? 1 : -1))
          const data = earlier.slice(0, limit)
          return { data, next_cursor: earlier.length > limit ? (data.at(-1)?.id ?? null) : null }
        })
    ),
    change: Effect.fn("KeyStore.change")((id: ApiKey["id"], change: KeyChange) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(byId.get(id)), (record) => {
          const after = changed(record, change)
          byId.set(id, after)
          return after
        })
      )
    ),
    rotate: Effect.fn("KeyStore.rotate")((id: ApiKey["id"], rotation: Rotation) =>
      Effect.suspend(() => {
        const record = byId.get(id)
        const after = Option.flatMap(Option.fromNullable(record), (found) => rotated(found, rotation))
        if (record === undefined || Option.isNone(after) || after.value === record) return Effect.succeed(after)
        if (idOfHash.has(rotation.hash))
          return new StorageError({
            reason: "unavailable",
            operation: "KeyStore.rotate",
            detail: "another key holds this hash"
          })
        for (const hash of hashesOf(record)) idOfHash.delete(hash)
        for (const hash of hashesOf(after.value)) idOfHash.set(hash, id)
        byId.set(id, after.value)
        return Effect.succeed(after)
      })
    ),
    touch: Effect.fn("KeyStore.touch")((id: ApiKey["id"], usedAt: number) =>
      Effect.sync(() => {
        const record = byId.get(id)
        if (record === undefined || Option.exists(record.lastUsedAt, (kept) => kept >= usedAt)) return
        byId.set(id, { ...record, lastUsedAt: Option.some(usedAt) })
      })
    ),
    unused: Effect.fn("KeyStore.unused")(({ after, before, limit }: UnusedQuery) =>
      Effect.sync(() =>
        [...byId.values()]
          .filter(({ createdAt, lastUsedAt }) => createdAt < before && Option.isNone(lastUsedAt))
          .map(({ id }) => id)
          .filter((id) => Option.match(after, { onNone: () => true, onSome: (last) => id > last }))
          .sort()
          .slice(0, limit)
      )
    ),
    removeUnused: Effect.fn("KeyStore.removeUnused")((ids: ReadonlyArray<ApiKey["id"]>) =>
      Effect.sync(() => {
        const past = ids.flatMap((id) => byId.get(id) ?? []).filter(({ lastUsedAt }) => Option.isNone(lastUsedAt))
        for (const record of past) {
          byId.delete(record.id)
          for (const hash of hashesOf(record)) idOfHash.delete(hash)
        }
        return past.length
      })
    )
  }
})

const hashesOf = ({ former, hash }: KeyRecord): ReadonlyArray<Hex> => [
  hash,
  ...Option.toArray(Option.map(former, (secret) => secret.hash))
]
