import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Ref } from "effect"
import type { AnalyzeRequest } from "../../src/analysis/Analyzer.js"
import * as Chains from "../../src/chain/Chains.js"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import { defaultOptions } from "../../src/domain/Watch.js"
import * as Executions from "../../src/executions/Executions.js"
import * as Quota from "../../src/quota/Quota.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import * as Documents from "../../src/testing/Documents.js"
import * as ScriptedAnalyzer from "../../src/testing/ScriptedAnalyzer.js"

const chain = Chains.make({ id: 1, endpoints: ["http://localhost:8545"] })

const makeCaller: Effect.Effect<Caller> = Effect.map(Id.make("key"), (id) => ({
  id,
  dailyQuota: 3,
  source: Option.none()
}))

const request = (caller: Caller, changes: Partial<Executions.CheckRequest> = {}) =>
  Effect.gen(function* () {
    return {
      id: yield* Id.make("exe"),
      token: "token",
      caller,
      watchId: yield* Id.make("wat"),
      kind: "token" as const,
      address: Documents.address(7),
      chain,
      base: Option.none(),
      options: defaultOptions,
      ...changes
    }
  })

const check = (wanted: Executions.CheckRequest) =>
  Effect.flatMap(Executions.Executions, (executions) => executions.check(wanted))

const usage = (caller: Caller) => Effect.flatMap(Quota.Quota, (quota) => quota.usage(caller))

const over = (analyzer: ReturnType<typeof ScriptedAnalyzer.layer>, options: Executions.Options = {}) =>
  Executions.layer(options).pipe(
    Layer.provideMerge(Quota.layer()),
    Layer.provideMerge(Layer.merge(Storage.layerMemory, analyzer))
  )

/** A claim that is confirmed from the second reading on; `seen` has the requests. */
const turning = (seen: Array<AnalyzeRequest>, isConfirmed: (reading: number) => boolean) =>
  ScriptedAnalyzer.layer((asked) =>
    Effect.sync(() => {
      seen.push(asked)
      const state = isConfirmed(seen.length) ? "confirmed" : "refuted"
      const target = { kind: asked.kind, address: asked.address, chain: { id: 1, name: "ethereum" } }
      const analysis = Documents.analysis(target, [Documents.evidence("token.mintable", state)], 100 + seen.length)
      return { ...analysis, content_hash: `sha256:${(state === "confirmed" ? "1" : "0").repeat(64)}` }
    })
  )

describe("Executions.check", () => {
  it.effect(
    "takes a unit of watches, no slot and no summary, and is answered again by its id without being run",
    () => {
      const seen: Array<AnalyzeRequest> = []
      return Effect.gen(function* () {
        const caller = yield* makeCaller
        const wanted = yield* request(caller)
        const result = yield* check(wanted)
        assert.deepStrictEqual(
          [result.execution_id, result.summary_reason, result.units, result.change_report?.status],
          [wanted.id, "scheduled_check", 1, "baseline"]
        )
        assert.strictEqual((yield* check(wanted)).content_hash, result.content_hash)
        assert.strictEqual(seen.length, 1)
        const { by_kind, reserved, used } = yield* usage(caller)
        assert.deepStrictEqual([used, reserved, by_kind.watch], [1, 0, 1])
      }).pipe(
        Effect.provide(
          over(
            turning(seen, () => false),
            { slotsPerKey: 0 }
          )
        )
      )
    }
  )

  it.effect("compares with the base that it is given, whatever else of this target was run meanwhile", () => {
    const seen: Array<AnalyzeRequest> = []
    return Effect.gen(function* () {
      const caller = yield* makeCaller
      const first = yield* check(yield* request(caller))
      const executions = yield* Executions.Executions
      yield* executions.run({
        caller,
        kind: "token",
        address: Documents.address(7),
        chain,
        summary: "not_requested",
        compareTo: Option.none()
      })
      const second = yield* check(yield* request(caller, { base: Option.some(first.execution_id) }))
      assert.strictEqual(second.change_report?.base?.execution_id, first.execution_id)
      assert.isTrue(second.change_report?.changes.some(({ id, verified }) => id === "token.mintable" && verified))
      assert.deepStrictEqual(
        seen.map(({ apartFrom, earlier }) => [
          apartFrom !== undefined,
          earlier !== undefined && Option.isSome(earlier)
        ]),
        [
          [false, false],
          [false, false],
          [false, true],
          [true, true]
        ]
      )
    }).pipe(Effect.provide(over(turning(seen, (reading) => reading > 2))))
  })

  it.effect("does not report what its owner ignores", () => {
    const seen: Array<AnalyzeRequest> = []
    return Effect.gen(function* () {
      const caller = yield* makeCaller
      const first = yield* check(yield* request(caller))
      const options = { ...defaultOptions, ignore: ["token.mintable", "facts.risk"] }
      const second = yield* check(yield* request(caller, { base: Option.some(first.execution_id), options }))
      assert.isFalse(second.change_report?.changes.some(({ id }) => id === "token.mintable"))
    }).pipe(Effect.provide(over(turning(seen, (reading) => reading > 1))))
  })

  it.effect("cannot compare with a base that is past retention or cannot be read, and says which", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller
      const gone = yield* check(yield* request(caller, { base: Option.some(yield* Id.make("exe")) }))
      assert.deepStrictEqual([gone.change_report?.status, gone.change_report?.reason], ["incomparable", "base_expired"])
      const store = yield* ExecutionStore
      const base = yield* Id.make("exe")
      const corrupt = ExecutionStore.of({
        ...store,
        find: (keyId, id) =>
          id === base
            ? new StorageError({ reason: "corrupt", operation: "ExecutionStore.find", detail: "" })
            : store.find(keyId, id)
      })
      const layer = Executions.layer().pipe(Layer.provide(Layer.succeed(ExecutionStore, corrupt)))
      const failed = yield* Effect.provide(check(yield* request(caller, { base: Option.some(base) })), layer)
      assert.deepStrictEqual(
        [failed.change_report?.status, failed.change_report?.reason],
        ["incomparable", "base_failed"]
      )
    }).pipe(Effect.provide(over(ScriptedAnalyzer.layerConfirming)))
  )

  it.effect("stops with its caller, fails, and gives its unit back", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const analyzer = ScriptedAnalyzer.layer(() => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller
        const wanted = yield* request(caller)
        const fiber = yield* Effect.fork(check(wanted))
        yield* Deferred.await(started)
        yield* Fiber.interrupt(fiber)
        const store = yield* ExecutionStore
        assert.deepStrictEqual(yield* store.status(wanted.id), Option.some("failed" as const))
        assert.strictEqual((yield* usage(caller)).remaining, 3)
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.effect("that has no unit leaves nothing behind", () => {
    const seen: Array<AnalyzeRequest> = []
    return Effect.gen(function* () {
      const caller = { ...(yield* makeCaller), dailyQuota: 0 }
      const wanted = yield* request(caller)
      assert.strictEqual((yield* Effect.flip(check(wanted)))._tag, "QuotaExceeded")
      assert.deepStrictEqual(yield* (yield* ExecutionStore).status(wanted.id), Option.none())
      assert.strictEqual(seen.length, 0)
    }).pipe(Effect.provide(over(turning(seen, () => false))))
  })

  it.effect("is not run where its execution was ended before it had its unit", () =>
    Effect.gen(function* () {
      const runs = yield* Ref.make(0)
      const analyzer = ScriptedAnalyzer.layer(() =>
        Effect.zipRight(
          Ref.update(runs, (count) => count + 1),
          Effect.never
        )
      )
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller
        const store = yield* ExecutionStore
        const wanted = yield* request(caller)
        const racing = ExecutionStore.of({
          ...store,
          begin: (begin) =>
            Effect.tap(store.begin(begin), () =>
              store.fail(wanted.id, wanted.token, { code: "internal_error", detail: "removed" }, 0)
            )
        })
        const layer = Executions.layer().pipe(Layer.provide(Layer.succeed(ExecutionStore, racing)))
        assert.strictEqual((yield* Effect.flip(Effect.provide(check(wanted), layer)))._tag, "ExecutionFailed")
        assert.strictEqual(yield* Ref.get(runs), 0)
        assert.strictEqual((yield* usage(caller)).remaining, 3)
      }).pipe(Effect.provide(over(analyzer)))
    })
  )
})
