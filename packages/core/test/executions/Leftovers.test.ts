import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope, TestClock } from "effect"
import type { Analyzer } from "../../src/analysis/Analyzer.js"
import * as Chains from "../../src/chain/Chains.js"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import * as Executions from "../../src/executions/Executions.js"
import * as Reaper from "../../src/executions/Reaper.js"
import * as Quota from "../../src/quota/Quota.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import * as Processes from "../../src/storage/Processes.js"
import { QuotaStore } from "../../src/storage/QuotaStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import * as Documents from "../../src/testing/Documents.js"
import * as ScriptedAnalyzer from "../../src/testing/ScriptedAnalyzer.js"
import * as StorageFault from "../../src/testing/StorageFault.js"

const chain = Chains.make({ id: 1, endpoints: ["http://localhost:8545"] })

const makeCaller: Effect.Effect<Caller> = Effect.map(Id.make("key"), (id) => ({
  id,
  dailyQuota: 50,
  source: Option.none()
}))

const request = (caller: Caller, address = 7): Executions.RunRequest => ({
  caller,
  kind: "token",
  address: Documents.address(address),
  chain,
  summary: "not_requested",
  compareTo: Option.none()
})

const run = (caller: Caller, address?: number) =>
  Effect.flatMap(Executions.Executions, (executions) => executions.run(request(caller, address)))

const count = (caller: Caller) =>
  Effect.flatMap(QuotaStore, (quota) =>
    Effect.map(quota.count(caller.id, "1970-01-01"), ({ reserved, used }) => ({ reserved, used }))
  )

const statuses = (caller: Caller) =>
  Effect.flatMap(ExecutionStore, (store) =>
    Effect.map(
      store.list(
        caller.id,
        {
          kind: Option.none(),
          address: Option.none(),
          chainId: Option.none(),
          watchId: Option.none(),
          since: Option.none()
        },
        { limit: 100, before: Option.none() }
      ),
      ({ data }) => data.map(({ status }) => status)
    )
  )

const silent = ScriptedAnalyzer.layer(() => Effect.never)

/** A process over stores that others share; `die` ends it with nothing finished, as a kill does. */
const start = (storage: Context.Context<Storage.Storage>, analyzer: Layer.Layer<Analyzer>) =>
  Effect.gen(function* () {
    const life = yield* Scope.make()
    const processes = yield* Layer.build(Layer.fresh(Processes.layerMemory)).pipe(Scope.extend(life))
    const stores = Layer.provide(StorageFault.layer, Layer.succeedContext(Context.merge(storage, processes)))
    const context = yield* Layer.build(
      Executions.layer({ graceSeconds: 0 }).pipe(
        Layer.provideMerge(Quota.layer()),
        Layer.provideMerge(stores),
        Layer.provide(analyzer)
      )
    )
    const fault = Context.get(context, StorageFault.StorageFault)
    return {
      context,
      arm: fault.arm,
      calls: fault.calls,
      die: Effect.zipRight(
        fault.arm(Option.some({ call: 1, kind: "crashes", moment: "before" })),
        Scope.close(life, Exit.void)
      )
    }
  })

const world = Effect.gen(function* () {
  const storage = yield* Layer.build(Layer.fresh(Storage.layerMemory))
  return { storage, caller: yield* makeCaller }
})

const forked = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.zipLeft(Effect.fork(effect), TestClock.adjust("1 millis"))

describe("a request with a twin that a dead process left", () => {
  it.scoped("takes over at once, and only its own unit is charged", () =>
    Effect.gen(function* () {
      const { caller, storage } = yield* world
      const one = yield* start(storage, silent)
      const two = yield* start(storage, ScriptedAnalyzer.layerConfirming)
      yield* forked(Effect.exit(Effect.provide(run(caller), one.context)))
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["running"])
      yield* one.die
      const result = yield* Effect.provide(run(caller), two.context)
      assert.deepStrictEqual([result.status, result.units], ["complete", 1])
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["complete", "failed"])
      assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 0, used: 1 })
    })
  )

  it.scoped("notices within a second that the one that it waits for dies", () =>
    Effect.gen(function* () {
      const { caller, storage } = yield* world
      const one = yield* start(storage, silent)
      const two = yield* start(storage, ScriptedAnalyzer.layerConfirming)
      yield* forked(Effect.exit(Effect.provide(run(caller), one.context)))
      const waiting = yield* forked(Effect.provide(run(caller), two.context))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["running"])
      yield* one.die
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting)).status, "complete")
    })
  )

  it.scoped("takes over once its lease is over, where nothing can be proven", () =>
    Effect.gen(function* () {
      const { caller, storage } = yield* world
      const unnamed = Context.merge(storage, yield* Layer.build(Processes.layerUnknown))
      const process = (analyzer: Layer.Layer<Analyzer>) =>
        Layer.build(
          Executions.layer({ graceSeconds: 0, heartbeatSeconds: 1_000 }).pipe(
            Layer.provideMerge(Quota.layer()),
            Layer.provideMerge(Layer.succeedContext(unnamed)),
            Layer.provide(analyzer),
            Layer.fresh
          )
        )
      const [one, two] = [yield* process(silent), yield* process(ScriptedAnalyzer.layerConfirming)]
      yield* forked(Effect.exit(Effect.provide(run(caller), one)))
      yield* TestClock.adjust("119 seconds")
      const waiting = yield* forked(Effect.provide(run(caller), two))
      assert.isTrue(Option.isNone(yield* Fiber.poll(waiting)))
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* Fiber.join(waiting)).status, "complete")
      assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 0, used: 1 })
    })
  )
})

describe("the slots of a process that is gone", () => {
  it.scoped("are free at once for the next request", () =>
    Effect.gen(function* () {
      const { caller, storage } = yield* world
      const one = yield* start(storage, silent)
      const two = yield* start(storage, ScriptedAnalyzer.layerConfirming)
      for (const address of [1, 2, 3]) yield* forked(Effect.exit(Effect.provide(run(caller, address), one.context)))
      const refused = yield* Effect.flip(Effect.provide(run(caller, 4), two.context))
      assert.strictEqual(refused._tag, "ConcurrencyExceeded")
      yield* one.die
      assert.strictEqual((yield* Effect.provide(run(caller, 4), two.context)).status, "complete")
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), [
        "complete",
        "failed",
        "failed",
        "failed"
      ])
      assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 0, used: 1 })
    })
  )
})

describe("a reaper", () => {
  it.scoped("ends what a process left that is gone within two seconds, and nothing of one that lives", () =>
    Effect.gen(function* () {
      const { caller, storage } = yield* world
      const dead = yield* start(storage, silent)
      const living = yield* start(storage, silent)
      const reaper = yield* start(storage, silent)
      yield* forked(Effect.exit(Effect.provide(run(caller, 1), dead.context)))
      yield* forked(Effect.exit(Effect.provide(run(caller, 2), living.context)))
      yield* Layer.build(Layer.provide(Reaper.layer(), Layer.succeedContext(reaper.context)))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["running", "running"])
      yield* dead.die
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["running", "failed"])
      assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 1, used: 0 })
    })
  )

  for (const [moment, status, left] of [
    ["before", "failed", { reserved: 0, used: 0 }],
    ["after", "complete", { reserved: 0, used: 1 }]
  ] as const)
    it.scoped(`settles the unit of a process that died just ${moment} its result was stored`, () =>
      Effect.gen(function* () {
        const { caller, storage } = yield* world
        const one = yield* start(storage, ScriptedAnalyzer.layerConfirming)
        const two = yield* start(storage, silent)
        const whole = yield* Effect.zipRight(Effect.provide(run(caller, 9), one.context), one.calls)
        // The last call settles the unit, the one before it stores the result.
        yield* one.arm(Option.some({ call: whole - 1, kind: "crashes", moment }))
        yield* Effect.exit(Effect.provide(run(caller), one.context))
        assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 1, used: 1 })
        yield* one.die
        yield* Effect.provide(Reaper.endOrphans, two.context)
        assert.deepStrictEqual((yield* Effect.provide(statuses(caller), storage))[0], status)
        assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { ...left, used: left.used + 1 })
      })
    )
})

describe("a store that is away after an execution has begun", () => {
  const full = new StorageError({ reason: "unavailable", operation: "a full disk", detail: "SQLITE_FULL" })

  for (const [what, isReserved] of [
    ["while its unit is reserved", false],
    ["after its unit was reserved, whose answer is lost", true]
  ] as const)
    it.scoped(`${what} ends the execution as soon as the store is back`, () =>
      Effect.gen(function* () {
        const { caller, storage } = yield* world
        let isFull = false
        const unlessFull = <A>(effect: Effect.Effect<A, StorageError>) =>
          Effect.suspend(() => (isFull ? Effect.fail(full) : effect))
        const executions = Context.get(storage, ExecutionStore)
        const quota = Context.get(storage, QuotaStore)
        const broken = Context.merge(
          storage,
          Context.empty().pipe(
            Context.add(ExecutionStore, {
              ...executions,
              begin: (asked) =>
                Effect.tap(unlessFull(executions.begin(asked)), () =>
                  Effect.sync(() => {
                    isFull = true
                  })
                ),
              discard: (id, token) => unlessFull(executions.discard(id, token)),
              fail: (id, token, failure, now) => unlessFull(executions.fail(id, token, failure, now))
            }),
            Context.add(QuotaStore, {
              ...quota,
              reserve: (asked) =>
                isReserved
                  ? Effect.zipRight(quota.reserve(asked), unlessFull(quota.reserve(asked)))
                  : Effect.fail(full),
              settle: (id, state, now) => unlessFull(quota.settle(id, state, now))
            })
          )
        )
        const process = yield* Layer.build(
          Executions.layer({ graceSeconds: 0 }).pipe(
            Layer.provide(Quota.layer()),
            Layer.provide([Layer.succeedContext(broken), silent])
          )
        )
        const first = yield* forked(Effect.flip(Effect.provide(run(caller), process)))
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* Fiber.join(first))._tag, "StorageError")
        assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["running"])
        isFull = false
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), [])
        assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 0, used: 0 })
      })
    )

  it.scoped("is repeated by the same request, which then runs anew and joins nothing", () =>
    Effect.gen(function* () {
      const { caller, storage } = yield* world
      const executions = Context.get(storage, ExecutionStore)
      const quota = Context.get(storage, QuotaStore)
      let isFull = true
      const process = yield* Layer.build(
        Executions.layer({ graceSeconds: 0 }).pipe(
          Layer.provideMerge(Quota.layer()),
          Layer.provide([
            Layer.succeedContext(
              Context.merge(
                storage,
                Context.empty().pipe(
                  Context.add(ExecutionStore, {
                    ...executions,
                    discard: (id, token) =>
                      Effect.suspend(() => (isFull ? Effect.fail(full) : executions.discard(id, token)))
                  }),
                  Context.add(QuotaStore, {
                    ...quota,
                    reserve: (asked) => Effect.suspend(() => (isFull ? Effect.fail(full) : quota.reserve(asked)))
                  })
                )
              )
            ),
            ScriptedAnalyzer.layerConfirming
          ])
        )
      )
      const first = yield* forked(Effect.flip(Effect.provide(run(caller), process)))
      yield* TestClock.adjust("750 millis")
      assert.strictEqual((yield* Fiber.join(first))._tag, "StorageError")
      isFull = false
      // No time passes: what is kept to be written later is written now.
      const result = yield* Effect.provide(run(caller), process)
      assert.deepStrictEqual([result.status, result.units], ["complete", 1])
      assert.deepStrictEqual(yield* Effect.provide(statuses(caller), storage), ["complete"])
      assert.deepStrictEqual(yield* Effect.provide(count(caller), storage), { reserved: 0, used: 1 })
    })
  )
})
