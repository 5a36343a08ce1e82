import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope, TestClock, TestContext } from "effect"
import * as Tier from "../../../../test/Tier.js"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import { KeyStore } from "../../src/storage/KeyStore.js"
import { QuotaStore } from "../../src/storage/QuotaStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { WatchStore } from "../../src/storage/WatchStore.js"
import * as StorageFault from "../../src/testing/StorageFault.js"
import * as Watches from "../../src/watches/Watches.js"
import * as World from "./World.js"

const everything = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}

const executionsOf = (caller: Caller) =>
  Effect.flatMap(ExecutionStore, (store) =>
    Effect.map(store.list(caller.id, everything, { limit: 100, before: Option.none() }), ({ data }) => data)
  )

/** Nothing runs, nothing is set aside, every result was paid for once and reported once. */
const assertSettled = (caller: Caller, id: Id.WatchId, label: string) =>
  Effect.gen(function* () {
    const executions = yield* executionsOf(caller)
    const count = yield* (yield* QuotaStore).count(caller.id, "1970-01-01")
    const runs = yield* World.runs(caller, id)
    const watch = yield* World.get(caller, id)
    const told = (yield* World.events(caller)).filter(({ type }) => type === "watch.checked")
    const succeeded = runs.filter(({ status }) => status === "succeeded")
    assert.deepStrictEqual(
      executions.filter(({ status }) => status === "running"),
      [],
      `${label}: no execution runs for ever`
    )
    assert.deepStrictEqual(
      runs.filter(({ status }) => status === "running"),
      [],
      `${label}: no run runs for ever`
    )
    assert.isFalse(watch.running, label)
    assert.strictEqual(count.reserved, 0, `${label}: no unit stays set aside`)
    assert.strictEqual(
      count.used,
      executions.filter(({ status }) => status === "complete").length,
      `${label}: results are paid for`
    )
    assert.strictEqual(succeeded.length, count.used, `${label}: what was paid for is a success`)
    assert.strictEqual(told.length, succeeded.length, `${label}: every success is told once`)
    assert.isTrue(
      runs.every(({ error_code, status }) => status === "succeeded" || error_code !== null),
      label
    )
    const known = new Set(executions.map(({ execution_id }) => execution_id))
    assert.isTrue(
      runs.every(({ execution_id }) => execution_id === null || known.has(execution_id)),
      `${label}: whatever execution a run names can be read`
    )
    return { runs, watch }
  })

// Each test has a clock of its own, and a step of a clock waits for timers: tests at once wait for the same ones.
describe.runIf(Tier.landing)("a process that breaks", { concurrent: true }, () => {
  for (const [name, takes] of [
    ["a check", "1 second"],
    ["a check that outlives a heartbeat", "40 seconds"]
  ] as const)
    for (const kind of ["fails", "crashes"] as const)
      it.effect(`where any store call of ${name} ${kind} leaves nothing that is not finished within 150 s, once`, () =>
        Effect.gen(function* () {
          const broken = (fault: Option.Option<StorageFault.Fault>, label: string) =>
            Effect.gen(function* () {
              const sky = World.makeSky()
              sky.takes = takes
              const storage = yield* Layer.build(Layer.fresh(Storage.layerMemory))
              const caller = yield* Effect.provide(World.makeCaller(), storage)
              const one = yield* Layer.build(
                World.process(sky).pipe(
                  Layer.provideMerge(StorageFault.layer),
                  Layer.provide(Layer.succeedContext(storage)),
                  Layer.fresh
                )
              )
              const id = yield* World.create(caller, { options: { notify_unchanged: true } }).pipe(Effect.provide(one))
              const watch = Option.getOrThrow(yield* (yield* Effect.provide(WatchStore, storage)).find(caller.id, id))
              const due = Option.getOrThrow(watch.memory.nextDueAt)
              const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
              yield* TestClock.adjust(due - now - 1)
              const faults = yield* Effect.provide(StorageFault.StorageFault, one)
              yield* faults.arm(fault)
              yield* TestClock.adjust("45 seconds")
              const calls = yield* faults.calls
              const two = yield* Layer.build(
                World.process(sky, { reaperSeconds: 15 }).pipe(
                  Layer.provideMerge(Layer.succeedContext(storage)),
                  Layer.fresh
                )
              )
              yield* TestClock.adjust("150 seconds")
              yield* TestClock.adjust("45 seconds")
              const { runs } = yield* Effect.provide(assertSettled(caller, id, label), two)
              assert.isAtLeast(runs.length, 1, `${label}: it is claimed sooner or later`)
              return { calls, runs }
            }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext))

          const whole = yield* broken(Option.none(), "whole")
          assert.deepStrictEqual(
            whole.runs.map(({ status }) => status),
            ["succeeded"]
          )
          assert.isAtLeast(whole.calls, 8)
          const faults = StorageFault.each(whole.calls).filter((fault) => fault.kind === kind)
          assert.lengthOf(faults, 2 * whole.calls)
          // Each has a clock of its own, and a step of a clock waits for timers: many at once wait for the same ones.
          yield* Effect.forEach(
            faults,
            (fault) => broken(Option.some(fault), `call ${fault.call} ${kind} ${fault.moment}`),
            { concurrency: 16, discard: true }
          )
        })
      )
})

const over = <A, R, E>(effect: Effect.Effect<A, E, R>, sky: World.Sky, options?: World.ProcessOptions) =>
  Effect.provide(effect, World.inMemory(sky, options))

describe.runIf(Tier.landing)("a run with a lost lease", () => {
  it.scoped("stops its work, and what another one wrote stays", () => {
    const sky = World.makeSky()
    sky.takes = "100 seconds"
    return over(
      Effect.gen(function* () {
        const caller = yield* World.makeCaller()
        const id = yield* World.create(caller)
        yield* World.untilDue(caller, id, 1_000)
        const store = yield* WatchStore
        const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const [claim] = yield* store.expired(now + 1_000_000, 1)
        if (claim === undefined) return assert.fail("nothing runs")
        // A process that believes that this one is dead.
        yield* store.finishRun(claim.run.id, claim.token, (watch) => ({
          run: { ...claim.run, status: "abandoned" },
          memory: watch.memory,
          events: []
        }))
        yield* TestClock.adjust("31 seconds")
        assert.isTrue(sky.began[0]?.ended(), "it noticed at its next heartbeat")
        assert.deepStrictEqual(
          (yield* executionsOf(caller)).map(({ status }) => status),
          ["failed"]
        )
        assert.strictEqual((yield* (yield* Watches.Watches).usage(caller)).remaining, 50)
        assert.strictEqual((yield* World.runs(caller, id))[0]?.status, "abandoned")
      }),
      sky
    )
  })
})

describe.runIf(Tier.landing)("a watch that is removed", () => {
  it.scoped("while it is checked ends the check, gives its unit back and reports nothing any more", () => {
    const sky = World.makeSky()
    sky.takes = "20 seconds"
    return over(
      Effect.gen(function* () {
        const caller = yield* World.makeCaller()
        const watches = yield* Watches.Watches
        const id = yield* World.create(caller, { options: { notify_unchanged: true } })
        yield* World.untilDue(caller, id, 1_000)
        assert.strictEqual((yield* watches.usage(caller)).reserved, 1)
        yield* watches.remove(caller, id)
        const { remaining, reserved } = yield* watches.usage(caller)
        assert.deepStrictEqual([reserved, remaining], [0, 50])
        assert.deepStrictEqual(
          (yield* executionsOf(caller)).map(({ status }) => status),
          ["failed"]
        )
        const began = sky.began.length
        yield* TestClock.adjust("3 hours")
        assert.strictEqual(sky.began.length, began)
        assert.deepStrictEqual(yield* World.events(caller), [])
        assert.strictEqual((yield* watches.usage(caller)).remaining, 50)
        assert.strictEqual((yield* Effect.flip(watches.get(caller, id)))._tag, "WatchNotFound")
        assert.strictEqual((yield* Effect.flip(watches.remove(caller, id)))._tag, "WatchNotFound")
      }),
      sky
    )
  })

  it.scoped("between its claim and the beginning of its execution is not checked", () => {
    const sky = World.makeSky()
    return Effect.gen(function* () {
      const storage = yield* Layer.build(Storage.layerMemory)
      const store = yield* Effect.provide(ExecutionStore, storage)
      const process = (begin: (typeof store)["begin"]) =>
        Layer.build(
          World.process(sky).pipe(
            Layer.provideMerge(Layer.succeed(ExecutionStore, { ...store, begin })),
            Layer.provideMerge(Layer.succeedContext(storage)),
            Layer.fresh
          )
        )
      const caller = yield* Effect.provide(World.makeCaller(), storage)
      const slow = yield* process((request) => Effect.delay(store.begin(request), "10 seconds"))
      const id = yield* Effect.provide(World.create(caller), slow)
      yield* Effect.provide(World.untilDue(caller, id, 1_000), slow)
      const other = yield* Layer.build(
        World.services(sky).pipe(Layer.provideMerge(Layer.succeedContext(storage)), Layer.fresh)
      )
      yield* Effect.provide(
        Effect.flatMap(Watches.Watches, (watches) => watches.remove(caller, id)),
        other
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(sky.began, [])
      const count = yield* (yield* Effect.provide(QuotaStore, storage)).count(caller.id, "1970-01-01")
      assert.deepStrictEqual([count.used, count.reserved], [0, 0])
    })
  })
})

describe.runIf(Tier.landing)("a process that stops", () => {
  it.scoped("lets its checks end, and gives back those that do not, to be made again at once elsewhere", () => {
    const sky = World.makeSky()
    sky.takes = "100 seconds"
    return Effect.gen(function* () {
      const storage = yield* Layer.build(Storage.layerMemory)
      const caller = yield* Effect.provide(World.makeCaller(), storage)
      const scope = yield* Scope.make()
      const one = yield* Layer.build(
        World.process(sky, { scheduler: { graceSeconds: 10 } }).pipe(
          Layer.provideMerge(Layer.succeedContext(storage)),
          Layer.fresh
        )
      ).pipe(Scope.extend(scope))
      const id = yield* Effect.provide(World.create(caller), one)
      yield* Effect.provide(World.untilDue(caller, id, 1_000), one)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("11 seconds")
      yield* Fiber.join(closing)
      const two = yield* Layer.build(
        World.process(sky).pipe(Layer.provideMerge(Layer.succeedContext(storage)), Layer.fresh)
      )
      yield* Effect.gen(function* () {
        yield* TestClock.adjust("1 millis")
        const [again, given] = yield* World.runs(caller, id)
        assert.deepStrictEqual([given?.status, given?.error_code, given?.units], ["abandoned", "draining", 0])
        assert.strictEqual(again?.status, "running")
        yield* TestClock.adjust("101 seconds")
        const watch = yield* World.get(caller, id)
        assert.deepStrictEqual(
          [watch.counts.checks, watch.consecutive_failures, watch.last_error, watch.skipped_runs],
          [1, 0, null, { overlap: 0, downtime: 0, quota: 0 }]
        )
        assert.strictEqual((yield* (yield* Watches.Watches).usage(caller)).used, 1)
      }).pipe(Effect.provide(two))
    })
  })

  it.scoped("finishes a check with a result that was being stored: it is paid for, reported, and not made again", () =>
    Effect.gen(function* () {
      const sky = World.makeSky()
      sky.takes = "1 second"
      const storage = yield* Layer.build(Storage.layerMemory)
      const caller = yield* Effect.provide(World.makeCaller(), storage)
      const executions = yield* Effect.provide(ExecutionStore, storage)
      const slow = Context.add(storage, ExecutionStore, {
        ...executions,
        complete: (...request) => Effect.delay(executions.complete(...request), "5 seconds")
      })
      const scope = yield* Scope.make()
      const one = yield* Layer.build(
        World.process(sky, { scheduler: { graceSeconds: 1 } }).pipe(
          Layer.provideMerge(Layer.succeedContext(slow)),
          Layer.fresh
        )
      ).pipe(Scope.extend(scope))
      const id = yield* Effect.provide(World.create(caller, { options: { notify_unchanged: true } }), one)
      yield* Effect.provide(World.untilDue(caller, id, 2_000), one)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("11 seconds")
      yield* Fiber.join(closing)
      const two = yield* Layer.build(
        World.process(sky).pipe(Layer.provideMerge(Layer.succeedContext(storage)), Layer.fresh)
      )
      yield* TestClock.adjust("1 minute")
      const { runs } = yield* Effect.provide(assertSettled(caller, id, "stored"), two)
      assert.deepStrictEqual(
        runs.map(({ status, units }) => [status, units]),
        [["succeeded", 1]]
      )
    })
  )

  for (const [what, keySeconds, becomes] of [
    ["one that had not begun its execution names none", 1_000, null],
    ["one that had names it, failed", 0, "failed"]
  ] as const)
    it.scoped(`gives up a check by hand, which nobody makes again: ${what}`, () =>
      Effect.gen(function* () {
        const sky = World.makeSky()
        sky.takes = "100 seconds"
        const storage = yield* Layer.build(Storage.layerMemory)
        const caller = yield* Effect.provide(World.makeCaller(), storage)
        const keys = yield* Effect.provide(KeyStore, storage)
        const slow = Context.add(storage, KeyStore, {
          ...keys,
          find: (id) => Effect.delay(keys.find(id), `${keySeconds} seconds`)
        })
        const scope = yield* Scope.make()
        const one = yield* Layer.build(
          World.services(sky).pipe(Layer.provideMerge(Layer.succeedContext(slow)), Layer.fresh)
        ).pipe(Scope.extend(scope))
        const id = yield* Effect.provide(World.create(caller, { paused: true }), one)
        const watches = yield* Effect.provide(Watches.Watches, one)
        const run = yield* watches.runNow(caller, id)
        yield* TestClock.adjust("1 second")
        const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("11 seconds")
        yield* Fiber.join(closing)
        yield* Effect.gen(function* () {
          const { runs } = yield* assertSettled(caller, id, what)
          const stored = yield* (yield* ExecutionStore).status(run.execution_id ?? (yield* Id.make("exe")))
          assert.deepStrictEqual(
            runs.map(({ execution_id, status }) => [status, execution_id]),
            [["abandoned", becomes === null ? null : run.execution_id]]
          )
          assert.strictEqual(Option.getOrNull(stored), becomes)
        }).pipe(
          Effect.provide(World.services(sky).pipe(Layer.provideMerge(Layer.succeedContext(storage)), Layer.fresh))
        )
      })
    )
})
