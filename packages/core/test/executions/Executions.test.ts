import { assert, describe, it } from "@effect/vitest"
import {
  Cause,
  type Context,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  Option,
  Ref,
  Schema,
  TestClock,
  TestContext
} from "effect"
import * as Draw from "../../../../test/Draw.js"
import * as Analyzer from "../../src/analysis/Analyzer.js"
import { TargetMismatch, UpstreamUnavailable } from "../../src/analysis/Analyzer.js"
import { ChainAccess } from "../../src/chain/ChainAccess.js"
import type { Chain } from "../../src/chain/Chains.js"
import { addressKind } from "../../src/checks/address/AddressKind.js"
import * as Check from "../../src/checks/Check.js"
import { AnalysisResult, type Summary } from "../../src/domain/AnalysisResult.js"
import type { Caller } from "../../src/domain/Caller.js"
import * as Id from "../../src/domain/Id.js"
import * as AnalysisRun from "../../src/executions/AnalysisRun.js"
import * as Executions from "../../src/executions/Executions.js"
import * as Reaper from "../../src/executions/Reaper.js"
import * as Quota from "../../src/quota/Quota.js"
import { ExecutionStore } from "../../src/storage/ExecutionStore.js"
import { QuotaStore } from "../../src/storage/QuotaStore.js"
import * as Storage from "../../src/storage/Storage.js"
import { StorageError } from "../../src/storage/StorageError.js"
import { generated, neverConfigured, Summarizer, skipped, unwritten } from "../../src/summary/Summarizer.js"
import * as Documents from "../../src/testing/Documents.js"
import * as ScriptedAnalyzer from "../../src/testing/ScriptedAnalyzer.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as StorageFault from "../../src/testing/StorageFault.js"

const chain: Chain = {
  id: 1,
  name: "ethereum",
  shortName: "eth",
  endpoints: ["http://user:secret@localhost:8545"],
  explorer: Option.none(),
  addressBook: 1
}

const mismatch = new TargetMismatch({
  detected: "eoa",
  target: { kind: "token", address: Documents.address(7), chain: { id: 1, name: "ethereum" } }
})

const makeCaller = (dailyQuota = 50): Effect.Effect<Caller> =>
  Effect.map(Id.make("key"), (id) => ({ id, dailyQuota, source: Option.none() }))

const request = (caller: Caller, changes: Partial<Executions.RunRequest> = {}): Executions.RunRequest => ({
  caller,
  kind: "token",
  address: Documents.address(7),
  chain,
  summary: "wanted",
  compareTo: Option.none(),
  ...changes
})

const run = (caller: Caller, changes?: Partial<Executions.RunRequest>) =>
  Effect.flatMap(Executions.Executions, (executions) => executions.run(request(caller, changes)))

const everything = {
  kind: Option.none(),
  address: Option.none(),
  chainId: Option.none(),
  watchId: Option.none(),
  since: Option.none()
}

const list = (caller: Caller) =>
  Effect.flatMap(Executions.Executions, (executions) =>
    executions.list(caller, everything, { limit: 100, cursor: Option.none() })
  )

const usage = (caller: Caller) => Effect.flatMap(Quota.Quota, (quota) => quota.usage(caller))

const over = (analyzer: Layer.Layer<Analyzer.Analyzer>, options: Executions.Options = {}) =>
  Executions.layer(options).pipe(
    Layer.provideMerge(Quota.layer()),
    Layer.provideMerge(Layer.merge(Storage.layerMemory, analyzer))
  )

/** The real analyser with a check that has a bug. */
const broken = Analyzer.layer([
  addressKind,
  Check.make({
    id: "wallet.broken",
    code: "Z-01",
    version: 1,
    targets: ["wallet"],
    claim: "The check has a bug",
    polarity: "risk",
    severity: "high",
    dimension: "account",
    value: Schema.Null,
    run: () => Effect.die(new Error("a bug"))
  })
]).pipe(
  Layer.provide(
    Layer.succeed(ChainAccess, { pin: ({ chain }) => Effect.sync(() => ScriptedChain.make({ chain, accounts: {} })) })
  )
)

const confirming = over(ScriptedAnalyzer.layerConfirming)

const summarising = (
  summarize: Summarizer["Type"]["summarize"],
  options: Executions.Options = {},
  storage: Layer.Layer<Layer.Layer.Success<typeof Storage.layerMemory>> = Storage.layerMemory
) =>
  Executions.layerSummarising(options).pipe(
    Layer.provide(Layer.succeed(Summarizer, { pending: unwritten, summarize })),
    Layer.provideMerge(Quota.layer()),
    Layer.provideMerge(Layer.merge(storage, ScriptedAnalyzer.layerConfirming))
  )

const breakable = Executions.layer().pipe(
  Layer.provideMerge(Quota.layer()),
  Layer.provideMerge(StorageFault.layer),
  Layer.provide([Storage.layerMemory, ScriptedAnalyzer.layerConfirming])
)

/** Analyses that start, and end when the gate is opened. */
const gated = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const started = yield* Ref.make(0)
  const analyzer = ScriptedAnalyzer.layer(({ address, kind }) =>
    Ref.update(started, (count) => count + 1).pipe(
      Effect.zipRight(Deferred.await(gate)),
      Effect.as(
        Documents.analysis(
          { kind, address, chain: { id: 1, name: "ethereum" } },
          [Documents.evidence("token.mintable", "confirmed")],
          21_000_000
        )
      )
    )
  )
  return { gate, started, analyzer }
})

/** Its members: an error that passed a span is a proxy, which chai follows for ever. */
const assertFailure = (actual: object, expected: object) => assert.deepStrictEqual({ ...actual }, { ...expected })

const settled = <A, E, R>(condition: Effect.Effect<A, E, R>, holds: (value: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(condition, (value) =>
    holds(value) ? Effect.succeed(value) : Effect.zipRight(Effect.yieldNow(), settled(condition, holds))
  )

describe("Executions", () => {
  it.effect("stores the result, charges one unit and shows neither endpoint nor owner", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const result = yield* run(caller)
      assert.isTrue(Schema.is(AnalysisResult)(result))
      assert.strictEqual(result.status, "complete")
      assert.strictEqual(result.units, 1)
      assert.strictEqual(result.change_report?.status, "baseline")
      assert.deepStrictEqual(result.chain, { id: 1, name: "ethereum" })
      assert.notInclude(JSON.stringify(result), "secret")
      const executions = yield* Executions.Executions
      assert.deepStrictEqual(yield* executions.get(caller, result.execution_id), result)
      const { by_kind, remaining, reserved, used } = yield* usage(caller)
      assert.deepStrictEqual([used, reserved, remaining, by_kind.token], [1, 0, 49, 1])
    }).pipe(Effect.provide(confirming))
  )

  it.effect(
    "stores and charges a partial result where a check failed because of a bug, and logs it with the execution id",
    () =>
      Effect.gen(function* () {
        const logs: Array<object> = []
        const logger = Logger.make(({ annotations }) => {
          logs.push(Object.fromEntries(annotations))
        })
        const caller = yield* makeCaller()
        const result = yield* Effect.provide(
          run(caller, { kind: "wallet" }),
          Logger.replace(Logger.defaultLogger, logger)
        )
        assert.strictEqual(result.status, "partial")
        assert.deepStrictEqual(
          result.evidence.map(({ id, reason }) => ({ id, reason })),
          [
            { id: "address.kind", reason: null },
            { id: "wallet.broken", reason: "internal_error" }
          ]
        )
        const executions = yield* Executions.Executions
        assert.deepStrictEqual(yield* executions.get(caller, result.execution_id), result)
        const { reserved, used } = yield* usage(caller)
        assert.deepStrictEqual([used, reserved], [1, 0])
        assert.lengthOf(logs, 1)
        assert.deepInclude(logs[0], { execution_id: result.execution_id, name: "wallet.broken" })
      }).pipe(Effect.provide(over(broken)))
  )

  it.effect("says that no summary is configured, or that none was wished for", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const wished = yield* run(caller, { summary: "wanted" })
      assert.deepStrictEqual(
        [wished.summary, wished.summary_status, wished.summary_reason],
        [null, "never_configured", null]
      )
      const plain = yield* run(caller, { summary: "not_requested" })
      assert.deepStrictEqual(
        [plain.summary, plain.summary_status, plain.summary_reason],
        [null, "skipped", "not_requested"]
      )
    }).pipe(Effect.provide(confirming))
  )

  it.effect("writes the summary that is wished for, and stores it with the result that it changes nothing of", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const told = yield* run(caller, { summary: "wanted" })
      assert.deepInclude(told, generated("Of 1 items of token."))
      const executions = yield* Executions.Executions
      assert.deepStrictEqual(yield* executions.get(caller, told.execution_id), told)
      const plain = yield* run(caller, { summary: "not_requested" })
      assert.deepInclude(plain, skipped("not_requested"))
      const { content_hash, evidence, facts } = told
      assert.deepInclude(plain, { content_hash, evidence, facts })
    }).pipe(
      Effect.provide(
        summarising((result) => Effect.succeed(generated(`Of ${result.evidence.length} items of ${result.target}.`)))
      )
    )
  )

  it.effect("requests no summary where nobody wants one, or only a schedule runs", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      for (const summary of ["not_requested", "scheduled_check"] as const)
        assert.deepInclude(yield* run(caller, { summary }), skipped(summary))
    }).pipe(Effect.provide(summarising(() => Effect.dieMessage("asked"))))
  )

  it.effect("stores and charges an analysis with a failed summary, whether the failure is declared or a defect", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const outcomes = [Effect.succeed(skipped("budget")), Effect.dieMessage("a bug")]
      const layer = summarising(() => outcomes.shift() ?? Effect.succeed(neverConfigured))
      const told = yield* Effect.all([run(caller), run(caller)]).pipe(Effect.provide(layer))
      assert.deepInclude(told[0], { status: "complete", units: 1, ...skipped("budget") })
      assert.deepInclude(told[1], { status: "complete", units: 1, ...skipped("provider_error") })
    })
  )

  it.effect(
    "shows an execution without prose while its summary is being written, past the deadline of the analysis",
    () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const written = yield* Deferred.make<Summary>()
        const layer = summarising(() => Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(written)), {
          deadlineSeconds: 10,
          waitSeconds: { token: 3_600 }
        })
        yield* Effect.gen(function* () {
          const caller = yield* makeCaller()
          const fiber = yield* Effect.fork(run(caller))
          yield* Deferred.await(asked)
          yield* TestClock.adjust("1 minute")
          const [stub] = (yield* list(caller)).data
          assert.strictEqual(stub?.status, "running")
          yield* Deferred.succeed(written, generated("At last."))
          assert.deepInclude(yield* Fiber.join(fiber), { status: "complete", ...generated("At last.") })
        }).pipe(Effect.provide(layer))
      })
  )

  it.effect("keeps a finished analysis when it is stopped while its summary is being written", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const scope = yield* Effect.scope
      const storage = yield* Layer.build(Storage.layerMemory)
      const layer = summarising(
        () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never),
        { graceSeconds: 0 },
        Layer.succeedContext(storage)
      )
      const caller = yield* makeCaller()
      yield* Effect.gen(function* () {
        yield* Effect.fork(run(caller))
        yield* Deferred.await(asked)
        // The grace is over at once, but it is a clock that says so.
        yield* Effect.forkIn(Effect.forever(Effect.zipRight(TestClock.adjust("1 second"), Effect.yieldNow())), scope)
      }).pipe(Effect.provide(layer))
      yield* Effect.gen(function* () {
        const [stub] = (yield* list(caller)).data
        assert.strictEqual(stub?.status, "complete")
        const { used } = yield* usage(caller)
        assert.strictEqual(used, 1)
        const executions = yield* Executions.Executions
        const id = stub?.execution_id ?? (yield* Id.make("exe"))
        assert.deepInclude(yield* executions.get(caller, id), skipped("timeout"))
      }).pipe(
        Effect.provide(
          Executions.layer().pipe(
            Layer.provideMerge(Quota.layer()),
            Layer.provide(ScriptedAnalyzer.layerConfirming),
            Layer.provide(Layer.succeedContext(storage))
          )
        )
      )
    }).pipe(Effect.scoped)
  )

  it.effect("compares with the previous one, or with the one that is named", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const first = yield* run(caller)
      const second = yield* run(caller)
      const third = yield* run(caller)
      assert.strictEqual(second.change_report?.base?.execution_id, first.execution_id)
      assert.strictEqual(third.change_report?.base?.execution_id, second.execution_id)
      assert.strictEqual(third.change_report?.status, "unchanged")
      const named = yield* run(caller, { compareTo: Option.some(first.execution_id) })
      assert.strictEqual(named.change_report?.base?.execution_id, first.execution_id)
      const executions = yield* Executions.Executions
      const again = yield* executions.changes(caller, third.execution_id, Option.none())
      assert.deepStrictEqual(again, third.change_report)
      const other = yield* executions.changes(caller, third.execution_id, Option.some(first.execution_id))
      assert.strictEqual(other.base?.execution_id, first.execution_id)
    }).pipe(Effect.provide(confirming))
  )

  it.effect("refuses a base that is not there, not the caller's or of another target, before anything is stored", () =>
    Effect.gen(function* () {
      const [caller, stranger] = [yield* makeCaller(), yield* makeCaller()]
      const theirs = yield* run(stranger)
      const mine = yield* run(caller, { address: Documents.address(8) })
      const absent = yield* Id.make("exe")
      for (const id of [absent, theirs.execution_id]) {
        const error = yield* Effect.flip(run(caller, { compareTo: Option.some(id) }))
        assertFailure(error, new Executions.ExecutionNotFound({ id }))
      }
      const error = yield* Effect.flip(run(caller, { compareTo: Option.some(mine.execution_id) }))
      assert.strictEqual(error._tag, "NotComparable")
      assert.strictEqual((yield* list(caller)).data.length, 1)
      assert.strictEqual((yield* usage(caller)).used, 1)
    }).pipe(Effect.provide(confirming))
  )

  it.effect("shows nothing of another key's executions", () =>
    Effect.gen(function* () {
      const [caller, stranger] = [yield* makeCaller(), yield* makeCaller()]
      const theirs = yield* run(stranger)
      const executions = yield* Executions.Executions
      const absent = new Executions.ExecutionNotFound({ id: theirs.execution_id })
      assertFailure(yield* Effect.flip(executions.get(caller, theirs.execution_id)), absent)
      assertFailure(yield* Effect.flip(executions.changes(caller, theirs.execution_id, Option.none())), absent)
      assert.deepStrictEqual((yield* list(caller)).data, [])
      assert.strictEqual((yield* run(caller)).change_report?.status, "baseline")
    }).pipe(Effect.provide(confirming))
  )

  it.effect("lists in pages by a cursor that only this list makes", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const results = yield* Effect.replicateEffect(run(caller), 5)
      const executions = yield* Executions.Executions
      const first = yield* executions.list(caller, everything, { limit: 3, cursor: Option.none() })
      const cursor = Option.fromNullable(first.next_cursor)
      const second = yield* executions.list(caller, everything, { limit: 3, cursor })
      assert.deepStrictEqual(
        [...first.data, ...second.data].map((stub) => stub.execution_id),
        results.map((result) => result.execution_id).reverse()
      )
      assert.isNull(second.next_cursor)
      for (const text of ["", "%%%", "aGVsbG8", results[0]?.execution_id ?? ""]) {
        const refused = executions.list(caller, everything, { limit: 3, cursor: Option.some(text) })
        assertFailure(yield* Effect.flip(refused), new Executions.BadCursor())
      }
    }).pipe(Effect.provide(confirming))
  )

  it.effect("of 200 at once against a quota of 50 exactly 50 are charged, and the refused leave nothing", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(50)
      const exits = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => Documents.address(index)),
        (address) => Effect.exit(run(caller, { address })),
        { concurrency: "unbounded" }
      )
      const charged = exits.filter(Exit.isSuccess)
      assert.strictEqual(charged.length, 50)
      assert.isTrue(charged.every((exit) => exit.value.units === 1))
      const refused = exits.flatMap((exit) =>
        Exit.isFailure(exit) ? Option.toArray(Cause.failureOption(exit.cause)) : []
      )
      assert.strictEqual(refused.filter((error) => error._tag === "QuotaExceeded").length, 150)
      const { remaining, reserved, used } = yield* usage(caller)
      assert.deepStrictEqual([used, reserved, remaining], [50, 0, 0])
      const page = yield* list(caller)
      assert.strictEqual(page.data.length, 50)
      assert.isTrue(page.data.every((stub) => stub.status === "complete"))
    }).pipe(Effect.provide(over(ScriptedAnalyzer.layerConfirming, { slotsPerKey: 1000 })))
  )

  it.effect("refuses a fourth one of a key while three run, stores and charges nothing for it", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const [caller, other] = [yield* makeCaller(), yield* makeCaller()]
        const fibers = yield* Effect.forEach([1, 2, 3], (index) =>
          Effect.fork(run(caller, { address: Documents.address(index) }))
        )
        yield* settled(Ref.get(started), (count) => count === 3)
        assertFailure(yield* Effect.flip(run(caller)), new Executions.ConcurrencyExceeded({ limit: 3 }))
        const beside = yield* Effect.fork(run(other))
        yield* settled(Ref.get(started), (count) => count === 4)
        assert.strictEqual((yield* usage(caller)).reserved, 3)
        yield* Deferred.succeed(gate, undefined)
        for (const fiber of [...fibers, beside]) assert.strictEqual((yield* Fiber.join(fiber)).status, "complete")
        assert.strictEqual((yield* list(caller)).data.length, 3)
        assert.strictEqual((yield* run(caller)).status, "complete")
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.effect("goes on and is charged when its caller is gone", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const fiber = yield* Effect.fork(run(caller))
        yield* settled(Ref.get(started), (count) => count === 1)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual((yield* usage(caller)).reserved, 1)
        assert.strictEqual((yield* list(caller)).data[0]?.status, "running")
        yield* Deferred.succeed(gate, undefined)
        yield* settled(list(caller), (page) => page.data[0]?.status === "complete")
        yield* settled(usage(caller), (count) => count.used === 1)
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.effect("stops and gives its unit back when its last caller is gone, where it is of no use to others", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const first = yield* Effect.fork(run(caller))
        yield* settled(Ref.get(started), (count) => count === 1)
        const second = yield* Effect.fork(run(caller))
        const third = yield* Effect.fork(run(caller))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(first)
        yield* Fiber.interrupt(third)
        assert.strictEqual((yield* list(caller)).data[0]?.status, "running", "the second one waits for it")
        yield* Fiber.interrupt(second)
        const [stub, ...more] = (yield* list(caller)).data
        assert.deepStrictEqual(more, [])
        assert.strictEqual(stub?.status, "failed")
        const { remaining, reserved } = yield* usage(caller)
        assert.deepStrictEqual({ remaining, reserved }, { remaining: 50, reserved: 0 })
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* run(caller)).units, 1, "nothing is left of it that another one would join")
      }).pipe(Effect.provide(over(analyzer, { abandoned: "stop" })))
    })
  )

  it.effect("is not stopped where its caller was promised to fetch it", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const told = yield* Effect.fork(Effect.flip(run(caller)))
        yield* settled(Ref.get(started), (count) => count === 1)
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual((yield* Fiber.join(told))._tag, "DeadlineExceeded")
        const later = yield* Effect.fork(run(caller))
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(later)
        assert.strictEqual((yield* list(caller)).data[0]?.status, "running")
        yield* Deferred.succeed(gate, undefined)
        yield* settled(list(caller), (page) => page.data[0]?.status === "complete")
      }).pipe(Effect.provide(over(analyzer, { abandoned: "stop" })))
    })
  )

  it.effect("refuses a caller who does not wait and has no unit", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(0)
      assert.strictEqual((yield* Effect.flip(run(caller, { waitSeconds: 0 })))._tag, "QuotaExceeded")
    }).pipe(Effect.provide(confirming))
  )

  it.effect("answers a caller who does not wait once its execution has a unit, and not by a clock", () =>
    Effect.gen(function* () {
      const { analyzer, gate } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const first = yield* Effect.flip(run(caller, { waitSeconds: 0 }))
        assert.deepInclude(first, { _tag: "DeadlineExceeded", units: 1 })
        yield* Deferred.succeed(gate, undefined)
      }).pipe(Effect.provide(over(analyzer, {})))
    })
  )

  it.effect("gives a stored result that is young enough for nothing, if it answers the same request", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const first = yield* run(caller)
      yield* TestClock.adjust("60 seconds")
      const kept = yield* run(caller, { maxAgeSeconds: 60 })
      assert.deepStrictEqual([kept.execution_id, kept.units], [first.execution_id, 0])
      const others = [
        yield* run(yield* makeCaller(), { maxAgeSeconds: 60 }),
        yield* run(caller, { maxAgeSeconds: 60, kind: "contract" }),
        yield* run(caller, { maxAgeSeconds: 60, compareTo: Option.some(first.execution_id) }),
        yield* run(caller, { summary: "not_requested" }),
        yield* run(caller, { maxAgeSeconds: 60 })
      ]
      for (const other of others)
        assert.deepStrictEqual([other.units, other.execution_id !== first.execution_id], [1, true])
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* run(caller, { maxAgeSeconds: 60 })).units, 1)
    }).pipe(Effect.provide(confirming))
  )

  it.effect("names the execution to fetch when the waiting time is over, and finishes it", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const fiber = yield* Effect.fork(Effect.flip(run(caller)))
        yield* settled(Ref.get(started), (count) => count === 1)
        yield* TestClock.adjust("60 seconds")
        const error = yield* Fiber.join(fiber)
        const stub = (yield* list(caller)).data[0]
        assert.deepStrictEqual([error._tag, stub?.status], ["DeadlineExceeded", "running"])
        assert.strictEqual(error._tag === "DeadlineExceeded" && error.execution_id, stub?.execution_id)
        yield* Deferred.succeed(gate, undefined)
        yield* settled(list(caller), (page) => page.data[0]?.status === "complete")
        yield* settled(usage(caller), (count) => count.used === 1)
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  const slowQuota = (seconds: number) =>
    Layer.effect(
      QuotaStore,
      Effect.map(QuotaStore, (store) => ({
        ...store,
        reserve: (request) => Effect.delay(store.reserve(request), `${seconds} seconds`)
      }))
    )

  const withSlowQuota = (analyzer: Layer.Layer<Analyzer.Analyzer>, seconds: number) =>
    Executions.layer().pipe(
      Layer.provideMerge(Layer.provide(Quota.layer(), slowQuota(seconds))),
      Layer.provideMerge(Layer.merge(Storage.layerMemory, analyzer))
    )

  it.effect("names no execution that has no unit when the waiting time is over, and gives the unit back", () =>
    Effect.gen(function* () {
      const { analyzer, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const first = yield* Effect.fork(Effect.flip(run(caller)))
        yield* settled(list(caller), (page) => page.data.length === 1)
        const second = yield* Effect.fork(Effect.flip(run(caller)))
        yield* TestClock.adjust("60 seconds")
        for (const fiber of [first, second]) {
          const error = yield* Fiber.join(fiber)
          assert.deepInclude({ ...error }, { _tag: "StorageError", reason: "unavailable" })
        }
        yield* TestClock.adjust("2 seconds")
        const { data } = yield* list(caller)
        assert.deepStrictEqual(
          data.map(({ status }) => status),
          ["failed"]
        )
        assert.strictEqual(yield* Ref.get(started), 0, "nothing was read for nobody")
        const { remaining, reserved, used } = yield* usage(caller)
        assert.deepStrictEqual([used, reserved, remaining], [0, 0, 50])
      }).pipe(Effect.provide(withSlowQuota(analyzer, 61)))
    })
  )

  it.effect("names no execution that is refused its unit after the waiting time, and leaves nothing of it", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(0)
      const fiber = yield* Effect.fork(Effect.flip(run(caller)))
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "StorageError")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* list(caller)).data, [])
    }).pipe(Effect.provide(withSlowQuota(ScriptedAnalyzer.layerConfirming, 61)))
  )

  it.effect("tries itself where what it joined was refused its unit", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller(0)
        const first = yield* Effect.fork(Effect.flip(run(caller)))
        yield* settled(list(caller), (page) => page.data.length === 1)
        const second = yield* Effect.fork(run({ ...caller, dailyQuota: 1 }))
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(first))._tag, "QuotaExceeded")
        yield* TestClock.adjust("6 seconds")
        yield* settled(Ref.get(started), (count) => count === 1)
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* Fiber.join(second)).units, 1)
        assert.strictEqual((yield* list(caller)).data.length, 1)
      }).pipe(Effect.provide(withSlowQuota(analyzer, 5)))
    })
  )

  it.effect("fails past the deadline and gives the unit back, also where the analysis cannot be interrupted", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const fiber = yield* Effect.fork(Effect.flip(run(caller)))
      yield* settled(usage(caller), (count) => count.reserved === 1)
      yield* TestClock.adjust("180 seconds")
      const error = yield* Fiber.join(fiber)
      assert.strictEqual(error._tag === "ExecutionFailed" && error.failure.code, "deadline_exceeded")
      const stub = (yield* list(caller)).data[0]
      assert.deepStrictEqual([stub?.status, stub?.completed_at], ["failed", "1970-01-01T00:03:00.000Z"])
      const { remaining, reserved, used } = yield* usage(caller)
      assert.deepStrictEqual([used, reserved, remaining], [0, 0, 50])
    }).pipe(
      Effect.provide(
        over(
          ScriptedAnalyzer.layer(() => Effect.uninterruptible(Effect.never)),
          { waitSeconds: { token: 1000 } }
        )
      )
    )
  )

  for (const [code, failure] of [
    ["target_mismatch", mismatch],
    ["upstream_unavailable", new UpstreamUnavailable({ sources_failed: [{ name: "rpc", reason: "rpc_error" }] })]
  ] as const)
    it.effect(`stores ${code} as a failure, gives the unit back and reports it to the caller`, () =>
      Effect.gen(function* () {
        const caller = yield* makeCaller()
        assertFailure(yield* Effect.flip(run(caller)), failure)
        const executions = yield* Executions.Executions
        const stub = (yield* list(caller)).data[0]
        if (stub === undefined) return assert.fail("nothing was stored")
        const stored = yield* executions.get(caller, stub.execution_id)
        assert.deepStrictEqual(
          [stored.status, stored.error?.code, stored.evidence, stored.facts.risk, stored.units],
          ["failed", code, [], null, 0]
        )
        const { remaining, reserved, used } = yield* usage(caller)
        assert.deepStrictEqual([used, reserved, remaining], [0, 0, 50])
        const refused = yield* Effect.flip(executions.changes(caller, stub.execution_id, Option.none()))
        assert.strictEqual(refused._tag, "NotComparable")
      }).pipe(Effect.provide(over(ScriptedAnalyzer.layer(() => failure))))
    )

  it.effect("stores a defect as an internal error that says nothing of it, and gives the unit back", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const error = yield* Effect.flip(run(caller))
      assert.strictEqual(error._tag === "ExecutionFailed" && error.failure.code, "internal_error")
      assert.notInclude(JSON.stringify(error), "secret")
      assert.strictEqual((yield* list(caller)).data[0]?.status, "failed")
      assert.strictEqual((yield* usage(caller)).remaining, 50)
    }).pipe(Effect.provide(over(ScriptedAnalyzer.layer(() => Effect.dieMessage("secret")))))
  )

  it.effect("keeps its lease while it runs, and gives up when another has ended it", () =>
    Effect.gen(function* () {
      const { analyzer, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const store = yield* ExecutionStore
        const fiber = yield* Effect.fork(Effect.flip(run(caller, { kind: "wallet" })))
        yield* settled(Ref.get(started), (count) => count === 1)
        yield* TestClock.adjust("100 seconds")
        // Renewed at 90 s until 210 s.
        assert.deepStrictEqual(yield* store.expireLeases(209_999, 10), [])
        assert.strictEqual((yield* store.expireLeases(210_000, 10)).length, 1)
        yield* TestClock.adjust("20 seconds")
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(error._tag === "ExecutionFailed" && error.failure.code, "lease_lost")
        assert.strictEqual((yield* usage(caller)).remaining, 50)
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.effect("changes nothing as a late worker: what the reaper failed stays failed and free", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const caller = yield* makeCaller()
        const fiber = yield* Effect.fork(Effect.flip(run(caller)))
        yield* settled(Ref.get(started), (count) => count === 1)
        const store = yield* ExecutionStore
        assert.strictEqual((yield* store.expireLeases(1_000_000, 10)).length, 1)
        yield* Deferred.succeed(gate, undefined)
        const error = yield* Fiber.join(fiber)
        assert.strictEqual(error._tag === "ExecutionFailed" && error.failure.code, "lease_lost")
        assert.strictEqual((yield* list(caller)).data[0]?.status, "failed")
        const { remaining, reserved, used } = yield* usage(caller)
        assert.deepStrictEqual([used, reserved, remaining], [0, 0, 50])
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.effect("waits for what runs when it is closed, and starts nothing new", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      const storage = yield* Layer.build(Quota.layer().pipe(Layer.provideMerge(Storage.layerMemory)))
      const caller = yield* makeCaller()
      const scope = yield* Effect.scope
      const built = yield* Deferred.make<Context.Context<Executions.Executions>>()
      const closing = yield* Effect.fork(
        Effect.scoped(
          Effect.gen(function* () {
            const context = yield* Layer.build(
              Executions.layer().pipe(Layer.provide([analyzer, Layer.succeedContext(storage)]))
            )
            yield* Deferred.succeed(built, context)
            const running = yield* Effect.forkIn(Effect.provide(run(caller), context), scope)
            yield* settled(Ref.get(started), (count) => count === 1)
            return { context, running }
          })
        )
      )
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      const late = Effect.provide(run(caller), yield* Deferred.await(built))
      assertFailure(yield* Effect.flip(late), new Executions.Draining())
      assert.strictEqual(yield* Ref.get(started), 1)
      yield* Deferred.succeed(gate, undefined)
      const { context, running } = yield* Fiber.join(closing)
      assert.strictEqual((yield* Fiber.join(running)).status, "complete")
      assertFailure(yield* Effect.flip(Effect.provide(run(caller), context)), new Executions.Draining())
      assert.strictEqual((yield* Effect.provide(usage(caller), storage)).used, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("fails and gives back what still runs when the time for closing is over", () =>
    Effect.gen(function* () {
      const { analyzer, started } = yield* gated
      const storage = yield* Layer.build(Quota.layer().pipe(Layer.provideMerge(Storage.layerMemory)))
      const caller = yield* makeCaller()
      const scope = yield* Effect.scope
      const closing = yield* Effect.fork(
        Effect.scoped(
          Effect.gen(function* () {
            const context = yield* Layer.build(
              Executions.layer().pipe(Layer.provide([analyzer, Layer.succeedContext(storage)]))
            )
            const running = yield* Effect.forkIn(Effect.flip(Effect.provide(run(caller), context)), scope)
            yield* settled(Ref.get(started), (count) => count === 1)
            return running
          })
        )
      )
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      yield* TestClock.adjust("10 seconds")
      const running = yield* Fiber.join(closing)
      assertFailure(yield* Fiber.join(running), new Executions.Draining())
      const store = yield* Effect.provide(ExecutionStore, storage)
      const stub = (yield* store.list(caller.id, everything, { limit: 9, before: Option.none() })).data[0]
      assert.strictEqual(stub?.status, "failed")
      assert.strictEqual((yield* Effect.provide(usage(caller), storage)).remaining, 50)
    }).pipe(Effect.scoped)
  )

  it.effect("can be stopped also where its caller cannot be interrupted", () =>
    Effect.gen(function* () {
      const { analyzer, started } = yield* gated
      const caller = yield* makeCaller()
      const scope = yield* Effect.scope
      const closing = yield* Effect.fork(
        Effect.scoped(
          Effect.gen(function* () {
            const context = yield* Layer.build(over(analyzer))
            yield* Effect.forkIn(Effect.uninterruptible(Effect.provide(Effect.flip(run(caller)), context)), scope)
            yield* settled(Ref.get(started), (count) => count === 1)
          })
        )
      )
      yield* Effect.repeatN(Effect.yieldNow(), 200)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(closing)))
      yield* TestClock.adjust("60 seconds")
    }).pipe(Effect.scoped)
  )

  it.effect("gives a unit back at once where it is not sure that one was set aside", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const faults = yield* StorageFault.StorageFault
      yield* faults.arm(Option.some({ call: 2, kind: "fails", moment: "after" }))
      assert.strictEqual((yield* Effect.flip(run(caller)))._tag, "StorageError")
      assert.deepStrictEqual((yield* list(caller)).data, [])
      assert.strictEqual((yield* usage(caller)).remaining, 50)
    }).pipe(Effect.provide(breakable))
  )

  it.effect("stores a failure and gives the unit back at once where a result cannot be stored", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const store = yield* ExecutionStore
      let attempts = 0
      const full = ExecutionStore.of({
        ...store,
        complete: () =>
          Effect.suspend(() => {
            attempts++
            return new StorageError({ reason: "unavailable", operation: "ExecutionStore.complete", detail: "" })
          })
      })
      const layer = Executions.layer().pipe(Layer.provide(Layer.succeed(ExecutionStore, full)))
      const fiber = yield* Effect.fork(Effect.flip(Effect.provide(run(caller), layer)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "StorageError")
      assert.strictEqual(attempts, 4, "it was asked patiently")
      assert.strictEqual((yield* list(caller)).data[0]?.status, "failed")
      assert.strictEqual((yield* usage(caller)).remaining, 50)
    }).pipe(Effect.provide(confirming))
  )

  it.effect("runs identical ones of a key once while they overlap: each has the result, and one is charged", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      yield* Effect.gen(function* () {
        const [caller, other] = [yield* makeCaller(), yield* makeCaller()]
        const fibers = yield* Effect.replicateEffect(Effect.fork(run(caller)), 20)
        yield* settled(Ref.get(started), (count) => count === 1)
        const beside = yield* Effect.fork(run(other))
        yield* settled(Ref.get(started), (count) => count === 2)
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust("1 second")
        const results = yield* Effect.forEach(fibers, Fiber.join)
        const [stub, ...more] = (yield* list(caller)).data
        assert.deepStrictEqual(more, [])
        for (const { content_hash, execution_id } of results)
          assert.deepStrictEqual([execution_id, content_hash], [stub?.execution_id, stub?.content_hash])
        assert.strictEqual(
          results.reduce((sum, { units }) => sum + units, 0),
          1
        )
        assert.strictEqual((yield* usage(caller)).used, 1)
        assert.notStrictEqual((yield* Fiber.join(beside)).execution_id, stub?.execution_id)
        // What has ended is not joined.
        assert.strictEqual((yield* run(caller)).units, 1)
      }).pipe(Effect.provide(over(analyzer)))
    })
  )

  it.effect("takes for identical what one answer satisfies: not another kind, address, chain, summary or base", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      const storage = Layer.succeedContext(yield* Layer.build(Storage.layerMemory))
      const process = (read: Layer.Layer<Analyzer.Analyzer>) =>
        Executions.layer({ slotsPerKey: 10 }).pipe(Layer.provide(Quota.layer()), Layer.provide([read, storage]))
      const caller = yield* makeCaller()
      const base = yield* Effect.provide(run(caller), process(ScriptedAnalyzer.layerConfirming))
      const wishes: ReadonlyArray<Partial<Executions.RunRequest>> = [
        {},
        { kind: "contract" },
        { address: Documents.address(8) },
        { chain: { ...chain, id: 8453 } },
        { summary: "not_requested" },
        { compareTo: Option.some(base.execution_id) }
      ]
      yield* Effect.gen(function* () {
        const fibers = yield* Effect.forEach(wishes, (wish) => Effect.fork(run(caller, wish)))
        yield* settled(Ref.get(started), (count) => count === wishes.length)
        yield* Deferred.succeed(gate, undefined)
        for (const fiber of fibers) assert.strictEqual((yield* Fiber.join(fiber)).units, 1)
      }).pipe(Effect.provide(process(analyzer)))
    }).pipe(Effect.scoped)
  )

  it.effect("joins an identical one of another process, and names it when the waiting time is over", () =>
    Effect.gen(function* () {
      const { analyzer, gate, started } = yield* gated
      const storage = Layer.succeedContext(yield* Layer.build(Storage.layerMemory))
      const process = Layer.fresh(Executions.layer()).pipe(
        Layer.provideMerge(Layer.fresh(Quota.layer())),
        Layer.provide([analyzer, storage])
      )
      const [here, there] = [yield* Layer.build(process), yield* Layer.build(process)]
      const caller = yield* makeCaller()
      const owner = yield* Effect.fork(Effect.flip(Effect.provide(run(caller), there)))
      yield* settled(Ref.get(started), (count) => count === 1)
      yield* TestClock.adjust("59 seconds")
      const early = yield* Effect.fork(Effect.flip(Effect.provide(run(caller), here)))
      yield* TestClock.adjust("59 seconds")
      yield* Fiber.join(owner)
      const [stub] = (yield* Effect.provide(list(caller), here)).data
      assert.strictEqual(stub?.status, "running")
      const joined = yield* Effect.fork(Effect.provide(run(caller), here))
      yield* TestClock.adjust("1 second")
      const error = yield* Fiber.join(early)
      assert.strictEqual(error._tag === "DeadlineExceeded" && error.execution_id, stub?.execution_id)
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 second")
      const { execution_id, status, units } = yield* Fiber.join(joined)
      assert.deepStrictEqual([execution_id, status, units], [stub?.execution_id, "complete", 0])
      assert.strictEqual(yield* Ref.get(started), 1)
      assert.strictEqual((yield* Effect.provide(usage(caller), here)).used, 1)
    }).pipe(Effect.scoped)
  )

  /** An execution that lost its process after it was begun. */
  const leftBehind = Effect.fnUntraced(function* (caller: Caller) {
    const store = yield* ExecutionStore
    const id = yield* Id.make("exe")
    const { address, kind } = request(caller)
    yield* store.begin({
      id,
      keyId: caller.id,
      joinKey: AnalysisRun.joinKey(request(caller)),
      slots: 3,
      lease: { token: "nobody's", until: 120_000 },
      running: Documents.running(id, { kind, address, chain: { id: 1, name: "ethereum" } }, 0),
      watchId: Option.none()
    })
    return id
  })

  it.effect("takes over where the process of what it joined did not come back", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const dead = yield* leftBehind(caller)
      yield* TestClock.adjust("90 seconds")
      const fiber = yield* Effect.fork(run(caller))
      yield* TestClock.adjust("45 seconds")
      yield* Reaper.sweep()
      yield* TestClock.adjust("1 second")
      const { execution_id, status, units } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([status, units], ["complete", 1])
      const { data } = yield* list(caller)
      assert.deepStrictEqual(
        data.map((stub) => [stub.execution_id, stub.status]),
        [
          [execution_id, "complete"],
          [dead, "failed"]
        ]
      )
      assert.strictEqual((yield* usage(caller)).used, 1)
    }).pipe(Effect.provide(confirming))
  )

  it.effect("stays with what it named when the waiting time was over, whatever becomes of that", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const dead = yield* leftBehind(caller)
      const fiber = yield* Effect.fork(Effect.flip(run(caller)))
      yield* TestClock.adjust("60 seconds")
      assertFailure(yield* Fiber.join(fiber), new Executions.DeadlineExceeded({ execution_id: dead, units: 0 }))
      yield* TestClock.adjust("75 seconds")
      yield* Reaper.sweep()
      yield* TestClock.adjust("2 seconds")
      const executions = yield* Executions.Executions
      const { error, status } = yield* executions.get(caller, dead)
      assert.deepStrictEqual([status, error?.code], ["failed", "lease_lost"])
      assert.deepStrictEqual([(yield* list(caller)).data.length, (yield* usage(caller)).used], [1, 0])
    }).pipe(Effect.provide(confirming))
  )

  it.effect("is not stopped by an earlier result that can no longer be read", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const store = yield* ExecutionStore
      const corrupt = ExecutionStore.of({
        ...store,
        previous: () => new StorageError({ reason: "corrupt", operation: "ExecutionStore.previous", detail: "" })
      })
      const layer = Executions.layer().pipe(Layer.provide(Layer.succeed(ExecutionStore, corrupt)))
      const result = yield* Effect.provide(run(caller), layer)
      assert.deepStrictEqual(
        [result.status, result.change_report?.status, result.change_report?.reason],
        ["complete", "incomparable", "base_failed"]
      )
    }).pipe(Effect.provide(confirming))
  )
})

/** Every execution has ended, and its unit as it did. */
const assertConsistent = (caller: Caller) =>
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const quota = yield* QuotaStore
    const page = yield* executions.list(caller.id, everything, { limit: 100, before: Option.none() })
    const count = yield* quota.count(caller.id, "1970-01-01")
    assert.deepStrictEqual(
      page.data.map((stub) => stub.status).filter((status) => status === "running"),
      [],
      "nothing runs for ever"
    )
    assert.strictEqual(count.reserved, 0, "no unit stays set aside")
    assert.strictEqual(
      count.used,
      page.data.filter((stub) => stub.status === "complete").length,
      "results are paid for"
    )
    return page.data
  })

// Each test has a clock of its own, and a step of a clock waits for timers: tests at once wait for the same ones.
describe("Executions over stores that break", { concurrent: true }, () => {
  const outcomes = {
    "that succeeds": ScriptedAnalyzer.layerConfirming,
    "that fails": ScriptedAnalyzer.layer(() => mismatch),
    "that outlives a heartbeat": ScriptedAnalyzer.layer((target) =>
      Effect.delay(
        Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze(target)).pipe(
          Effect.provide(ScriptedAnalyzer.layerConfirming)
        ),
        "40 seconds"
      )
    )
  }
  for (const [name, analyzer] of Object.entries(outcomes))
    for (const quota of [50, 0])
      it.effect(`a run ${name}, with a quota of ${quota}, is consistent within 150 s whatever store call breaks`, () =>
        Effect.gen(function* () {
          const broken = (fault: Option.Option<StorageFault.Fault>) =>
            Effect.gen(function* () {
              const caller = yield* makeCaller(quota)
              const storage = yield* Layer.build(Layer.fresh(Storage.layerMemory))
              const process = yield* Layer.build(
                Executions.layer().pipe(
                  Layer.provideMerge(Quota.layer()),
                  Layer.provideMerge(StorageFault.layer),
                  Layer.provide([analyzer, Layer.succeedContext(storage)])
                )
              )
              const fault_ = yield* Effect.provide(StorageFault.StorageFault, process)
              yield* fault_.arm(fault)
              const fiber = yield* Effect.fork(Effect.exit(Effect.provide(run(caller), process)))
              yield* TestClock.adjust("1 second")
              yield* TestClock.adjust("49 seconds")
              const exit = yield* Fiber.join(fiber)
              const calls = yield* fault_.calls
              const reapers = yield* Effect.replicateEffect(
                Layer.build(
                  Layer.fresh(Reaper.layer({ noticeSeconds: 15 })).pipe(Layer.provide(Layer.succeedContext(storage)))
                ),
                2
              )
              assert.strictEqual(reapers.length, 2)
              yield* TestClock.adjust("135 seconds")
              const stored = yield* Effect.provide(assertConsistent(caller), storage)
              assert.isAtMost(stored.length, 1)
              if (Exit.isSuccess(exit)) assert.strictEqual(stored[0]?.status, "complete", "what was answered is kept")
              return { calls, exit, stored }
            }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext))

          const whole = yield* broken(Option.none())
          assert.strictEqual(Exit.isSuccess(whole.exit), quota > 0 && name !== "that fails")
          assert.isAtLeast(whole.calls, 3)
          // Each has a clock of its own, and a step of a clock waits for timers: many at once wait for the same ones.
          yield* Effect.forEach(
            Draw.portion(StorageFault.each(whole.calls)),
            (fault) =>
              Effect.map(broken(Option.some(fault)), ({ exit }) => {
                // The last call settles the unit: the reaper does that too, so its failure is nobody's concern.
                if (fault.kind === "crashes") assert.isTrue(Exit.isFailure(exit), JSON.stringify(fault))
              }),
            { concurrency: 16, discard: true }
          )
        })
      )
})

describe("Reaper", () => {
  it.effect("leaves alone what is alive, and reaches what lies behind more living ones than one page holds", () =>
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const quota = yield* QuotaStore
      const caller = yield* makeCaller()
      const begin = (index: number, until: number) =>
        Effect.gen(function* () {
          const id = yield* Id.make("exe")
          yield* executions.begin({
            id,
            keyId: caller.id,
            joinKey: id,
            slots: 1000,
            lease: { token: id, until },
            running: Documents.running(id, Documents.token(7), index)
          })
          yield* quota.reserve({
            id,
            keyId: caller.id,
            kind: "token",
            buckets: [{ name: "deployment", limit: 1000 }],
            now: index
          })
          return id
        })
      yield* Effect.forEach(Array.from({ length: 250 }), (_, index) => begin(index, 10_000_000))
      const dead = yield* begin(999, 1000)
      const orphan = yield* Id.make("exe")
      yield* quota.reserve({ id: orphan, keyId: caller.id, kind: "token", buckets: [], now: 999 })
      yield* TestClock.adjust("150 seconds")
      yield* Reaper.sweep()
      assert.deepStrictEqual(yield* executions.status(dead), Option.some("failed" as const))
      const count = yield* quota.count(caller.id, "1970-01-01")
      assert.deepStrictEqual([count.reserved, count.used], [250, 0])
    }).pipe(Effect.provide(Storage.layerMemory))
  )

  it.effect("gives the unit of an expired execution back at once, however young its reservation is", () =>
    Effect.gen(function* () {
      const executions = yield* ExecutionStore
      const quota = yield* QuotaStore
      const caller = yield* makeCaller()
      const id = yield* Id.make("exe")
      yield* executions.begin({
        id,
        keyId: caller.id,
        joinKey: id,
        slots: 1,
        lease: { token: id, until: 120_000 },
        running: Documents.running(id, Documents.token(7), 0)
      })
      yield* quota.reserve({ id, keyId: caller.id, kind: "token", buckets: [], now: 119_999 })
      yield* TestClock.adjust("120 seconds")
      yield* Reaper.sweep()
      assert.strictEqual((yield* quota.count(caller.id, "1970-01-01")).reserved, 0)
    }).pipe(Effect.provide(Storage.layerMemory))
  )

  it.effect("looks at its start, and again every 15 seconds although the store was away", () =>
    Effect.gen(function* () {
      const fault = yield* StorageFault.StorageFault
      const executions = yield* ExecutionStore
      const id = yield* Id.make("exe")
      const caller = yield* makeCaller()
      yield* executions.begin({
        id,
        keyId: caller.id,
        joinKey: id,
        slots: 1,
        lease: { token: id, until: 0 },
        running: Documents.running(id, Documents.token(7), 0)
      })
      yield* fault.arm(Option.some({ call: 1, kind: "fails", moment: "before" }))
      yield* Layer.build(Reaper.layer({ noticeSeconds: 100 }))
      yield* TestClock.adjust("14 seconds")
      // Beside the call that fails, what runs and the units of what ended are read for processes that are gone.
      assert.strictEqual(yield* fault.calls, 3)
      assert.deepStrictEqual(yield* executions.status(id), Option.some("running" as const))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* executions.status(id), Option.some("failed" as const))
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(StorageFault.layer, Storage.layerMemory)))
  )
})
