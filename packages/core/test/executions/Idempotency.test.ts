import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Option, Ref, Scope, TestClock } from "effect"
import { TargetMismatch } from "../../src/analysis/Analyzer.js"
import * as Chains from "../../src/chain/Chains.js"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import * as Executions from "../../src/executions/Executions.js"
import * as Quota from "../../src/quota/Quota.js"
import * as Processes from "../../src/storage/Processes.js"
import * as Storage from "../../src/storage/Storage.js"
import * as Documents from "../../src/testing/Documents.js"
import * as ScriptedAnalyzer from "../../src/testing/ScriptedAnalyzer.js"
import * as Retention from "../../src/watches/Retention.js"

const chain = Chains.make({ id: 1, endpoints: ["http://localhost:8545"] })

const makeCaller = (dailyQuota = 50): Effect.Effect<Caller> =>
  Effect.map(Id.make("key"), (id) => ({ id, dailyQuota, source: Option.none() }))

const ask = (caller: Caller, key: string, changes: Partial<Executions.RunRequest> = {}) =>
  Effect.flatMap(Executions.Executions, (executions) =>
    executions.run({
      caller,
      kind: "token",
      address: Documents.address(7),
      chain,
      summary: "not_requested",
      compareTo: Option.none(),
      idempotencyKey: Option.some(key),
      ...changes
    })
  )

const usage = (caller: Caller) =>
  Effect.flatMap(Quota.Quota, (quota) => Effect.map(quota.usage(caller), ({ reserved, used }) => ({ reserved, used })))

const over = (analyzer: ReturnType<typeof ScriptedAnalyzer.layer>) =>
  Executions.layer({ graceSeconds: 0 }).pipe(
    Layer.provideMerge(Quota.layer()),
    Layer.provideMerge(Layer.merge(Storage.layerMemory, analyzer))
  )

describe("a request that is repeated with its idempotency key", () => {
  it.effect("is answered with the first result for nothing, also without quota left, for 24 hours", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(1)
      const first = yield* ask(caller, "a")
      assert.strictEqual(first.units, 1)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* ask(caller, "a"), { ...first, units: 0 })
      assert.deepStrictEqual(yield* usage(caller), { reserved: 0, used: 1 })
      // The unit of the next day.
      yield* TestClock.adjust("1 hour")
      const fresh = yield* ask(caller, "a")
      assert.notStrictEqual(fresh.execution_id, first.execution_id)
      assert.strictEqual(fresh.units, 1)
    }).pipe(Effect.provide(over(ScriptedAnalyzer.layerConfirming)))
  )

  it.effect("is refused where the request differs, and another API key is not concerned", () =>
    Effect.gen(function* () {
      const [caller, other] = [yield* makeCaller(), yield* makeCaller()]
      yield* ask(caller, "a")
      for (const changes of [
        { kind: "contract" as const },
        { address: Documents.address(8) },
        { chain: { ...chain, id: 8453 } },
        { summary: "wanted" as const }
      ])
        assert.strictEqual((yield* Effect.flip(ask(caller, "a", changes)))._tag, "IdempotencyKeyReused")
      assert.strictEqual((yield* ask(other, "a", { kind: "contract" })).units, 1)
      assert.deepStrictEqual(yield* usage(caller), { reserved: 0, used: 1 })
    }).pipe(Effect.provide(over(ScriptedAnalyzer.layerConfirming)))
  )

  it.effect("runs again where the first one failed", () => {
    let isThere = false
    const analyzer = ScriptedAnalyzer.layer(({ address, kind }) =>
      isThere
        ? Effect.succeed(Documents.analysis({ kind, address, chain: { id: 1, name: "ethereum" } }, [], 21_000_000))
        : new TargetMismatch({ detected: "eoa", target: { kind, address, chain: { id: 1, name: "ethereum" } } })
    )
    return Effect.gen(function* () {
      const caller = yield* makeCaller()
      assert.strictEqual((yield* Effect.flip(ask(caller, "a")))._tag, "TargetMismatch")
      isThere = true
      const first = yield* ask(caller, "a")
      const again = yield* ask(caller, "a")
      assert.deepStrictEqual([first.units, again.units, again.execution_id], [1, 0, first.execution_id])
      assert.deepStrictEqual(yield* usage(caller), { reserved: 0, used: 1 })
    }).pipe(Effect.provide(over(analyzer)))
  })

  it.effect("is one execution and one unit for any number of concurrent requests", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const made = yield* Ref.make(0)
      const analyzer = ScriptedAnalyzer.layer(({ address, kind }) =>
        Effect.as(
          Effect.zipRight(
            Ref.update(made, (count) => count + 1),
            Deferred.await(gate)
          ),
          Documents.analysis({ kind, address, chain: { id: 1, name: "ethereum" } }, [], 21_000_000)
        )
      )
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const all = yield* Effect.fork(Effect.replicateEffect(ask(caller, "a"), 20, { concurrency: "unbounded" }))
        yield* TestClock.adjust("1 second")
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust("1 second")
        const results = yield* all
        assert.strictEqual(new Set(results.map(({ execution_id }) => execution_id)).size, 1)
        assert.strictEqual(
          results.reduce((sum, { units }) => sum + units, 0),
          1
        )
        assert.strictEqual(yield* Ref.get(made), 1)
        assert.deepStrictEqual(yield* usage(caller), { reserved: 0, used: 1 })
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.scoped("after a crash is one charge: what ran is made again, and what was stored is answered", () =>
    Effect.gen(function* () {
      const storage = yield* Layer.build(Layer.fresh(Storage.layerMemory))
      const life = yield* Scope.make()
      const dying = yield* Layer.build(Layer.fresh(Processes.layerMemory)).pipe(Scope.extend(life))
      const living = yield* Layer.build(Layer.fresh(Processes.layerMemory))
      const start = (
        processes: Context.Context<Processes.Processes>,
        analyzer: ReturnType<typeof ScriptedAnalyzer.layer>
      ) =>
        Layer.build(
          Executions.layer({ graceSeconds: 0 }).pipe(
            Layer.provideMerge(Quota.layer()),
            Layer.provide([Layer.succeedContext(Context.merge(storage, processes)), analyzer]),
            Layer.fresh
          )
        )
      const one = yield* start(
        dying,
        ScriptedAnalyzer.layer(() => Effect.never)
      )
      const two = yield* start(living, ScriptedAnalyzer.layerConfirming)
      const caller = yield* makeCaller()
      yield* Effect.fork(Effect.exit(Effect.provide(ask(caller, "a"), one)))
      yield* TestClock.adjust("1 millis")
      yield* Scope.close(life, Exit.void)
      const first = yield* Effect.provide(ask(caller, "a"), two)
      const again = yield* Effect.provide(ask(caller, "a"), two)
      assert.deepStrictEqual([first.units, again.units, again.execution_id], [1, 0, first.execution_id])
      assert.deepStrictEqual(yield* Effect.provide(usage(caller), two), { reserved: 0, used: 1 })
    })
  )

  it.effect("is kept by retention for a day and no longer", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const first = yield* ask(caller, "a")
      yield* TestClock.adjust("23 hours")
      yield* Retention.sweep()
      assert.strictEqual((yield* ask(caller, "a")).execution_id, first.execution_id)
      yield* TestClock.adjust("2 hours")
      yield* Retention.sweep()
      assert.strictEqual((yield* ask(caller, "a", { kind: "contract" })).units, 1)
    }).pipe(Effect.provide(over(ScriptedAnalyzer.layerConfirming)))
  )
})
