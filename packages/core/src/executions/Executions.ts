import { Clock, Context, Duration, Effect, Exit, Fiber, FiberSet, Layer, Option, Ref } from "effect"
import { Analyzer, type TargetMismatch, type UpstreamUnavailable } from "../analysis/Analyzer.js"
import type { Chain } from "../chain/Chains.js"
import * as Changes from "../changes/Changes.js"
import type { Address } from "../domain/Address.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import * as Cursor from "../domain/Cursor.js"
import type { ExecutionStub } from "../domain/Execution.js"
import * as Id from "../domain/Id.js"
import { ExecutionId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Target, TargetKind } from "../domain/Target.js"
import type { Quota, QuotaExceeded } from "../quota/Quota.js"
import * as Scoring from "../risk/Scoring.js"
import { type ExecutionFilter, ExecutionStore, type StoredExecution } from "../storage/ExecutionStore.js"
import * as LeaseToken from "../storage/LeaseToken.js"
import { patiently } from "../storage/Patience.js"
import type { StorageError } from "../storage/StorageError.js"
import { layerDisabled, type Summarizer } from "../summary/Summarizer.js"
import * as CheckRun from "./CheckRun.js"
import {
  ConcurrencyExceeded,
  DeadlineExceeded,
  Draining,
  ExecutionFailed,
  ExecutionNotFound,
  NotComparable
} from "./ExecutionError.js"
import * as MeteredRun from "./MeteredRun.js"
import * as ResultDocument from "./ResultDocument.js"

export { BadCursor } from "../domain/Cursor.js"
export type { CheckRequest } from "./CheckRun.js"
export {
  ConcurrencyExceeded,
  DeadlineExceeded,
  Draining,
  ExecutionFailed,
  ExecutionNotFound,
  NotComparable
} from "./ExecutionError.js"
export type { SummaryWish } from "./MeteredRun.js"

/**
 * An analysis that a caller asks for. `compareTo` is the execution to compare with; the previous one where none is named.
 *
 * @since 0.1.0
 * @category models
 */
export interface RunRequest {
  readonly caller: Caller
  readonly kind: TargetKind
  readonly address: Address
  readonly chain: Chain
  readonly summary: MeteredRun.SummaryWish
  readonly compareTo: Option.Option<ExecutionId>
}

/**
 * Why no result came of a request.
 *
 * @since 0.1.0
 * @category errors
 */
export type RunError =
  | QuotaExceeded
  | ConcurrencyExceeded
  | DeadlineExceeded
  | Draining
  | ExecutionFailed
  | ExecutionNotFound
  | NotComparable
  | StorageError
  | TargetMismatch
  | UpstreamUnavailable

/**
 * Why no result came of a check.
 *
 * @since 0.1.0
 * @category errors
 */
export type CheckError =
  | QuotaExceeded
  | Draining
  | ExecutionFailed
  | StorageError
  | TargetMismatch
  | UpstreamUnavailable

/**
 * A part of a list of executions; `cursor` is the `next_cursor` of the page before.
 *
 * @since 0.1.0
 * @category models
 */
export interface ListRequest {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

/**
 * The metered use-case: begin, reserve, analyse, compare, store, settle. A unit that was reserved is committed with a
 * stored result or released, exactly once, also when the process dies in between (`Reaper`).
 *
 * @since 0.1.0
 * @category services
 */
export class Executions extends Context.Tag("@assay/core/Executions")<
  Executions,
  {
    /**
     * Runs an analysis to its stored result; `units` of it is what it cost. The run goes on when the caller stops
     * waiting; `DeadlineExceeded` then names the execution to fetch.
     */
    readonly run: (request: RunRequest) => Effect.Effect<AnalysisResult, RunError>
    /**
     * Runs a check to its stored result, without a summary and beside the slots of its key. An id that is stored already
     * is answered and not run again. Unlike `run` it stops, and gives its unit back, when its caller is interrupted.
     */
    readonly check: (request: CheckRun.CheckRequest) => Effect.Effect<AnalysisResult, CheckError>
    readonly get: (caller: Caller, id: ExecutionId) => Effect.Effect<AnalysisResult, ExecutionNotFound | StorageError>
    readonly list: (
      caller: Caller,
      filter: ExecutionFilter,
      page: ListRequest
    ) => Effect.Effect<Page<ExecutionStub>, Cursor.BadCursor | StorageError>
    /** Compares a stored execution with an earlier one of the same target; the previous one where none is named. */
    readonly changes: (
      caller: Caller,
      id: ExecutionId,
      base: Option.Option<ExecutionId>
    ) => Effect.Effect<ChangeReport, ExecutionNotFound | NotComparable | StorageError>
  }
>() {}

/**
 * How executions are bounded; times in seconds.
 *
 * - `slotsPerKey`: how many of a key run at once, 3.
 * - `waitSeconds`: how long a caller waits, 60 for a token, 120 for a wallet or contract. It ends the wait, not the run.
 * - `deadlineSeconds`: how long an analysis may take, 180; then it failed and its unit is given back.
 * - `leaseSeconds`, `heartbeatSeconds`: how long a silent worker is believed alive, 120, and how often it speaks, 30.
 * - `graceSeconds`: how long running analyses may go on when the layer is closed, 10.
 * - `rereadSeconds`: how long a check waits for the chain to move, to see a grave change twice, 30.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly slotsPerKey?: number | undefined
  readonly waitSeconds?: { readonly [K in TargetKind]?: number | undefined } | undefined
  readonly deadlineSeconds?: number | undefined
  readonly leaseSeconds?: number | undefined
  readonly heartbeatSeconds?: number | undefined
  readonly graceSeconds?: number | undefined
  readonly rereadSeconds?: number | undefined
}

/**
 * What holds where an option is not given.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults = {
  slotsPerKey: 3,
  waitSeconds: { token: 60, wallet: 120, contract: 120 },
  deadlineSeconds: 180,
  leaseSeconds: 120,
  heartbeatSeconds: 30,
  graceSeconds: 10,
  rereadSeconds: 30
} as const

/**
 * Executions that run in this process, without summaries. Closing the layer refuses new ones, lets the running ones finish
 * for a while, and then fails what is left and gives its units back.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Executions, never, Analyzer | ExecutionStore | Quota> =>
  Layer.provide(layerSummarising(options), layerDisabled)

/**
 * As `layer`, with the summaries that are wished for. A result waits for its summary before it is stored, for as long as
 * the summariser's timeout at most, and is stored whatever becomes of it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSummarising = (
  options: Options = {}
): Layer.Layer<Executions, never, Analyzer | ExecutionStore | Quota | Summarizer> =>
  Layer.scoped(Executions, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer
    const store = yield* ExecutionStore
    const slots = options.slotsPerKey ?? defaults.slotsPerKey
    const waitOf = (kind: TargetKind) => Duration.seconds(options.waitSeconds?.[kind] ?? defaults.waitSeconds[kind])
    const execute = yield* MeteredRun.make({
      deadlineSeconds: options.deadlineSeconds ?? defaults.deadlineSeconds,
      leaseSeconds: options.leaseSeconds ?? defaults.leaseSeconds,
      heartbeatSeconds: options.heartbeatSeconds ?? defaults.heartbeatSeconds
    })
    const produceCheck = yield* CheckRun.make({ rereadSeconds: options.rereadSeconds ?? defaults.rereadSeconds })

    const runs = yield* FiberSet.make<AnalysisResult, RunError>()
    const checks = yield* FiberSet.make<AnalysisResult, CheckError>()
    const draining = yield* Ref.make(false)
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Ref.set(draining, true),
        Effect.all([FiberSet.awaitEmpty(runs), FiberSet.awaitEmpty(checks)]).pipe(
          Effect.interruptible,
          Effect.timeoutOption(Duration.seconds(options.graceSeconds ?? defaults.graceSeconds))
        )
      )
    )

    const compare = (base: Option.Option<StoredExecution>, head: AnalysisResult): Changes.Comparison =>
      Changes.compare({ base, head, score: Scoring.score, rules: analyzer.rules })

    const find = Effect.fnUntraced(function* (caller: Caller, id: ExecutionId) {
      const found = yield* store.find(caller.id, id)
      return Option.isSome(found) ? found.value : yield* new ExecutionNotFound({ id })
    })

    const findBase = Effect.fnUntraced(function* (caller: Caller, id: ExecutionId, target: Target) {
      const base = yield* find(caller, id)
      if (!isSameTarget(base.result, target))
        return yield* new NotComparable({ detail: `${id} is of another kind, chain or address.` })
      if (!hasResult(base.result)) return yield* new NotComparable({ detail: `${id} has no result to compare with.` })
      return base
    })

    const withPrevious = (caller: Caller, result: AnalysisResult) =>
      patiently(store.previous(caller.id, targetOf({ ...result, kind: result.target }), result.execution_id)).pipe(
        Effect.map((base) => compare(base, result)),
        // An earlier result that can no longer be read must not fail every later analysis of its target.
        Effect.catchIf(
          (error) => error.reason === "corrupt",
          (error) =>
            Effect.as(
              Effect.logError("The previous execution cannot be read", error),
              Changes.incomparable(result, "base_failed")
            )
        )
      )

    const produce = Effect.fnUntraced(function* (
      request: RunRequest,
      named: Option.Option<StoredExecution>,
      running: AnalysisResult
    ) {
      const { address, chain, kind } = request
      const earlier = Option.isSome(named)
        ? named
        : yield* Effect.orElseSucceed(
            store.previous(request.caller.id, targetOf(request), running.execution_id),
            // What cannot be read now is read again, and patiently, to compare with.
            Option.none<StoredExecution>
          )
      const analysis = yield* analyzer.analyze({ kind, address, chain, earlier: CheckRun.earlierOf(earlier) })
      const completedAt = yield* Clock.currentTimeMillis
      const result = ResultDocument.completed(running, { analysis, completedAt })
      const comparison = Option.isSome(named) ? compare(named, result) : yield* withPrevious(request.caller, result)
      return MeteredRun.produced(result, comparison)
    })

    /** Waits for the end of an execution that runs elsewhere, perhaps in another process. */
    const ended = (caller: Caller, id: ExecutionId) =>
      find(caller, id).pipe(
        Effect.tap(({ result }) => (result.status === "running" ? Effect.sleep(Duration.seconds(1)) : Effect.void)),
        Effect.repeat({ while: ({ result }) => result.status === "running" }),
        Effect.flatMap(({ result }) =>
          result.error === null
            ? Effect.succeed(result)
            : new ExecutionFailed({ execution_id: id, failure: result.error })
        )
      )

    const execution = (
      request: RunRequest,
      named: Option.Option<StoredExecution>,
      id: ExecutionId,
      shown: Ref.Ref<ExecutionId>
    ): Effect.Effect<AnalysisResult, RunError> =>
      Effect.gen(function* () {
        const outcome = yield* execute({
          id,
          token: yield* LeaseToken.make,
          caller: request.caller,
          target: targetOf(request),
          unit: request.kind,
          slots,
          watchId: Option.none(),
          summary: request.summary,
          produce: (running) => produce(request, named, running)
        })
        switch (outcome._tag) {
          case "Stored":
            return outcome.result
          case "Joined": {
            yield* Ref.set(shown, outcome.id)
            // Awaited, and free.
            return { ...(yield* ended(request.caller, outcome.id)), units: 0 }
          }
          case "Busy":
            return yield* new ConcurrencyExceeded({ limit: slots })
        }
      })

    const check = (request: CheckRun.CheckRequest): Effect.Effect<AnalysisResult, CheckError> =>
      Effect.gen(function* () {
        const stored = yield* store.find(request.caller.id, request.id)
        if (Option.isNone(stored)) {
          const outcome = yield* execute({
            id: request.id,
            token: request.token,
            caller: request.caller,
            target: targetOf(request),
            unit: "watch",
            slots,
            watchId: Option.some(request.watchId),
            summary: "scheduled_check",
            produce: (running) => produceCheck(request, running)
          })
          if (outcome._tag === "Stored") return outcome.result
        }
        return yield* Effect.catchTag(ended(request.caller, request.id), "ExecutionNotFound", Effect.die)
      })

    return {
      run: Effect.fn("Executions.run")(function* (request: RunRequest) {
        if (yield* Ref.get(draining)) return yield* new Draining()
        const named = yield* Effect.transposeMapOption(request.compareTo, (id) =>
          findBase(request.caller, id, targetOf(request))
        )
        const id = yield* Id.make("exe")
        const shown = yield* Ref.make<ExecutionId>(id)
        const fiber = yield* FiberSet.run(runs, Effect.interruptible(execution(request, named, id, shown)))
        const exit = yield* Effect.timeoutOption(Fiber.await(fiber), waitOf(request.kind))
        if (Option.isNone(exit)) return yield* new DeadlineExceeded({ execution_id: yield* Ref.get(shown) })
        return Exit.isInterrupted(exit.value) ? yield* new Draining() : yield* exit.value
      }),
      check: Effect.fn("Executions.check")(function* (request: CheckRun.CheckRequest) {
        if (yield* Ref.get(draining)) return yield* new Draining()
        const exit = yield* Effect.acquireUseRelease(
          FiberSet.run(checks, Effect.interruptible(check(request))),
          Fiber.await,
          Fiber.interrupt
        )
        return Exit.isInterrupted(exit) ? yield* new Draining() : yield* exit
      }),
      get: Effect.fn("Executions.get")(function* (caller: Caller, id: ExecutionId) {
        return (yield* find(caller, id)).result
      }),
      list: Effect.fn("Executions.list")(function* (caller: Caller, filter: ExecutionFilter, page: ListRequest) {
        const before = yield* Effect.transposeMapOption(page.cursor, Cursor.decode(ExecutionId))
        const { data, next_cursor } = yield* store.list(caller.id, filter, { limit: page.limit, before })
        return { data, next_cursor: next_cursor === null ? null : Cursor.encode(next_cursor) }
      }),
      changes: Effect.fn("Executions.changes")(function* (
        caller: Caller,
        id: ExecutionId,
        baseId: Option.Option<ExecutionId>
      ) {
        const head = yield* find(caller, id)
        if (!hasResult(head.result)) return yield* new NotComparable({ detail: `${id} has no result to compare.` })
        // What a watch told of a check is what it was compared with then, by the options of the watch.
        if (Option.isNone(baseId) && Option.isSome(head.watchId) && head.result.change_report !== null)
          return head.result.change_report
        const target = targetOf({ ...head.result, kind: head.result.target })
        const base = Option.isSome(baseId)
          ? Option.some(yield* findBase(caller, baseId.value, target))
          : yield* store.previous(caller.id, target, id)
        return compare(base, head.result).report
      })
    }
  })

const targetOf = ({ address, chain, kind }: Target): Target => ({
  kind,
  address,
  chain: { id: chain.id, name: chain.name }
})

const isSameTarget = (result: AnalysisResult, target: Target): boolean =>
  result.target === target.kind && result.chain.id === target.chain.id && result.address === target.address

const hasResult = (result: AnalysisResult): boolean => result.status === "complete" || result.status === "partial"
