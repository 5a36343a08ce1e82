import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Schema, TestClock } from "effect"
import { ApiKey, CreatedKey } from "../../src/domain/ApiKey.js"
import * as Id from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import { defaultOptions } from "../../src/domain/Watch.js"
import * as ApiKeySecret from "../../src/keys/ApiKeySecret.js"
import * as Entropy from "../../src/keys/Entropy.js"
import * as Keys from "../../src/keys/Keys.js"
import { EventStore } from "../../src/storage/EventStore.js"
import * as KeyStore from "../../src/storage/KeyStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import { WatchStore } from "../../src/storage/WatchStore.js"
import * as Documents from "../../src/testing/Documents.js"
import * as StorageFault from "../../src/testing/StorageFault.js"
import * as Grid from "../../src/watches/Grid.js"
import * as Transition from "../../src/watches/Transition.js"

const over = (options: Keys.Options = {}) =>
  Keys.layer(options).pipe(Layer.provideMerge(Storage.layerMemory), Layer.provide(Entropy.layerSeeded(7)))

const plain = { label: "my bot", expiresInSeconds: Option.none(), source: Option.none() }
const create = (changes: Partial<Keys.NewKey> = {}) =>
  Effect.flatMap(Keys.Keys, (keys) => keys.create({ ...plain, ...changes }))
const authenticate = (secret: string) => Effect.flatMap(Keys.Keys, (keys) => keys.authenticate(Redacted.make(secret)))
const refusal = (secret: string) =>
  Effect.map(Effect.flip(authenticate(secret)), (error) => (error._tag === "KeyRefused" ? error.reason : error._tag))

describe("Keys", () => {
  it.effect("shows a new key once, in five members, and stores only its hash and hint", () =>
    Effect.gen(function* () {
      const created = yield* create({ label: "  my bot " })
      assert.isTrue(Schema.is(CreatedKey)(created))
      assert.deepStrictEqual(Object.keys(created).sort(), ["daily_quota", "hint", "key", "label", "note"])
      assert.deepStrictEqual([created.label, created.daily_quota], ["my bot", 50])
      assert.strictEqual(created.note, "Store this key now. It is shown once and cannot be recovered.")
      const store = yield* KeyStore.KeyStore
      const { id } = yield* authenticate(created.key)
      const record = Option.getOrThrow(yield* store.find(id))
      assert.notInclude(JSON.stringify(record), created.key.slice(8, 30))
      assert.strictEqual(record.hint, created.hint)
    }).pipe(Effect.provide(over()))
  )

  it.effect("authenticates two keys as different callers", () =>
    Effect.gen(function* () {
      const one = yield* create({ label: "one", source: Option.some("192.0.2.1") })
      const two = yield* create({ label: "two" })
      const [first, second] = [yield* authenticate(one.key), yield* authenticate(two.key)]
      assert.notStrictEqual(first.id, second.id)
      assert.deepStrictEqual([first.source, second.source], [Option.some("192.0.2.1"), Option.none()])
      assert.deepStrictEqual([first.dailyQuota, second.dailyQuota], [7, 7])
      const keys = yield* Keys.Keys
      const self = yield* keys.self(first.id)
      assert.isTrue(Schema.is(ApiKey)(self))
      assert.deepStrictEqual(
        [self.label, self.hint, self.state, self.expires_at, self.created_at],
        ["one", one.hint, "active", null, "1970-01-01T00:00:00.000Z"]
      )
      assert.notInclude(JSON.stringify(self), one.key)
    }).pipe(Effect.provide(over({ dailyQuota: 7 })))
  )

  it.effect("refuses a wrong checksum before any look-up, and an unknown key after it", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const faults = yield* StorageFault.StorageFault
      yield* faults.arm(Option.none())
      const last = created.key.endsWith("0") ? "1" : "0"
      assert.strictEqual(yield* refusal(created.key.slice(0, -1) + last), "invalid_key")
      assert.strictEqual(yield* refusal("nonsense"), "invalid_key")
      assert.strictEqual(yield* faults.calls, 0)
      assert.strictEqual(yield* refusal(ApiKeySecret.fromRandom("a".repeat(32))), "invalid_key")
      assert.strictEqual(yield* faults.calls, 1)
    }).pipe(
      Effect.provide(
        Keys.layer().pipe(
          Layer.provideMerge(StorageFault.layer),
          Layer.provide([Storage.layerMemory, Entropy.layerSeeded(7)])
        )
      )
    )
  )

  it.effect("revokes a key at once and for good", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const { id } = yield* authenticate(created.key)
      const keys = yield* Keys.Keys
      assert.isTrue(yield* keys.isUsable(Redacted.make(created.key)))
      yield* keys.revoke(id)
      assert.strictEqual(yield* refusal(created.key), "key_revoked")
      assert.isFalse(yield* keys.isUsable(Redacted.make(created.key)))
      assert.strictEqual((yield* keys.self(id)).state, "revoked")
      yield* keys.revoke(id)
      assert.strictEqual(yield* refusal(created.key), "key_revoked")
    }).pipe(Effect.provide(over()))
  )

  it.effect("accepts both secrets of a key until the end of the overlap, and the key stays what it was", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const { id } = yield* authenticate(created.key)
      const keys = yield* Keys.Keys
      const next = yield* keys.rotate({ presented: Redacted.make(created.key), overlapSeconds: 3600 })
      assert.isTrue(Schema.is(CreatedKey)(next))
      assert.deepStrictEqual([next.label, next.daily_quota], ["my bot", 50])
      assert.notStrictEqual(next.key, created.key)
      for (const secret of [created.key, next.key]) assert.strictEqual((yield* authenticate(secret)).id, id)
      const during = yield* keys.self(id)
      assert.deepStrictEqual([during.hint, during.rotating_until], [next.hint, "1970-01-01T01:00:00.000Z"])
      const admission = yield* keys.admit(Redacted.make(created.key))
      assert.isAtMost(admission.until, 3_600_000)

      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* refusal(created.key), "key_expired")
      assert.isFalse(yield* keys.isUsable(Redacted.make(created.key)))
      assert.strictEqual((yield* authenticate(next.key)).id, id)
      assert.isTrue(yield* keys.isUsable(Redacted.make(next.key)))
      assert.isNull((yield* keys.self(id)).rotating_until)

      yield* keys.revoke(id)
      for (const secret of [created.key, next.key]) assert.strictEqual(yield* refusal(secret), "key_revoked")
    }).pipe(Effect.provide(over()))
  )

  it.effect("ends the old secret with a rotation without an overlap, and no secret that has ended rotates", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const keys = yield* Keys.Keys
      yield* keys.rotate({ presented: Redacted.make(created.key), overlapSeconds: 0 })
      assert.strictEqual(yield* refusal(created.key), "key_expired")
      const refused = yield* Effect.flip(keys.rotate({ presented: Redacted.make(created.key), overlapSeconds: 60 }))
      assert.strictEqual(refused._tag === "KeyRefused" && refused.reason, "key_expired")
    }).pipe(Effect.provide(over()))
  )

  it.effect("puts each rotation on the event log of the key", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const { id } = yield* authenticate(created.key)
      const keys = yield* Keys.Keys
      const next = yield* keys.rotate({ presented: Redacted.make(created.key), overlapSeconds: 60 })
      const log = yield* EventStore
      const page = yield* log.read(id, { after: 0, limit: 10, types: [], watchId: Option.none() })
      assert.deepStrictEqual(page._tag === "Events" && page.events.map(({ data, type }) => ({ data, type })), [
        { type: "key.rotated", data: { hint: next.hint, old_ends_at: fromMillis(60_000) } }
      ])
    }).pipe(Effect.provide(over()))
  )

  it.effect("renames a key", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const { id } = yield* authenticate(created.key)
      const keys = yield* Keys.Keys
      assert.strictEqual((yield* keys.rename(id, "  another bot ")).label, "another bot")
      assert.strictEqual((yield* keys.self(id)).label, "another bot")
    }).pipe(Effect.provide(over()))
  )

  it.effect("refuses an expired, revoked or disabled key with its reason", () =>
    Effect.gen(function* () {
      const created = yield* create({ expiresInSeconds: Option.some(3600) })
      yield* TestClock.adjust("3599 seconds")
      const caller = yield* authenticate(created.key)
      const keys = yield* Keys.Keys
      assert.strictEqual((yield* keys.self(caller.id)).expires_at, "1970-01-01T01:00:00.000Z")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* refusal(created.key), "key_expired")

      const store = yield* KeyStore.KeyStore
      for (const [state, reason] of [
        ["revoked", "key_revoked"],
        ["disabled", "key_disabled"]
      ] as const) {
        const secret = ApiKeySecret.fromRandom(state.padEnd(32, "0"))
        const record = Option.getOrThrow(yield* store.find(caller.id))
        yield* store.insert({
          ...record,
          id: yield* Id.make("key"),
          state,
          hash: ApiKeySecret.hash(Redacted.make(secret))
        })
        assert.strictEqual(yield* refusal(secret), reason)
      }
    }).pipe(Effect.provide(over()))
  )

  it.effect("stores the last use of a key, to the minute and once per minute", () =>
    Effect.gen(function* () {
      const created = yield* create()
      const keys = yield* Keys.Keys
      const faults = yield* StorageFault.StorageFault
      yield* TestClock.adjust("90 seconds")
      yield* faults.arm(Option.none())
      const { id } = yield* authenticate(created.key)
      for (let call = 0; call < 5; call++) yield* authenticate(created.key)
      yield* TestClock.adjust("1 second")
      for (let call = 0; call < 5; call++) yield* authenticate(created.key)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* faults.calls, 12, "eleven look-ups and one note")
      assert.strictEqual((yield* keys.self(id)).last_used_at, "1970-01-01T00:01:00.000Z")
      yield* TestClock.adjust("30 seconds")
      yield* authenticate(created.key)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* keys.self(id)).last_used_at, "1970-01-01T00:02:00.000Z")
    }).pipe(
      Effect.provide(
        Keys.layer().pipe(
          Layer.provideMerge(StorageFault.layer),
          Layer.provide([Storage.layerMemory, Entropy.layerSeeded(7)])
        )
      )
    )
  )

  it.effect("stores the uses of all keys of a second at once", () =>
    Effect.gen(function* () {
      const created = yield* Effect.replicateEffect(create(), 5)
      const faults = yield* StorageFault.StorageFault
      const keys = yield* Keys.Keys
      yield* faults.arm(Option.none())
      const callers = yield* Effect.forEach(created, ({ key }) =>
        Effect.zipLeft(authenticate(key), TestClock.adjust("150 millis"))
      )
      assert.strictEqual(yield* faults.calls, 5, "look-ups alone")
      yield* TestClock.adjust("250 millis")
      assert.strictEqual(yield* faults.calls, 10)
      for (const { id } of callers) assert.strictEqual((yield* keys.self(id)).last_used_at, "1970-01-01T00:00:00.000Z")
    }).pipe(
      Effect.provide(
        Keys.layer().pipe(
          Layer.provideMerge(StorageFault.layer),
          Layer.provide([Storage.layerMemory, Entropy.layerSeeded(7)])
        )
      )
    )
  )

  it.effect("authenticates a caller although the last use cannot be stored", () =>
    Effect.gen(function* () {
      const store = yield* KeyStore.KeyStore
      const hanging = { ...store, touch: () => Effect.never }
      const failing = {
        ...store,
        touch: () => new StorageError({ reason: "unavailable", operation: "KeyStore.touch", detail: "" })
      }
      for (const broken of [hanging, failing]) {
        const layer = Keys.layer().pipe(
          Layer.provide([Layer.succeed(KeyStore.KeyStore, broken), Entropy.layer, Storage.layerMemory])
        )
        yield* Effect.gen(function* () {
          const created = yield* create()
          const { id } = yield* authenticate(created.key)
          yield* Effect.repeatN(Effect.yieldNow(), 20)
          assert.strictEqual((yield* authenticate(created.key)).id, id)
        }).pipe(Effect.provide(layer))
      }
    }).pipe(Effect.provide(KeyStore.layerMemory))
  )

  it.effect("refuses to show a key that does not exist", () =>
    Effect.gen(function* () {
      const keys = yield* Keys.Keys
      const error = yield* Effect.flip(keys.self("key_01JD0000000000000000000000"))
      assert.strictEqual(error._tag, "KeyRefused")
    }).pipe(Effect.provide(over()))
  )

  it.effect("counts the watches and webhooks of a key, without those of another", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* create(), yield* create({ label: "two" })]
      const [first, second] = [yield* authenticate(one.key), yield* authenticate(two.key)]
      const id = yield* Id.make("wat")
      yield* (yield* WatchStore).create(
        {
          id,
          keyId: first.id,
          target: Documents.token(7),
          label: "",
          options: defaultOptions,
          createdAt: 0,
          updatedAt: 0,
          memory: Transition.created(Grid.make(id, { anchor: 0, intervalSeconds: 900 }), "Active"),
          revision: 1,
          live: Option.none()
        },
        50
      )
      const keys = yield* Keys.Keys
      assert.deepStrictEqual((yield* keys.self(first.id)).counts, { watches: 1, webhooks: 0 })
      assert.deepStrictEqual((yield* keys.self(second.id)).counts, { watches: 0, webhooks: 0 })
    }).pipe(Effect.provide(over()))
  )
})
