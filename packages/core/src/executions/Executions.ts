import {
  Cause,
  Clock,
  Context,
  Duration,
  Effect,
  Either,
  Encoding,
  Exit,
  Fiber,
  FiberSet,
  Layer,
  Option,
  Random,
  Ref,
  Schedule,
  Schema
} from "effect"
import { Analyzer, type TargetMismatch, type UpstreamUnavailable } from "../analysis/Analyzer.js"
import type { Chain } from "../chain/Chains.js"
import * as Changes from "../changes/Changes.js"
import type { Address } from "../domain/Address.js"
import { type AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { ExecutionStub } from "../domain/Execution.js"
import * as Id from "../domain/Id.js"
import { ExecutionId } from "../domain/Id.js"
import type { Page } from "../domain/Page.js"
import type { Target, TargetKind } from "../domain/Target.js"
import { Quota, type QuotaExceeded } from "../quota/Quota.js"
import * as Scoring from "../risk/Scoring.js"
import {
  type ExecutionFilter,
  ExecutionStore,
  type Known,
  type Lease,
  leaseLost,
  type StoredExecution
} from "../storage/ExecutionStore.js"
import { StorageError } from "../storage/StorageError.js"
import { layerDisabled, Summarizer, skipped } from "../summary/Summarizer.js"
import { unitState } from "./Reaper.js"
import * as ResultDocument from "./ResultDocument.js"

/**
 * Whether a summary is to be written. A check that only a schedule asks for never gets one.
 *
 * @since 0.1.0
 * @category models
 */
export type SummaryWish = "wanted" | "not_requested" | "scheduled_check"

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
  readonly summary: SummaryWish
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
    readonly get: (caller: Caller, id: ExecutionId) => Effect.Effect<AnalysisResult, ExecutionNotFound | StorageError>
    readonly list: (
      caller: Caller,
      filter: ExecutionFilter,
      page: ListRequest
    ) => Effect.Effect<Page<ExecutionStub>, BadCursor | StorageError>
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
  graceSeconds: 10
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
    const quota = yield* Quota
    const summarizer = yield* Summarizer
    const slots = options.slotsPerKey ?? defaults.slotsPerKey
    const deadline = Duration.seconds(options.deadlineSeconds ?? defaults.deadlineSeconds)
    const leaseMillis = (options.leaseSeconds ?? defaults.leaseSeconds) * 1000
    const heartbeat = Duration.seconds(options.heartbeatSeconds ?? defaults.heartbeatSeconds)
    const waitOf = (kind: TargetKind) => Duration.seconds(options.waitSeconds?.[kind] ?? defaults.waitSeconds[kind])

    const runs = yield* FiberSet.make<AnalysisResult, RunError>()
    const draining = yield* Ref.make(false)
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Ref.set(draining, true),
        FiberSet.awaitEmpty(runs).pipe(
          Effect.interruptible,
          Effect.timeoutOption(Duration.seconds(options.graceSeconds ?? defaults.graceSeconds))
        )
      )
    )

    const nextLease = (token: string): Effect.Effect<Lease> =>
      Effect.map(Clock.currentTimeMillis, (now) => ({ token, until: now + leaseMillis }))

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
            Effect.as(Effect.logError("The previous execution cannot be read", error), {
              report: Changes.incomparable(result, "base_failed"),
              known: compare(Option.none(), result).known
            })
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
      const analysis = yield* analyzer.analyze({
        kind,
        address,
        chain,
        earlier: Option.flatMap(earlier, ({ result: { block, facts } }) =>
          block === null ? Option.none() : Option.some({ block, facts })
        )
      })
      const completedAt = yield* Clock.currentTimeMillis
      const result = ResultDocument.completed(running, { analysis, completedAt })
      const { known, report } = Option.isSome(named)
        ? compare(named, result)
        : yield* withPrevious(request.caller, result)
      return { result: ResultDocument.compared(result, report), known }
    })

    const keepLease = (id: ExecutionId, token: string) =>
      Effect.sleep(heartbeat).pipe(
        Effect.zipRight(Effect.flatMap(nextLease(token), (lease) => store.renew(id, lease))),
        Effect.catchAll((error) => Effect.as(Effect.logWarning("A lease could not be renewed", error), true)),
        Effect.filterOrFail(
          (held) => held,
          () => new ExecutionFailed({ execution_id: id, failure: leaseLost })
        ),
        Effect.forever
      )

    /** A unit that stays set aside is settled by the reaper, so a store that is away here is only told to the log. */
    const settle = (id: ExecutionId, state: "committed" | "released") =>
      quota.settle(id, state).pipe(
        patiently,
        Effect.catchAll((error) => Effect.logWarning("A unit could not be settled yet", error))
      )

    const settleByStatus = Effect.fnUntraced(function* (id: ExecutionId) {
      const state = unitState(yield* patiently(store.status(id)))
      if (state !== "reserved") yield* settle(id, state)
    })

    /** Takes back an execution that got no unit; what cannot be taken back now is failed by the reaper. */
    const discard = (id: ExecutionId, token: string) =>
      store
        .discard(id, token)
        .pipe(Effect.catchAll((error) => Effect.logWarning("A refused execution could not be removed yet", error)))

    const storeFailure = (id: ExecutionId, token: string, failure: ExecutionFailure) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (yield* patiently(store.fail(id, token, failure, now))) yield* settle(id, "released")
        else yield* settleByStatus(id)
      }).pipe(Effect.catchAll((error) => Effect.logWarning("A failed execution could not be stored yet", error)))

    const storeResult = Effect.fnUntraced(function* (token: string, result: AnalysisResult, known: Known) {
      const id = result.execution_id
      const stored = yield* patiently(store.complete(token, result, known)).pipe(
        Effect.tapError(() => storeFailure(id, token, internalError))
      )
      if (stored) {
        yield* settle(id, "committed")
        return result
      }
      yield* settleByStatus(id)
      return yield* new ExecutionFailed({ execution_id: id, failure: leaseLost })
    })

    /** An identical execution of this key runs already, perhaps in another process: its result is awaited, and free. */
    const join = (caller: Caller, id: ExecutionId) =>
      find(caller, id).pipe(
        Effect.tap(({ result }) => (result.status === "running" ? Effect.sleep(Duration.seconds(1)) : Effect.void)),
        Effect.repeat({ while: ({ result }) => result.status === "running" }),
        Effect.flatMap(({ result }) =>
          result.error === null
            ? Effect.succeed({ ...result, units: 0 })
            : new ExecutionFailed({ execution_id: id, failure: result.error })
        )
      )

    const execute = (
      request: RunRequest,
      named: Option.Option<StoredExecution>,
      id: ExecutionId,
      shown: Ref.Ref<ExecutionId>
    ): Effect.Effect<AnalysisResult, RunError> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const token = yield* makeToken
          const startedAt = yield* Clock.currentTimeMillis
          const running = ResultDocument.running({
            id,
            target: targetOf(request),
            startedAt,
            engineVersion: analyzer.engineVersion,
            rulesetVersion: analyzer.rulesetVersion,
            summary: request.summary === "wanted" ? summarizer.pending : skipped(request.summary)
          })
          const answer = yield* store
            .begin({
              id,
              keyId: request.caller.id,
              // Its own id: identical requests are not joined yet.
              joinKey: id,
              slots,
              lease: yield* nextLease(token),
              running
            })
            .pipe(Effect.tapErrorCause(() => discard(id, token)))
          if (answer._tag === "Busy") return yield* new ConcurrencyExceeded({ limit: slots })
          if (answer._tag === "Joined") {
            yield* Ref.set(shown, answer.id)
            return yield* restore(join(request.caller, answer.id))
          }

          yield* quota.reserve({ id, caller: request.caller, kind: request.kind }).pipe(
            Effect.tapErrorCause((cause) =>
              Effect.zipRight(
                // Only a refusal is sure to have reserved nothing.
                isRefusal(cause) ? Effect.void : settle(id, "released"),
                discard(id, token)
              )
            )
          )

          const exit = yield* produce(request, named, running).pipe(
            // What cannot be interrupted must not outlive the deadline in here.
            Effect.disconnect,
            Effect.timeoutFail({
              duration: deadline,
              onTimeout: () => new ExecutionFailed({ execution_id: id, failure: overdue })
            }),
            Effect.raceFirst(keepLease(id, token)),
            restore,
            Effect.exit
          )
          if (Exit.isSuccess(exit)) {
            const { known, result } = exit.value
            if (request.summary !== "wanted") return yield* storeResult(token, result, known)
            // The analysis is done: neither its deadline nor a stop may cost it because its summary is late.
            const summary = yield* summarizer
              .summarize(result)
              .pipe(
                Effect.raceFirst(keepLease(id, token)),
                restore,
                Effect.exit,
                Effect.map(Exit.getOrElse((cause) => skipped(Cause.isDie(cause) ? "provider_error" : "timeout")))
              )
            return yield* storeResult(token, ResultDocument.summarised(result, summary), known)
          }

          const { error, failure } = failureOf(id, exit.cause)
          if (Cause.isDie(exit.cause)) yield* Effect.logError("An analysis failed unexpectedly", exit.cause)
          yield* storeFailure(id, token, failure)
          return yield* error
        })
      )

    return {
      run: Effect.fn("Executions.run")(function* (request: RunRequest) {
        if (yield* Ref.get(draining)) return yield* new Draining()
        const named = yield* Effect.transposeMapOption(request.compareTo, (id) =>
          findBase(request.caller, id, targetOf(request))
        )
        const id = yield* Id.make("exe")
        const shown = yield* Ref.make<ExecutionId>(id)
        const fiber = yield* FiberSet.run(runs, Effect.interruptible(execute(request, named, id, shown)))
        const exit = yield* Effect.timeoutOption(Fiber.await(fiber), waitOf(request.kind))
        if (Option.isNone(exit)) return yield* new DeadlineExceeded({ execution_id: yield* Ref.get(shown) })
        return Exit.isInterrupted(exit.value) ? yield* new Draining() : yield* exit.value
      }),
      get: Effect.fn("Executions.get")(function* (caller: Caller, id: ExecutionId) {
        return (yield* find(caller, id)).result
      }),
      list: Effect.fn("Executions.list")(function* (caller: Caller, filter: ExecutionFilter, page: ListRequest) {
        const before = yield* Effect.transposeMapOption(page.cursor, decodeCursor)
        const { data, next_cursor } = yield* store.list(caller.id, filter, { limit: page.limit, before })
        return { data, next_cursor: next_cursor === null ? null : Encoding.encodeBase64Url(next_cursor) }
      }),
      changes: Effect.fn("Executions.changes")(function* (
        caller: Caller,
        id: ExecutionId,
        baseId: Option.Option<ExecutionId>
      ) {
        const head = yield* find(caller, id)
        if (!hasResult(head.result)) return yield* new NotComparable({ detail: `${id} has no result to compare.` })
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

const isRefusal = (cause: Cause.Cause<QuotaExceeded | StorageError>): boolean =>
  Option.exists(Cause.failureOption(cause), (error) => error._tag === "QuotaExceeded")

// Unique among those that may ever claim one execution; not a secret.
const makeToken: Effect.Effect<string> = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, 2 ** 32), 4),
  (words) => words.map((word) => word.toString(16).padStart(8, "0")).join("")
)

const patiently = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(self, {
    schedule: Schedule.exponential(Duration.millis(100)),
    times: 3,
    while: (error) => error instanceof StorageError && error.reason === "unavailable"
  })

const internalError: ExecutionFailure = { code: "internal_error", detail: "The analysis failed for a reason of ours." }

const stopped: ExecutionFailure = {
  code: "internal_error",
  detail: "The service was stopped before the analysis was finished."
}

const overdue: ExecutionFailure = {
  code: "deadline_exceeded",
  detail: "The analysis took longer than an execution may."
}

const failureOf = (
  id: ExecutionId,
  cause: Cause.Cause<TargetMismatch | UpstreamUnavailable | StorageError | ExecutionFailed>
): { readonly failure: ExecutionFailure; readonly error: RunError } => {
  if (Cause.isInterruptedOnly(cause)) return { failure: stopped, error: new Draining() }
  const error = Option.getOrElse(
    Cause.failureOption(cause),
    () => new ExecutionFailed({ execution_id: id, failure: internalError })
  )
  switch (error._tag) {
    case "ExecutionFailed":
      return { failure: error.failure, error }
    case "StorageError":
      return { failure: internalError, error }
    case "TargetMismatch":
      return {
        failure: { code: "target_mismatch", detail: `What stands at this address: ${error.detected}.` },
        error
      }
    case "UpstreamUnavailable":
      return {
        failure: {
          code: "upstream_unavailable",
          detail: `Nothing could be read: ${error.sources_failed.map(({ name, reason }) => `${name} (${reason})`).join(", ")}.`
        },
        error
      }
  }
}

const decodeCursor = (cursor: string): Effect.Effect<ExecutionId, BadCursor> =>
  Either.match(Encoding.decodeBase64UrlString(cursor), {
    onLeft: () => new BadCursor(),
    onRight: (id) => (Schema.is(ExecutionId)(id) ? Effect.succeed(id) : new BadCursor())
  })

/**
 * @since 0.1.0
 * @category errors
 */
export class ExecutionNotFound extends Schema.TaggedError<ExecutionNotFound>()("ExecutionNotFound", {
  id: ExecutionId
}) {}

/**
 * The two executions are of different kinds, chains or addresses, or one of them has no result.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotComparable extends Schema.TaggedError<NotComparable>()("NotComparable", {
  detail: Schema.String
}) {}

/**
 * The execution failed for a reason of ours, and its unit was given back.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExecutionFailed extends Schema.TaggedError<ExecutionFailed>()("ExecutionFailed", {
  execution_id: ExecutionId,
  failure: ExecutionFailure
}) {}

/**
 * The caller's waiting time is over; the execution goes on and can be fetched.
 *
 * @since 0.1.0
 * @category errors
 */
export class DeadlineExceeded extends Schema.TaggedError<DeadlineExceeded>()("DeadlineExceeded", {
  execution_id: ExecutionId
}) {}

/**
 * Too many executions of this key are running.
 *
 * @since 0.1.0
 * @category errors
 */
export class ConcurrencyExceeded extends Schema.TaggedError<ConcurrencyExceeded>()("ConcurrencyExceeded", {
  limit: Schema.NonNegativeInt
}) {}

/**
 * This process is shutting down and starts nothing new.
 *
 * @since 0.1.0
 * @category errors
 */
export class Draining extends Schema.TaggedError<Draining>()("Draining", {}) {}

/**
 * The cursor was not made by a list of this service.
 *
 * @since 0.1.0
 * @category errors
 */
export class BadCursor extends Schema.TaggedError<BadCursor>()("BadCursor", {}) {}
