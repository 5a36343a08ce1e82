import { Clock, Context, Duration, Effect, Exit, Fiber, FiberMap, FiberSet, Layer, Option, Ref } from "effect"
import { Analyzer, type TargetMismatch, type UpstreamUnavailable } from "../analysis/Analyzer.js"
import * as Changes from "../changes/Changes.js"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import * as Cursor from "../domain/Cursor.js"
import type { ExecutionStub } from "../domain/Execution.js"
import * as Id from "../domain/Id.js"
import { ExecutionId } from "../domain/Id.js"
import * as ObservedEvidence from "../domain/ObservedEvidence.js"
import type { Page } from "../domain/Page.js"
import * as RecipeSet from "../domain/RecipeSet.js"
import type { TargetKind } from "../domain/Target.js"
import type { Quota, QuotaExceeded } from "../quota/Quota.js"
import * as Scoring from "../risk/Scoring.js"
import {
  type ExecutionFilter,
  ExecutionStore,
  leaseLost,
  type StoredDocument,
  type StoredExecution
} from "../storage/ExecutionStore.js"
import { IdempotencyKeyReused } from "../storage/IdempotencyKey.js"
import * as LeaseToken from "../storage/LeaseToken.js"
import { Processes } from "../storage/Processes.js"
import type { QuotaStore } from "../storage/QuotaStore.js"
import { StorageError } from "../storage/StorageError.js"
import { layerDisabled, type Summarizer } from "../summary/Summarizer.js"
import * as AnalysisRun from "./AnalysisRun.js"
import * as CheckRun from "./CheckRun.js"
import {
  ConcurrencyExceeded,
  DeadlineExceeded,
  Draining,
  EvidenceNotFound,
  type ExecutionExpired,
  ExecutionFailed,
  type ExecutionNotFound,
  NotComparable
} from "./ExecutionError.js"
import * as Lookup from "./Lookup.js"
import * as MeteredRun from "./MeteredRun.js"
import * as Reaper from "./Reaper.js"
import * as Wait from "./Wait.js"

export { BadCursor } from "../domain/Cursor.js"
export { IdempotencyKeyReused } from "../storage/IdempotencyKey.js"
export type { RunRequest } from "./AnalysisRun.js"
export type { CheckRequest } from "./CheckRun.js"
export {
  ConcurrencyExceeded,
  DeadlineExceeded,
  Draining,
  EvidenceNotFound,
  ExecutionExpired,
  ExecutionFailed,
  ExecutionNotFound,
  NotComparable
} from "./ExecutionError.js"
export type { SummaryWish } from "./MeteredRun.js"

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
  | ExecutionExpired
  | ExecutionFailed
  | ExecutionNotFound
  | IdempotencyKeyReused
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
     * Runs an analysis to its stored result, or waits for that of an identical one of the same key that runs already,
     * and takes over at once where its process is proven gone or its lease is over; `units` of it is what it cost this
     * caller. After the waiting time the run goes on, and `DeadlineExceeded` names the execution to fetch. Without a
     * unit by then no execution is named, and none goes on. A caller may wait for less, and takes a stored result that is
     * young enough for it (`maxAgeSeconds`) for free. What becomes of a run when its caller is interrupted is an
     * option of the layer. With an idempotency key, a repeated request joins or is answered with what the first one
     * made, for 24 hours and for free; one that failed is made again.
     */
    readonly run: (request: AnalysisRun.RunRequest) => Effect.Effect<AnalysisResult, RunError>
    /**
     * Runs a check to its stored result, without a summary and beside the slots of its key. An id that is stored already
     * is answered and not run again. Unlike `run` it stops, and gives its unit back, when its caller is interrupted.
     */
    readonly check: (request: CheckRun.CheckRequest) => Effect.Effect<AnalysisResult, CheckError>
    readonly get: (
      caller: Caller,
      id: ExecutionId
    ) => Effect.Effect<AnalysisResult, ExecutionExpired | ExecutionNotFound | StorageError>
    /** The same result as the text that is stored, for those who send it on as it is. */
    readonly document: (
      caller: Caller,
      id: ExecutionId
    ) => Effect.Effect<StoredDocument, ExecutionExpired | ExecutionNotFound | StorageError>
    /** The hash of what is stored, null while it may still change. */
    readonly contentHash: (
      caller: Caller,
      id: ExecutionId
    ) => Effect.Effect<AnalysisResult["content_hash"], ExecutionExpired | ExecutionNotFound | StorageError>
    /** How to make the observations of an execution again; none while it runs, or where it failed. */
    readonly recipes: (
      caller: Caller,
      id: ExecutionId
    ) => Effect.Effect<RecipeSet.RecipeSet, ExecutionExpired | ExecutionNotFound | StorageError>
    /** One item of evidence, with the recipe of its observation. */
    readonly evidence: (
      caller: Caller,
      id: ExecutionId,
      evidenceId: string
    ) => Effect.Effect<
      ObservedEvidence.ObservedEvidence,
      EvidenceNotFound | ExecutionExpired | ExecutionNotFound | StorageError
    >
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
    ) => Effect.Effect<ChangeReport, ExecutionExpired | ExecutionNotFound | NotComparable | StorageError>
  }
>() {}

/**
 * How executions are bounded; times in seconds.
 *
 * - `slotsPerKey`: how many of a key run at once, 3.
 * - `waitSeconds`: how long a caller waits, 60 for a token, 120 for a wallet or contract. It ends the wait, not the run.
 * - `deadlineSeconds`: how long an analysis may take, 180; then it failed and its unit is given back. Reads wait for an
 *   endpoint that limits their rate for all but a twentieth of it; what is still open then is lost, and the rest stored.
 * - `leaseSeconds`, `heartbeatSeconds`: how long a worker without a heartbeat counts as alive, 120, and the interval of
 *   heartbeats, 30.
 * - `graceSeconds`: how long running analyses may go on when the layer is closed, 10; an effect says it at that moment.
 * - `rereadSeconds`: how long a check waits for the chain to move, to see a grave change twice, 30.
 * - `abandoned`: what becomes of a run when all its callers were interrupted. It is to `finish` and be stored, as where
 *   its callers may come back for it; or to `stop`, as where they are the only ones who use it, and give its unit back.
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
  readonly graceSeconds?: number | Effect.Effect<number> | undefined
  readonly rereadSeconds?: number | undefined
  readonly abandoned?: "finish" | "stop" | undefined
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
  rereadSeconds: 30,
  abandoned: "finish"
} as const

/**
 * Executions that run in this process, without summaries. Closing the layer refuses new ones, lets the running ones finish
 * for a while, and then fails what is left and gives its units back.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<Executions, never, Analyzer | ExecutionStore | Processes | Quota | QuotaStore> =>
  Layer.provide(layerSummarising(options), layerDisabled)

/**
 * As `layer`, with the requested summaries. A result waits for its summary before it is stored, for as long as the
 * summariser's timeout at most, and is stored whatever becomes of it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSummarising = (
  options: Options = {}
): Layer.Layer<Executions, never, Analyzer | ExecutionStore | Processes | Quota | QuotaStore | Summarizer> =>
  Layer.scoped(Executions, make(options))

const make = (options: Options) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer
    const store = yield* ExecutionStore
    const lookup = yield* Lookup.make
    const slots = options.slotsPerKey ?? defaults.slotsPerKey
    const waitOf = (kind: TargetKind) => Duration.seconds(options.waitSeconds?.[kind] ?? defaults.waitSeconds[kind])
    const processes = yield* Processes
    const stores = yield* Effect.context<Reaper.Requirements>()
    const metered = yield* MeteredRun.make({
      deadlineSeconds: options.deadlineSeconds ?? defaults.deadlineSeconds,
      leaseSeconds: options.leaseSeconds ?? defaults.leaseSeconds,
      heartbeatSeconds: options.heartbeatSeconds ?? defaults.heartbeatSeconds
    })
    const produce = yield* AnalysisRun.make
    const produceCheck = yield* CheckRun.make({ rereadSeconds: options.rereadSeconds ?? defaults.rereadSeconds })

    const runs = yield* FiberMap.make<ExecutionId, AnalysisResult, RunError>()
    const checks = yield* FiberSet.make<AnalysisResult, CheckError>()
    const draining = yield* Ref.make(false)
    const { graceSeconds = defaults.graceSeconds } = options
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(
        Ref.set(draining, true),
        Effect.flatMap(Effect.isEffect(graceSeconds) ? graceSeconds : Effect.succeed(graceSeconds), (seconds) =>
          Effect.all([Effect.ignore(FiberMap.awaitEmpty(runs)), FiberSet.awaitEmpty(checks)]).pipe(
            Effect.interruptible,
            Effect.timeoutOption(Duration.seconds(seconds))
          )
        )
      )
    )

    const waitFor = Wait.make((id) => Effect.orElseSucceed(Effect.map(store.status(id), Option.isSome), () => false))

    const endIfLost = (id: ExecutionId) =>
      Effect.flatMap(metered.writeEnd(id), (isEnded) =>
        isEnded ? Effect.succeed(true) : Effect.provide(Reaper.endIfLost(id), stores)
      )

    const execution = (
      id: ExecutionId,
      request: AnalysisRun.RunRequest,
      base: Option.Option<StoredExecution>,
      wait: Wait.Wait
    ): Effect.Effect<AnalysisResult, RunError> =>
      Effect.gen(function* () {
        const outcome = yield* metered.run({
          id,
          token: yield* LeaseToken.make(processes.self),
          caller: request.caller,
          target: Lookup.targetOf(request),
          unit: request.kind,
          joinKey: AnalysisRun.joinKey(request),
          slots,
          watchId: Option.none(),
          summary: request.summary,
          idempotencyKey: request.idempotencyKey ?? Option.none(),
          produce: (running, waitUntil) =>
            Effect.if(wait.promise, {
              onTrue: () => produce(request, base, running, waitUntil),
              onFalse: () => new ExecutionFailed({ execution_id: id, failure: unwanted })
            })
        })
        switch (outcome._tag) {
          case "Stored":
            return outcome.result
          case "Joined": {
            yield* wait.join(outcome.id)
            return yield* lookup.ended(request.caller, outcome.id, endIfLost).pipe(
              // Awaited, and free.
              Effect.map((result) => ({ ...result, units: 0 })),
              // It got no unit and was taken back, which this one has not been; or its process did not come back.
              Effect.catchIf(isLeft, (left) =>
                Effect.if(wait.leave, {
                  onTrue: () => execution(id, request, base, wait),
                  onFalse: () => Effect.fail(left)
                })
              )
            )
          }
          case "Replayed":
            return { ...(yield* lookup.find(request.caller, outcome.id)).result, units: 0 }
          case "Reused":
            return yield* new IdempotencyKeyReused()
          case "Busy": {
            // Slots of a process that is gone do not count.
            const ended = yield* Effect.provide(Reaper.endLost, stores)
            return yield* ended.length > 0
              ? execution(id, request, base, wait)
              : new ConcurrencyExceeded({ limit: slots })
          }
        }
      })

    const stop = (id: ExecutionId) => Effect.ignore(Effect.flatMap(FiberMap.get(runs, id), Fiber.interrupt))

    /** Its fiber may only be waiting for the running one. */
    const abandon =
      (options.abandoned ?? defaults.abandoned) === "finish"
        ? () => Effect.void
        : (own: ExecutionId, wait: Wait.Wait) =>
            Effect.flatMap(wait.abandon, ({ id, isUnwanted }) =>
              Effect.zipRight(
                Effect.when(stop(own), () => id !== own),
                Effect.when(stop(id), () => isUnwanted)
              )
            )

    const check = (request: CheckRun.CheckRequest): Effect.Effect<AnalysisResult, CheckError> =>
      Effect.gen(function* () {
        const stored = yield* store.find(request.caller.id, request.id)
        if (Option.isNone(stored)) {
          const outcome = yield* metered.run({
            id: request.id,
            token: request.token,
            caller: request.caller,
            target: Lookup.targetOf(request),
            unit: "watch",
            joinKey: request.id,
            slots,
            watchId: Option.some(request.watchId),
            summary: "scheduled_check",
            idempotencyKey: Option.none(),
            produce: (running, waitUntil) => produceCheck(request, running, waitUntil)
          })
          if (outcome._tag === "Stored") return outcome.result
        }
        return yield* Effect.catchTag(
          lookup.ended(request.caller, request.id, endIfLost),
          "ExecutionNotFound",
          Effect.die
        )
      })

    /** A stored result that answers the request. One that cannot be read answers nothing. */
    const stored = (request: AnalysisRun.RunRequest) =>
      (request.maxAgeSeconds ?? 0) === 0
        ? Effect.succeedNone
        : Effect.zipWith(
            Effect.catchIf(
              store.previous(request.caller.id, Lookup.targetOf(request)),
              ({ reason }) => reason === "corrupt",
              () => Effect.succeedNone
            ),
            Clock.currentTimeMillis,
            (found, now) =>
              Option.filterMap(found, ({ result }) =>
                AnalysisRun.answers(request, result, now) ? Option.some({ ...result, units: 0 }) : Option.none()
              )
          )

    /** How long a caller waits: as long as any, or as long as it said and until it can be named what it waits for. */
    const waiting = ({ kind, waitSeconds }: AnalysisRun.RunRequest, wait: Wait.Wait) => {
      const longest = Effect.sleep(waitOf(kind))
      return waitSeconds === undefined
        ? longest
        : Effect.raceFirst(longest, Effect.zipRight(Effect.sleep(Duration.seconds(waitSeconds)), wait.named))
    }

    return {
      run: Effect.fn("Executions.run")(function* (request: AnalysisRun.RunRequest) {
        if (yield* Ref.get(draining)) return yield* new Draining()
        const named = yield* Effect.transposeMapOption(request.compareTo, (id) =>
          lookup.findBase(request.caller, id, Lookup.targetOf(request))
        )
        const young = yield* stored(request)
        if (Option.isSome(young)) return young.value
        const id = yield* Id.make("exe")
        const wait = waitFor(id)
        const fiber = yield* FiberMap.run(
          runs,
          id,
          Effect.interruptible(
            Effect.ensuring(
              Effect.tapErrorTag(
                execution(id, request, named, wait),
                "TargetMismatch",
                () => request.onMismatch ?? Effect.void
              ),
              wait.close
            )
          )
        )
        const exit = yield* Effect.raceFirst(
          Effect.asSome(Fiber.await(fiber)),
          Effect.as(waiting(request, wait), Option.none<Exit.Exit<AnalysisResult, RunError>>())
        ).pipe(Effect.onInterrupt(() => abandon(id, wait)))
        if (Option.isNone(exit))
          return yield* Option.match(yield* wait.end, {
            onNone: () => noUnitYet(),
            onSome: (named): DeadlineExceeded | StorageError =>
              new DeadlineExceeded({ execution_id: named, units: named === id ? 1 : 0 })
          })
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
        return (yield* lookup.find(caller, id)).result
      }),
      document: Effect.fn("Executions.document")((caller: Caller, id: ExecutionId) => lookup.document(caller, id)),
      contentHash: Effect.fn("Executions.contentHash")((caller: Caller, id: ExecutionId) =>
        lookup.contentHash(caller, id)
      ),
      recipes: Effect.fn("Executions.recipes")(function* (caller: Caller, id: ExecutionId) {
        return RecipeSet.make((yield* lookup.find(caller, id)).result.recipes)
      }),
      evidence: Effect.fn("Executions.evidence")(function* (caller: Caller, id: ExecutionId, evidenceId: string) {
        const { result } = yield* lookup.find(caller, id)
        return yield* Effect.mapError(
          ObservedEvidence.find(result, evidenceId),
          () => new EvidenceNotFound({ id, evidence_id: evidenceId })
        )
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
        const head = yield* lookup.find(caller, id)
        if (!Lookup.hasResult(head.result))
          return yield* new NotComparable({ detail: `${id} has no result to compare.` })
        // The report of a watch's check is the comparison of that time, by the options of the watch.
        if (Option.isNone(baseId) && Option.isSome(head.watchId) && head.result.change_report !== null)
          return head.result.change_report
        const target = Lookup.targetOf({ ...head.result, kind: head.result.target })
        const base = Option.isSome(baseId)
          ? Option.some(yield* lookup.findBase(caller, baseId.value, target))
          : yield* store.previous(caller.id, target, id)
        const { rules } = yield* analyzer.ruleset
        return Changes.compare({ base, head: head.result, score: Scoring.score, rules }).report
      })
    }
  })

/** Whether the joined run failed for a reason that does not apply to the caller that joined it. */
const isLeft = (error: RunError): error is ExecutionNotFound | ExecutionFailed =>
  error._tag === "ExecutionNotFound" || (error._tag === "ExecutionFailed" && error.failure.code === leaseLost.code)

const noUnitYet = () =>
  new StorageError({
    reason: "unavailable",
    operation: "Executions.run",
    detail: "No unit could be reserved within the waiting time."
  })

const unwanted: ExecutionFailure = {
  code: "stopped",
  detail: "Its unit was reserved when nobody waited for it any more."
}
