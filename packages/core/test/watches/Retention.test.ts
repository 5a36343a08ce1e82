import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Option, TestClock } from "effect"
import * as Id from "../../src/domain/Id.js"
import { dayOf } from "../../src/domain/Timestamp.js"
import * as Executions from "../../src/executions/Executions.js"
import { KeyStore } from "../../src/storage/KeyStore.js"
import { QuotaStore } from "../../src/storage/QuotaStore.js"
import * as Documents from "../../src/testing/Documents.js"
import * as Retention from "../../src/watches/Retention.js"
import * as World from "./World.js"

const everything = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}

describe("Retention", () => {
  it.scoped(
    "removes events and runs without a change after 30 days, executions after 90, changes after a year, in steps",
    () => {
      const sky = World.makeSky()
      return Effect.gen(function* () {
        const caller = yield* World.makeCaller()
        const id = yield* World.create(caller, { intervalSeconds: 86_400, options: { notify_unchanged: true } })
        for (let check = 0; check < 5; check++) {
          if (check === 3) sky.mintable = "confirmed"
          yield* World.untilDue(caller, id, 10_000)
        }
        assert.strictEqual((yield* World.events(caller)).length, 5)
        assert.strictEqual(yield* Retention.sweep({ batch: 2 }), 0)
        const paused = yield* World.pause(caller, id)
        assert.strictEqual(paused.state, "paused")
        yield* TestClock.adjust("31 days")
        assert.strictEqual(yield* Retention.sweep({ batch: 2 }), 4 + 5)
        assert.deepStrictEqual(
          (yield* World.runs(caller, id)).map(({ change_status }) => change_status),
          ["changed"]
        )
        yield* TestClock.adjust("336 days")
        yield* Layer.build(Retention.layer())
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* World.runs(caller, id), [])
        // The last success is what the next check is compared with, however long ago it was.
        assert.isNotNull((yield* World.get(caller, id)).last_result)
        const { data } = yield* (yield* Executions.Executions).list(caller, everything, {
          limit: 10,
          cursor: Option.none()
        })
        assert.deepStrictEqual(
          data.map(({ watch_id }) => watch_id),
          [id]
        )
        assert.strictEqual((yield* World.get(caller, id)).counts.checks, 5)
      }).pipe(Effect.provide(World.inMemory(sky)))
    }
  )

  it.scoped("leaves of an execution, for one more year, that its key had it", () =>
    Effect.gen(function* () {
      const [caller, stranger] = [yield* World.makeCaller(), yield* World.makeCaller()]
      const executions = yield* Executions.Executions
      const run = (compareTo: Option.Option<Id.ExecutionId>) =>
        Effect.fork(
          executions.run({
            caller,
            kind: "token",
            address: Documents.address(7),
            chain: World.chain,
            summary: "not_requested",
            compareTo
          })
        ).pipe(
          Effect.tap(() => TestClock.adjust("2 seconds")),
          Effect.flatMap(Fiber.join)
        )
      const { execution_id: old } = yield* run(Option.none())
      yield* TestClock.adjust("91 days")
      const { execution_id: recent } = yield* run(Option.none())
      yield* Retention.sweep()
      const tagOf = <A, E extends { readonly _tag: string }, R>(ask: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.flip(ask), ({ _tag }) => _tag)
      const tags = [
        yield* tagOf(executions.get(caller, old)),
        yield* tagOf(executions.changes(caller, old, Option.none())),
        yield* tagOf(executions.changes(caller, recent, Option.some(old))),
        yield* tagOf(run(Option.some(old)))
      ]
      assert.deepStrictEqual(new Set(tags), new Set(["ExecutionExpired"]))
      assert.strictEqual(yield* tagOf(executions.get(stranger, old)), "ExecutionNotFound")
      yield* TestClock.adjust("364 days")
      yield* Retention.sweep()
      assert.strictEqual(yield* tagOf(executions.get(caller, old)), "ExecutionExpired")
      yield* TestClock.adjust("2 days")
      yield* Retention.sweep()
      assert.strictEqual(yield* tagOf(executions.get(caller, old)), "ExecutionNotFound")
    }).pipe(Effect.provide(World.services(World.makeSky()).pipe(Layer.provideMerge(World.storage))))
  )

  it.scoped("sums up the units of a day when they are 400 days old, and keeps the sums for ten years", () =>
    Effect.gen(function* () {
      const store = yield* QuotaStore
      const caller = yield* World.makeCaller()
      const first = yield* Clock.currentTimeMillis
      const id = yield* Id.make("exe")
      yield* store.reserve({ id, keyId: caller.id, kind: "watch", buckets: [], now: first })
      const used = Effect.map(store.count(caller.id, dayOf(first)), (count) => count.used)
      // Only what is there already is granted by a bucket without room.
      const again = { id, keyId: caller.id, kind: "watch", buckets: [{ name: "full", limit: 0 }], now: first } as const
      const isThere = Effect.map(store.reserve(again), ({ _tag }) => _tag === "Reserved")
      yield* store.settle(id, "committed", first)
      yield* TestClock.adjust("400 days")
      yield* Retention.sweep()
      assert.isTrue(yield* isThere)
      yield* TestClock.adjust("1 days")
      yield* Retention.sweep()
      assert.strictEqual(yield* used, 1)
      assert.isFalse(yield* isThere)
      yield* TestClock.adjust("3248 days")
      yield* Retention.sweep()
      assert.strictEqual(yield* used, 1)
      yield* TestClock.adjust("2 days")
      yield* Retention.sweep()
      assert.strictEqual(yield* used, 0)
    }).pipe(Effect.provide(World.storage))
  )

  it.scoped("removes, where it is set, a key that was never used and has no watch, webhook or execution", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const [idle, watching, used] = [yield* World.makeCaller(), yield* World.makeCaller(), yield* World.makeCaller()]
      yield* World.create(watching, {})
      yield* keys.touch(used.id, yield* Clock.currentTimeMillis)
      const left = Effect.map(
        Effect.filter([idle, watching, used], ({ id }) => Effect.map(keys.find(id), Option.isSome)),
        (callers) => callers.map(({ id }) => id)
      )
      yield* TestClock.adjust("91 days")
      yield* Retention.sweep({ batch: 1 })
      assert.deepStrictEqual(yield* left, [idle.id, watching.id, used.id])
      assert.strictEqual(yield* Retention.sweep({ batch: 1, unusedKeyDays: 92 }), 0)
      assert.deepStrictEqual(yield* left, [idle.id, watching.id, used.id])
      yield* Retention.sweep({ batch: 1, unusedKeyDays: 90 })
      assert.deepStrictEqual(yield* left, [watching.id, used.id])
    }).pipe(Effect.provide(World.services(World.makeSky()).pipe(Layer.provideMerge(World.storage))))
  )
})
