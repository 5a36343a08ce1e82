import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { type ApiKey, type CreatedKey, KeyLabel } from "../domain/ApiKey.js"
import type { Caller } from "../domain/Caller.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import { EventStore } from "../storage/EventStore.js"
import { type KeyRecord, KeyStore, unusable } from "../storage/KeyStore.js"
import * as Outage from "../storage/Outage.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"
import * as ApiKeySecret from "./ApiKeySecret.js"
import { Entropy } from "./Entropy.js"

/**
 * A key to create. `label` is 1 to 100 characters after trimming, without control characters. `source` is the address
 * or network that requests it, none if that is not tracked.
 *
 * @since 0.1.0
 * @category models
 */
export interface NewKey {
  readonly label: string
  readonly expiresInSeconds: Option.Option<number>
  readonly source: Option.Option<string>
}

/**
 * A caller who is accepted. The answer holds until `until` (epoch milliseconds) if nothing is committed meanwhile: then the
 * key expires, or its next use has to be noted.
 *
 * @since 0.1.0
 * @category models
 */
export interface Admission {
  readonly caller: Caller
  readonly until: number
}

/**
 * Creates and authenticates API keys.
 *
 * @since 0.1.0
 * @category services
 */
export class Keys extends Context.Tag("@assay/core/Keys")<
  Keys,
  {
    /** Creates a key, stored durably when this returns. Only this answer contains the secret. */
    readonly create: (request: NewKey) => Effect.Effect<CreatedKey, StorageError>
    /** Returns the caller of a secret. Refuses a wrong checksum before any look-up. */
    readonly authenticate: (secret: Redacted.Redacted<string>) => Effect.Effect<Caller, KeyRefused | StorageError>
    /** As `authenticate`, with the time that the answer may be cached. */
    readonly admit: (secret: Redacted.Redacted<string>) => Effect.Effect<Admission, KeyRefused | StorageError>
    /** The key as its owner sees it. */
    readonly self: (id: ApiKey["id"]) => Effect.Effect<ApiKey, KeyRefused | StorageError>
    /** Whether a caller is still accepted, for what lasts longer than a request. */
    readonly isUsable: (id: ApiKey["id"]) => Effect.Effect<boolean, StorageError>
    /**
     * Ends a key for good, from the moment this returns: `authenticate` refuses it as `key_revoked`, and each of its watches
     * is suspended when it is next due.
     */
    readonly revoke: (id: ApiKey["id"]) => Effect.Effect<void, StorageError>
  }
>() {}

/**
 * Settings of new keys. `dailyQuota` is 50 units per UTC day by default.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly dailyQuota?: number | undefined
}

/** How long uses of keys are gathered before they are stored. */
const gathering = "1 second"

/**
 * Keys over a store. The time of last use is stored to the minute, off the request path, those of a second together: if it
 * cannot be stored, the request is not refused.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Keys, never, KeyStore | WatchStore | EventStore | Entropy> =>
  Layer.scoped(
    Keys,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const watches = yield* WatchStore
      const events = yield* EventStore
      const entropy = yield* Entropy
      const scope = yield* Effect.scope
      const dailyQuota = options.dailyQuota ?? 50
      const uses = new Map<ApiKey["id"], number>()

      /** At once, so that they share a commit: after each, nothing that was read before is used again. */
      const storeUses = Effect.suspend(() => {
        const waiting = [...uses]
        uses.clear()
        return Effect.forEach(
          waiting,
          ([id, minute]) =>
            Effect.catchAllCause(store.touch(id, minute), (cause) =>
              Outage.note("The use of a key could not be noted", cause)
            ),
          { concurrency: "unbounded", discard: true }
        )
      })

      const noteUse = (record: KeyRecord, now: number): Effect.Effect<void> => {
        const minute = now - (now % 60_000)
        if (uses.get(record.id) === minute || Option.exists(record.lastUsedAt, (noted) => noted >= minute))
          return Effect.void
        uses.set(record.id, minute)
        return uses.size > 1 ? Effect.void : Effect.asVoid(Effect.forkIn(Effect.delay(storeUses, gathering), scope))
      }

      const admit = Effect.fnUntraced(function* (presented: Redacted.Redacted<string>) {
        const secret = ApiKeySecret.parse(presented)
        if (Option.isNone(secret)) return yield* new KeyRefused({ reason: "invalid_key" })
        const found = yield* store.findByHash(ApiKeySecret.hash(secret.value))
        if (Option.isNone(found)) return yield* new KeyRefused({ reason: "invalid_key" })
        const record = found.value
        const now = yield* Clock.currentTimeMillis
        const reason = unusable(record, now)
        if (Option.isSome(reason)) return yield* new KeyRefused({ reason: reason.value })
        yield* noteUse(record, now)
        const nextMinute = now - (now % 60_000) + 60_000
        return {
          caller: { id: record.id, dailyQuota: record.dailyQuota, source: record.source },
          until: Option.match(record.expiresAt, {
            onNone: () => nextMinute,
            onSome: (end) => Math.min(end, nextMinute)
          })
        } satisfies Admission
      })

      return {
        create: Effect.fn("Keys.create")(function* (request: NewKey) {
          const label = yield* Effect.orDie(Schema.decode(KeyLabel)(request.label.trim()))
          const secret = yield* Effect.provideService(ApiKeySecret.make, Entropy, entropy)
          const now = yield* Clock.currentTimeMillis
          const hint = ApiKeySecret.hint(secret)
          yield* store.insert({
            id: yield* Id.make("key"),
            hashVersion: 1,
            hash: ApiKeySecret.hash(secret),
            hint,
            label,
            state: "active",
            dailyQuota,
            createdAt: now,
            expiresAt: Option.map(request.expiresInSeconds, (seconds) => now + seconds * 1000),
            lastUsedAt: Option.none(),
            source: request.source
          })
          return { key: Redacted.value(secret), hint, label, daily_quota: dailyQuota, note }
        }),
        authenticate: Effect.fn("Keys.authenticate")((presented: Redacted.Redacted<string>) =>
          Effect.map(admit(presented), ({ caller }) => caller)
        ),
        admit: Effect.fn("Keys.admit")(admit),
        self: Effect.fn("Keys.self")(function* (id: ApiKey["id"]) {
          const found = yield* store.find(id)
          if (Option.isNone(found)) return yield* new KeyRefused({ reason: "invalid_key" })
          const counts = yield* Effect.all({
            watches: watches.count(id),
            webhooks: Effect.map(events.webhooks(id), (all) => all.length)
          })
          return document(found.value, counts)
        }),
        isUsable: Effect.fn("Keys.isUsable")((id: ApiKey["id"]) =>
          Effect.zipWith(store.find(id), Clock.currentTimeMillis, (found, now) =>
            Option.exists(found, (record) => Option.isNone(unusable(record, now)))
          )
        ),
        revoke: Effect.fn("Keys.revoke")((id: ApiKey["id"]) => Effect.asVoid(store.change(id, { state: "revoked" })))
      }
    })
  )

const note = "Store this key now. It is shown once and cannot be recovered."

const document = (record: KeyRecord, counts: ApiKey["counts"]): ApiKey => ({
  id: record.id,
  label: record.label,
  hint: record.hint,
  state: record.state,
  daily_quota: record.dailyQuota,
  created_at: fromMillis(record.createdAt),
  expires_at: Option.getOrNull(Option.map(record.expiresAt, fromMillis)),
  last_used_at: Option.getOrNull(Option.map(record.lastUsedAt, fromMillis)),
  rotating_until: null,
  counts
})

/**
 * The presented key is not accepted. Only a key that matches a stored hash is reported as expired, revoked or disabled;
 * everything else is `invalid_key`.
 *
 * @since 0.1.0
 * @category errors
 */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", {
  reason: Schema.Literal("invalid_key", "key_expired", "key_revoked", "key_disabled")
}) {}
