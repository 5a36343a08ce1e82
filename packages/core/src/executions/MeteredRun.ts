/** @internal */

import { Cause, Clock, Duration, Effect, Exit, Option } from "effect"
import { Analyzer, type TargetMismatch, type UpstreamUnavailable } from "../analysis/Analyzer.js"
import type { Comparison } from "../changes/Changes.js"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { Caller } from "../domain/Caller.js"
import type { ExecutionId, WatchId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { Quota, type QuotaExceeded } from "../quota/Quota.js"
import { traced } from "../runtime/Traced.js"
import { type ExecutionMemory, ExecutionStore, leaseLost } from "../storage/ExecutionStore.js"
import * as Heartbeat from "../storage/Heartbeat.js"
import { standsForMillis } from "../storage/IdempotencyKey.js"
import * as Outage from "../storage/Outage.js"
import { patiently } from "../storage/Patience.js"
import type { UnitKind } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { Summarizer, skipped } from "../summary/Summarizer.js"
import { Draining, ExecutionFailed, failureOf } from "./ExecutionError.js"
import { unitState } from "./Reaper.js"
import * as ResultDocument from "./ResultDocument.js"
import * as Unwritten from "./Unwritten.js"

/** Whether a summary is to be written. A scheduled check never gets one. */
export type SummaryWish = "wanted" | "not_requested" | "scheduled_check"

/** The outcome of an analysis: its result with the change report, and what is remembered of it. */
export interface Produced {
  readonly result: AnalysisResult
  readonly memory: ExecutionMemory
}

export const produced = (result: AnalysisResult, { known, report, reported }: Comparison): Produced => ({
  result: ResultDocument.compared(result, report),
  memory: { known, reported }
})

/**
 * One execution to run; of those of a key with one `joinKey` one runs at a time. `slots` is how many interactive ones of
 * its key may run at once; one of a watch takes none.
 */
export interface Order {
  readonly id: ExecutionId
  readonly token: string
  readonly caller: Caller
  readonly target: Target
  readonly unit: UnitKind
  readonly joinKey: string
  readonly slots: number
  readonly watchId: Option.Option<WatchId>
  readonly summary: SummaryWish
  readonly idempotencyKey: Option.Option<string>
  /**
   * Begun once it has its unit; given the document that is shown meanwhile, and until when its reads may wait for their
   * endpoint, in epoch milliseconds.
   */
  readonly produce: (running: AnalysisResult, waitUntil: number) => Effect.Effect<Produced, ProduceError>
}

export type ProduceError = TargetMismatch | UpstreamUnavailable | StorageError | ExecutionFailed

/**
 * - `Stored`: it ran, and this was stored. `Joined`: an identical one runs already. `Busy`: too many run.
 * - `Replayed`: its idempotency key stands for this one, which has a result. `Reused`: for another request.
 */
export type Outcome =
  | { readonly _tag: "Stored"; readonly result: AnalysisResult }
  | { readonly _tag: "Joined"; readonly id: ExecutionId }
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Replayed"; readonly id: ExecutionId }
  | { readonly _tag: "Reused" }

/** `deadlineSeconds` is how long an analysis may take. */
export interface Options extends Heartbeat.Options {
  readonly deadlineSeconds: number
}

/**
 * The one way in which an execution is made: begin, reserve, produce with heartbeats, store, settle. Once it has begun it
 * is finished whatever happens to its fiber; interrupting it fails it and gives its unit back.
 */
export const make = (options: Options) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer
    const store = yield* ExecutionStore
    const quota = yield* Quota
    const summarizer = yield* Summarizer
    const unwritten = yield* Unwritten.make

    const keepLease = (id: ExecutionId, token: string) =>
      Heartbeat.keep(token, {
        ...options,
        renew: (lease) => store.renew(id, lease),
        onLost: () => new ExecutionFailed({ execution_id: id, failure: leaseLost })
      })

    /** Writes how an execution ends, now or as soon as the store is back: nobody else would before its lease is over. */
    const surely = (id: ExecutionId, write: Effect.Effect<void, StorageError>) =>
      Effect.catchAll(patiently(write), (error) =>
        Effect.zipRight(
          Outage.note("The end of an execution could not be stored yet", Cause.fail(error)),
          unwritten.keep(id, write)
        )
      )

    const settle = (id: ExecutionId, state: "committed" | "released") => surely(id, settling(id, state))

    const settling = (id: ExecutionId, state: "committed" | "released") => Effect.asVoid(quota.settle(id, state))

    const settlingByStatus = (id: ExecutionId) =>
      Effect.flatMap(store.status(id), (status) => {
        const state = unitState(status)
        return state === "reserved" ? Effect.void : settling(id, state)
      })

    const settleByStatus = (id: ExecutionId) => surely(id, settlingByStatus(id))

    /** Takes back an execution that got no unit. */
    const discard = (id: ExecutionId, token: string) => surely(id, store.discard(id, token))

    const storeFailure = (id: ExecutionId, token: string, failure: ExecutionFailure) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        surely(
          id,
          Effect.flatMap(store.fail(id, token, failure, now), (isFailed) =>
            isFailed ? settling(id, "released") : settlingByStatus(id)
          )
        )
      )

    const storeResult = Effect.fnUntraced(function* (token: string, { memory, result }: Produced) {
      const id = result.execution_id
      const stored = yield* patiently(store.complete(token, result, memory)).pipe(
        Effect.tapError(() => storeFailure(id, token, internalError))
      )
      if (stored) {
        yield* settle(id, "committed")
        return result
      }
      yield* settleByStatus(id)
      return yield* new ExecutionFailed({ execution_id: id, failure: leaseLost })
    })

    const idempotencyOf = ({ idempotencyKey, joinKey }: Order) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.map(idempotencyKey, (name) => ({ name, fingerprint: joinKey, now, after: now - standsForMillis }))
      )

    const begin = (order: Order) =>
      Effect.gen(function* () {
        const { id, token } = order
        const ruleset = yield* analyzer.ruleset
        const running = ResultDocument.running({
          id,
          target: order.target,
          startedAt: yield* Clock.currentTimeMillis,
          engineVersion: analyzer.engineVersion,
          rulesetVersion: ruleset.version,
          summary: order.summary === "wanted" ? summarizer.pending : skipped(order.summary)
        })
        const answer = yield* store
          .begin({
            id,
            keyId: order.caller.id,
            joinKey: order.joinKey,
            slots: order.slots,
            lease: yield* Heartbeat.lease(token, options),
            running,
            watchId: order.watchId,
            idempotency: yield* idempotencyOf(order)
          })
          .pipe(Effect.tapErrorCause(() => discard(id, token)))
        return { answer, running }
      })

    /**
     * Others can end an execution of a watch by its token: who did so before it had its unit must not see it run, and
     * who does so later settles that unit.
     */
    const confirmHeld = ({ id, token, watchId }: Order) =>
      Option.isNone(watchId)
        ? Effect.void
        : Effect.flatMap(Heartbeat.lease(token, options), (lease) => patiently(store.renew(id, lease))).pipe(
            Effect.filterOrFail(
              (held) => held,
              () => new ExecutionFailed({ execution_id: id, failure: leaseLost })
            )
          )

    const reserve = ({ caller, id, token, unit }: Order) =>
      quota.reserve({ id, caller, kind: unit }).pipe(
        Effect.tapErrorCause((cause) =>
          Effect.zipRight(
            // Only a refusal is sure to have reserved nothing.
            isRefusal(cause) ? Effect.void : settle(id, "released"),
            discard(id, token)
          )
        )
      )

    const summarise = ({ id, token }: Order, { memory, result }: Produced, restore: Restore) =>
      // The analysis is done: neither its deadline nor a stop may cost it because its summary is late.
      summarizer.summarize(result).pipe(
        Effect.raceFirst(keepLease(id, token)),
        restore,
        Effect.exit,
        Effect.map(Exit.getOrElse((cause) => skipped(Cause.isDie(cause) ? "provider_error" : "timeout"))),
        Effect.map((summary): Produced => ({ memory, result: ResultDocument.summarised(result, summary) }))
      )

    const run = (order: Order): Effect.Effect<Outcome, QuotaExceeded | Draining | ProduceError> =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const { id, token } = order
          const { answer, running } = yield* begin(order)
          if (answer._tag !== "Started") return answer
          yield* reserve(order)

          const started = yield* Clock.currentTimeMillis
          // The reads so far are judged and stored within the remaining time.
          const waitUntil = started + 950 * options.deadlineSeconds
          const exit = yield* Effect.zipRight(confirmHeld(order), order.produce(running, waitUntil)).pipe(
            Effect.annotateLogs("execution_id", id),
            traced("Execution", () => ({
              attributes: {
                execution_id: id,
                kind: order.target.kind,
                chain: order.target.chain.name,
                unit: order.unit
              }
            })),
            // What cannot be interrupted must not outlive the deadline in here.
            Effect.disconnect,
            Effect.timeoutFail({
              duration: Duration.seconds(options.deadlineSeconds),
              onTimeout: () => new ExecutionFailed({ execution_id: id, failure: overdue })
            }),
            Effect.raceFirst(keepLease(id, token)),
            restore,
            Effect.exit
          )
          if (Exit.isSuccess(exit)) {
            yield* Outage.over(unread(exit.value.result.chain))
            const produced = order.summary === "wanted" ? yield* summarise(order, exit.value, restore) : exit.value
            return { _tag: "Stored", result: yield* storeResult(token, produced) } as const
          }
          const { error, failure } = endOf(id, exit.cause)
          if (Cause.isDie(exit.cause)) yield* Effect.logError("An analysis failed unexpectedly", exit.cause)
          // Who can do something about an endpoint is the operator.
          if (error._tag === "UpstreamUnavailable") yield* Outage.note(unread(running.chain), Cause.fail(error))
          yield* storeFailure(id, token, failure)
          return yield* error
        })
      )

    return {
      run,
      /** Writes the end of an execution of this process that a store was away for; answers whether there was one. */
      writeEnd: unwritten.write
    }
  })

const unread = ({ name }: AnalysisResult["chain"]): string => `Nothing could be read of the chain ${name}`

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const isRefusal = (cause: Cause.Cause<QuotaExceeded | StorageError>): boolean =>
  Option.exists(Cause.failureOption(cause), (error) => error._tag === "QuotaExceeded")

const internalError: ExecutionFailure = { code: "internal_error", detail: "The analysis failed for a reason of ours." }

const stopped: ExecutionFailure = {
  code: "stopped",
  detail: "It was stopped before the analysis was finished."
}

const overdue: ExecutionFailure = {
  code: "deadline_exceeded",
  detail: "The analysis took longer than an execution may."
}

const endOf = (
  id: ExecutionId,
  cause: Cause.Cause<ProduceError>
): { readonly failure: ExecutionFailure; readonly error: ProduceError | Draining } => {
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
    case "UpstreamUnavailable":
      return { failure: failureOf(error), error }
  }
}
