import { ChainAccess, Chains, KeyStore, Scheduler, StorageError, StorageHealth } from "@assay/core"
import { HealthCheck } from "@assay/server"
import { describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Option, Ref, TestClock } from "effect"
import { assert } from "vitest"

const chain = Chains.make({ id: 1, endpoints: ["http://127.0.0.1:1"] })

/** Everything that a health check looks at, as given: by default all is well, and the scheduler has not run yet. */
const surroundings = (options: {
  readonly lastTick: Effect.Effect<Option.Option<number>>
  readonly cause?: StorageHealth.StorageHealth["Type"]["cause"]
  readonly find?: KeyStore.KeyStore["Type"]["find"]
}) =>
  Layer.mergeAll(
    Chains.layer([chain]),
    Layer.effect(
      KeyStore.KeyStore,
      Effect.map(KeyStore.KeyStore, (keys) => ({ ...keys, find: options.find ?? keys.find }))
    ).pipe(Layer.provide(KeyStore.layerMemory)),
    Layer.succeed(ChainAccess.ChainAccess, { pin: () => Effect.fail(undefined as never) }),
    Layer.succeed(StorageHealth.StorageHealth, { cause: options.cause ?? Effect.succeedNone }),
    Layer.succeed(Scheduler.Scheduler, { lastTick: options.lastTick, running: Effect.succeed(0) })
  )

const ready = Effect.flatMap(HealthCheck.HealthCheck, (health) => health.ready)

describe("HealthCheck", () => {
  it.effect(
    "a scheduler that has not looked for a minute takes the process out of the traffic, and back when it looks",
    () =>
      Effect.gen(function* () {
        const tick = yield* Ref.make(Option.none<number>())
        yield* Effect.gen(function* () {
          assert.strictEqual((yield* ready).checks.scheduler, "ok")
          yield* TestClock.adjust("60 seconds")
          assert.strictEqual((yield* ready).checks.scheduler, "ok")
          yield* TestClock.adjust("6 seconds")
          const silent = yield* ready
          assert.deepInclude(silent.checks, { scheduler: "failed", storage: "ok" })
          assert.strictEqual(silent.status, "failed")
          assert.strictEqual(silent.cause, "The scheduler has not looked for due watches for a minute.")
          yield* Ref.set(tick, Option.some(yield* Clock.currentTimeMillis))
          yield* TestClock.adjust("6 seconds")
          assert.strictEqual((yield* ready).checks.scheduler, "ok")
        }).pipe(Effect.provide(Layer.provide(HealthCheck.layerScheduling, surroundings({ lastTick: Ref.get(tick) }))))
      })
  )

  it.effect("a probe that gives up leaves the others their answer", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<Option.Option<string>>()
      yield* Effect.gen(function* () {
        const first = yield* Effect.fork(ready)
        yield* Effect.yieldNow()
        const given = yield* Effect.fork(Fiber.interrupt(first))
        const second = yield* Effect.fork(ready)
        yield* Effect.yieldNow()
        yield* Deferred.succeed(gate, Option.none())
        assert.strictEqual((yield* Fiber.join(second)).checks.storage, "ok")
        yield* Fiber.join(given)
      }).pipe(
        Effect.provide(
          Layer.provide(HealthCheck.layer, surroundings({ lastTick: Effect.succeedNone, cause: Deferred.await(gate) }))
        )
      )
    })
  )

  it.effect("where checks are left to other processes their silence is none of ours", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* ready).checks.scheduler, "off")
    }).pipe(Effect.provide(Layer.provide(HealthCheck.layer, surroundings({ lastTick: Effect.succeedNone }))))
  )

  it.effect("a store that is damaged or full fails the process for as long as it is, with the cause in one line", () =>
    Effect.gen(function* () {
      const cause = yield* Ref.make(Option.some("The disk is full (SQLITE_FULL)."))
      yield* Effect.gen(function* () {
        assert.deepInclude(yield* ready, { status: "failed", cause: "The disk is full (SQLITE_FULL)." })
        yield* Ref.set(cause, Option.none())
        yield* TestClock.adjust("6 seconds")
        const report = yield* ready
        assert.deepInclude(report.checks, { storage: "ok" })
        assert.isNull(report.cause)
      }).pipe(
        Effect.provide(
          Layer.provide(HealthCheck.layer, surroundings({ lastTick: Effect.succeedNone, cause: Ref.get(cause) }))
        )
      )
    })
  )

  it.effect("a store that cannot be read fails the process", () => {
    const find = () => new StorageError.StorageError({ reason: "unavailable", operation: "find", detail: "gone" })
    return Effect.gen(function* () {
      const report = yield* ready
      assert.strictEqual(report.status, "failed")
      assert.strictEqual(report.checks.storage, "failed")
      assert.strictEqual(report.cause, "The database does not answer (gone).")
    }).pipe(Effect.provide(Layer.provide(HealthCheck.layer, surroundings({ lastTick: Effect.succeedNone, find }))))
  })
})
