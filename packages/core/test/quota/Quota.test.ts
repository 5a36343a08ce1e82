import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema, TestClock } from "effect"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import { fromMillis } from "../../src/domain/Timestamp.js"
import { Usage } from "../../src/domain/Usage.js"
import * as Quota from "../../src/quota/Quota.js"
import { EventStore } from "../../src/storage/EventStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"

const makeCaller = (dailyQuota: number, source?: string) =>
  Effect.map(Id.make("key"), (id): Caller => ({ id, dailyQuota, source: Option.fromNullable(source) }))

const reserve = (caller: Caller) =>
  Effect.gen(function* () {
    const quota = yield* Quota.Quota
    const id = yield* Id.make("exe")
    yield* quota.reserve({ id, caller, kind: "token" })
    return id
  })
const refusal = (caller: Caller) =>
  Effect.map(Effect.flip(reserve(caller)), (error) =>
    error._tag === "QuotaExceeded"
      ? { bucket: error.bucket, limit: error.limit, resets_at: error.resets_at }
      : error._tag
  )

const over = (options: Quota.Options = {}) => Quota.layer(options).pipe(Layer.provideMerge(Storage.layerMemory))

describe("Quota", () => {
  it.effect("counts used, reserved and remaining units until midnight UTC", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(3)
      const quota = yield* Quota.Quota
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 23, 59, 59, 999))
      const [first, second] = [yield* reserve(caller), yield* reserve(caller)]
      assert.isTrue(yield* quota.settle(first, "committed"))
      assert.isFalse(yield* quota.settle(first, "released"))
      const usage = yield* quota.usage(caller)
      assert.isTrue(Schema.is(Usage)(usage))
      assert.deepStrictEqual(usage, {
        day: "2026-11-21",
        daily_quota: 3,
        used: 1,
        reserved: 1,
        remaining: 1,
        resets_at: fromMillis(Date.UTC(2026, 10, 22)),
        by_kind: { token: 1, wallet: 0, contract: 0, watch: 0 },
        forecast: { watch_units_per_day: 0, watch_units_left_today: 0, exhausts_at: null, over_quota: false }
      })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* quota.usage(caller)).remaining, 3)
      yield* quota.settle(second, "released")
      assert.strictEqual((yield* quota.usage(caller)).remaining, 3, "the unit went back to its own day")
    }).pipe(Effect.provide(over()))
  )

  it.effect("refuses with the exhausted bucket, the caller's own first, and the time of its reset", () =>
    Effect.gen(function* () {
      const resets_at = fromMillis(86_400_000)
      const [one, two] = [yield* makeCaller(2, "192.0.2.1"), yield* makeCaller(9, "192.0.2.1")]
      const other = yield* makeCaller(9)
      yield* reserve(one)
      yield* reserve(one)
      assert.deepEqual(yield* refusal(one), { bucket: "key", limit: 2, resets_at })
      yield* reserve(two)
      assert.deepEqual(yield* refusal(two), { bucket: "source", limit: 3, resets_at })
      yield* reserve(other)
      assert.deepEqual(yield* refusal(other), { bucket: "deployment", limit: 4, resets_at })
      assert.deepEqual(yield* refusal(one), { bucket: "key", limit: 2, resets_at })
      yield* TestClock.adjust("1 day")
      yield* reserve(other)
    }).pipe(Effect.provide(over({ unitsPerSourceDay: Option.some(3), globalDailyUnits: Option.some(4) })))
  )

  it.effect("limits neither sources nor the deployment unless configured", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(300, "192.0.2.1")
      yield* Effect.replicateEffect(reserve(caller), 300)
      assert.deepEqual(
        yield* Effect.map(refusal(caller), (error) => (typeof error === "string" ? error : error.bucket)),
        "key"
      )
    }).pipe(Effect.provide(over()))
  )

  it.effect("reports 0 remaining units, not fewer, if the quota was lowered below what is used", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(3)
      const quota = yield* Quota.Quota
      yield* Effect.replicateEffect(reserve(caller), 3)
      const usage = yield* quota.usage({ ...caller, dailyQuota: 1 })
      assert.deepStrictEqual([usage.daily_quota, usage.reserved, usage.remaining], [1, 3, 0])
      assert.deepEqual(yield* refusal({ ...caller, dailyQuota: 1 }), {
        bucket: "key",
        limit: 1,
        resets_at: fromMillis(86_400_000)
      })
      yield* reserve({ ...caller, dailyQuota: 4 })
    }).pipe(Effect.provide(over()))
  )

  it.effect("reports 80% used and exhausted, each once per key and day", () =>
    Effect.gen(function* () {
      const [caller, other] = [yield* makeCaller(5), yield* makeCaller(5)]
      const events = yield* EventStore
      const told = (of: Caller) =>
        Effect.map(
          events.read(of.id, { after: 0, types: [], watchId: Option.none(), limit: 10 }),
          (page): ReadonlyArray<readonly [string, unknown]> =>
            page._tag === "Events" ? page.events.map(({ data, type }) => [type, "used" in data && data.used]) : []
        )
      yield* Effect.replicateEffect(reserve(caller), 3)
      assert.deepStrictEqual(yield* told(caller), [])
      yield* Effect.replicateEffect(reserve(caller), 2)
      assert.deepStrictEqual(yield* told(caller), [["quota.threshold", 4]])
      yield* refusal(caller)
      yield* refusal(caller)
      const both: ReadonlyArray<readonly [string, unknown]> = [
        ["quota.threshold", 4],
        ["quota.exhausted", false]
      ]
      assert.deepStrictEqual(yield* told(caller), both)
      assert.deepStrictEqual(yield* told(other), [])
      yield* TestClock.adjust("1 day")
      yield* Effect.replicateEffect(reserve(caller), 4)
      assert.deepStrictEqual(yield* told(caller), [...both, ["quota.threshold", 4]])
    }).pipe(Effect.provide(over()))
  )

  it.effect(
    "reports no event for an exhausted source or deployment, and refuses no request if the log cannot be written",
    () =>
      Effect.gen(function* () {
        const log = yield* EventStore
        const away = {
          ...log,
          append: () => new StorageError({ reason: "unavailable", operation: "EventStore.append", detail: "" })
        }
        yield* Effect.gen(function* () {
          const caller = yield* makeCaller(1)
          yield* reserve(caller)
          assert.deepEqual(yield* refusal(caller), { bucket: "key", limit: 1, resets_at: fromMillis(86_400_000) })
        }).pipe(Effect.provide(Quota.layer().pipe(Layer.provide(Layer.succeed(EventStore, away)))))
        const caller = yield* makeCaller(100)
        yield* Effect.flip(reserve(caller))
        const page = yield* log.read(caller.id, { after: 0, types: [], watchId: Option.none(), limit: 10 })
        assert.isTrue(page._tag === "Events" && page.events.length === 0)
      }).pipe(Effect.provide(over({ globalDailyUnits: Option.some(0) })))
  )
})
