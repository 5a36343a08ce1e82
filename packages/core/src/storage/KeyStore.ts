import { Array as Arr, Chunk, Context, Effect, Layer, Option, Stream } from "effect"
import type { ApiKey } from "../domain/ApiKey.js"
import type { Hex } from "../domain/Hex.js"
import type { InvitationId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import * as Invitation from "./Invitation.js"
import { changed, type KeyChange, type KeyRecord, type Rotation, rotated, type UnusedQuery } from "./KeyRecords.js"
import { StorageError } from "./StorageError.js"

export type { FormerSecret, KeyChange, KeyRecord, MadeBy, Rotation, Unusable, UnusedQuery } from "./KeyRecords.js"
export { changed, refusedSecret, rotated, rotatingUntil, unusable } from "./KeyRecords.js"

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
    /** Stores a new invitation durably. A second one with the same id changes nothing. A hash of another one is refused. */
    readonly invite: (record: Invitation.InvitationRecord) => Effect.Effect<void, StorageError>
    /** Invitations newest first, in pages as of `list`. */
    readonly invitations: (page: {
      readonly limit: number
      readonly before: Option.Option<InvitationId>
    }) => Effect.Effect<Page<Invitation.InvitationRecord>, StorageError>
    /** Ends an invitation durably, and returns it as it is now (`Invitation.ended`); none if there is no such one. */
    readonly endInvitation: (
      id: InvitationId,
      now: number
    ) => Effect.Effect<Option.Option<Invitation.InvitationRecord>, StorageError>
    /**
     * Takes one use of an invitation and stores the key, both durably or neither (`Invitation.redeemed`): of redemptions at
     * once no more make a key than there are uses. A hash of another key is refused, and then no use is taken.
     */
    readonly redeem: (redemption: Invitation.Redemption) => Effect.Effect<Invitation.RedeemAnswer, StorageError>
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
  Effect.map(KeyStore, ({ list }) => paged(list))
)

/**
 * All invitations, newest first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const allInvitations: Stream.Stream<Invitation.InvitationRecord, StorageError, KeyStore> = Stream.unwrap(
  Effect.map(KeyStore, ({ invitations }) => paged(invitations))
)

const paged = <A extends { readonly id: string }>(
  list: (page: {
    readonly limit: number
    readonly before: Option.Option<A["id"]>
  }) => Effect.Effect<Page<A>, StorageError>
): Stream.Stream<A, StorageError> =>
  Stream.paginateChunkEffect(Option.none<A["id"]>(), (before) =>
    Effect.map(list({ limit: 100, before }), ({ data, next_cursor }) => [
      Chunk.fromIterable(data),
      next_cursor === null ? Option.none() : Option.map(Arr.last(data), ({ id }) => Option.some(id))
    ])
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
  const invitations = new Map<InvitationId, Invitation.InvitationRecord>()

  const put = (record: KeyRecord): void => {
    byId.set(record.id, record)
    for (const hash of hashesOf(record)) idOfHash.set(hash, record.id)
  }
  const taken = (operation: string, of: "key" | "invitation" = "key") =>
    new StorageError({ reason: "unavailable", operation, detail: `another ${of} holds this hash` })

  return {
    insert: Effect.fn("KeyStore.insert")((record: KeyRecord) =>
      Effect.suspend(() => {
        if (byId.has(record.id)) return Effect.void
        if (idOfHash.has(record.hash)) return taken("KeyStore.insert")
        put(record)
        return Effect.void
      })
    ),
    findByHash: Effect.fn("KeyStore.findByHash")((hash: Hex) =>
      Effect.sync(() => Option.flatMapNullable(Option.fromNullable(idOfHash.get(hash)), (id) => byId.get(id)))
    ),
    find: Effect.fn("KeyStore.find")((id: ApiKey["id"]) => Effect.sync(() => Option.fromNullable(byId.get(id)))),
    list: Effect.fn("KeyStore.list")(
      ({ before, limit }: { readonly limit: number; readonly before: Option.Option<ApiKey["id"]> }) =>
        Effect.sync(() => newestFirst(byId.values(), { before, limit }))
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
        if (idOfHash.has(rotation.hash)) return taken("KeyStore.rotate")
        for (const hash of hashesOf(record)) idOfHash.delete(hash)
        put(after.value)
        return Effect.succeed(after)
      })
    ),
    invite: Effect.fn("KeyStore.invite")((record: Invitation.InvitationRecord) =>
      Effect.suspend(() => {
        if (invitations.has(record.id)) return Effect.void
        if ([...invitations.values()].some(({ hash }) => hash === record.hash))
          return taken("KeyStore.invite", "invitation")
        invitations.set(record.id, record)
        return Effect.void
      })
    ),
    invitations: Effect.fn("KeyStore.invitations")(
      (page: { readonly limit: number; readonly before: Option.Option<InvitationId> }) =>
        Effect.sync(() => newestFirst(invitations.values(), page))
    ),
    endInvitation: Effect.fn("KeyStore.endInvitation")((id: InvitationId, now: number) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(invitations.get(id)), (record) => {
          const after = Invitation.ended(record, now)
          invitations.set(id, after)
          return after
        })
      )
    ),
    redeem: Effect.fn("KeyStore.redeem")((redemption: Invitation.Redemption) =>
      Effect.suspend((): Effect.Effect<Invitation.RedeemAnswer, StorageError> => {
        const found = Option.fromNullable([...invitations.values()].find(({ hash }) => hash === redemption.invitation))
        const earlier = Option.fromNullable(
          [...byId.values()].find(({ invitation }) =>
            Option.exists(
              Option.all([invitation, found, redemption.request]),
              ([by, { id }, request]) => by.id === id && Option.contains(by.request, request)
            )
          )
        )
        const same = Option.fromNullable(byId.get(redemption.key.id))
        const answer = Invitation.redeemed(found, { same, earlier }, redemption)
        if (answer._tag === "Refused") return Effect.succeed(answer)
        const { record } = answer
        if (answer._tag !== "Known") {
          if (idOfHash.has(record.hash)) return taken("KeyStore.redeem")
          for (const hash of Option.match(earlier, { onNone: () => [], onSome: hashesOf })) idOfHash.delete(hash)
          put(record)
        }
        if (answer._tag === "Made") invitations.set(answer.invitation.id, answer.invitation)
        return Effect.succeed({ _tag: "Redeemed", record })
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

const newestFirst = <A extends { readonly id: string }>(
  all: Iterable<A>,
  { before, limit }: { readonly limit: number; readonly before: Option.Option<string> }
): Page<A> => {
  const earlier = [...all]
    .filter(({ id }) => Option.match(before, { onNone: () => true, onSome: (end) => id < end }))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
  const data = earlier.slice(0, limit)
  return { data, next_cursor: earlier.length > limit ? (data.at(-1)?.id ?? null) : null }
}

const hashesOf = ({ former, hash }: KeyRecord): ReadonlyArray<Hex> => [
  hash,
  ...Option.toArray(Option.map(former, (secret) => secret.hash))
]
