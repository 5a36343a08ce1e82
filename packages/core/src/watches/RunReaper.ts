import { Cause, Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { ExecutionFailure } from "../domain/AnalysisResult.js"
import { Relay } from "../events/Relay.js"
import * as Reaper from "../executions/Reaper.js"
import { ExecutionStore, leaseLost } from "../storage/ExecutionStore.js"
import * as Outage from "../storage/Outage.js"
import { orphans, type Processes } from "../storage/Processes.js"
import type { QuotaStore } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { type Claim, WatchStore } from "../storage/WatchStore.js"
import { Bell } from "./Bell.js"
import * as Conclusion from "./Conclusion.js"
import type { Outcome } from "./Outcome.js"
import * as RunDocument from "./RunDocument.js"

/**
 * `intervalSeconds` (15) is how often is looked for runs past their lease: what crashed is finished within a lease and an
 * interval. `noticeSeconds` (2) is how often is looked for runs of processes that are proven gone, which end at once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly intervalSeconds?: number | undefined
  readonly noticeSeconds?: number | undefined
}

/**
 * What is needed to end the runs of other processes.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements = WatchStore | ExecutionStore | QuotaStore | Processes | Relay | Bell

/**
 * Finishes, at the start and then for as long as it lives, the runs that any process left behind. Several of them over
 * the same stores do no harm: a run ends once.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, Requirements> => {
  const always = (look: Effect.Effect<void, StorageError, Requirements>, seconds: number) =>
    look.pipe(
      Outage.surviving("Left-over runs could not be finished", undefined),
      Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
      Effect.forkScoped
    )
  return Layer.scopedDiscard(
    Effect.zipRight(always(endOrphans, options.noticeSeconds ?? 2), always(sweep, options.intervalSeconds ?? 15))
  )
}

/**
 * Looks once: a run past its lease is finished as its worker would have, where its execution is stored, and else written
 * off.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sweep: Effect.Effect<void, StorageError, WatchStore | ExecutionStore | QuotaStore | Relay | Bell> =
  Effect.gen(function* () {
    const store = yield* WatchStore
    let expired: ReadonlyArray<Claim>
    let finished = 0
    do {
      expired = yield* store.expired(yield* Clock.currentTimeMillis, batch)
      finished = yield* finishAll(expired)
      // A page without any finished run would come again.
    } while (expired.length === batch && finished > 0)
  }).pipe(Effect.withSpan("RunReaper.sweep"))

/**
 * Finishes at once the runs of processes that are proven gone, as `sweep` does with runs past their lease.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endOrphans: Effect.Effect<void, StorageError, Requirements> = Effect.gen(function* () {
  const store = yield* WatchStore
  const left = yield* orphans(yield* store.tokens, (token) => token)
  if (left.length > 0) yield* finishAll(yield* store.claims(left))
}).pipe(Effect.withSpan("RunReaper.endOrphans"))

/** How many of them could be finished. */
const finishAll = (claims: ReadonlyArray<Claim>) =>
  Effect.gen(function* () {
    const relay = yield* Relay
    const bell = yield* Bell
    const ended = yield* Effect.forEach(claims, (claim) =>
      Effect.catchAll(finish(claim), (error) =>
        Effect.as(Outage.note("A run could not be finished", Cause.fail(error)), false)
      )
    )
    const finished = ended.filter((isFinished) => isFinished).length
    // Lost checks are due again.
    if (finished > 0) yield* Effect.zipRight(relay.notify, bell.ring)
    return finished
  })

/**
 * Ends the execution of a claimed run and settles its unit. An execution that its worker has not begun is begun first.
 * So the worker, if it is alive, finds it ended and spends nothing, and readers of the run find its end.
 *
 * @since 0.1.0
 * @category combinators
 */
export const end: (
  claim: Claim,
  failure: ExecutionFailure
) => Effect.Effect<void, StorageError, ExecutionStore | QuotaStore> = Effect.fn("RunReaper.end")(function* (
  { executionId, run, token, watch }: Claim,
  failure: ExecutionFailure
) {
  if (Option.isSome(yield* Reaper.end(executionId, token, failure))) return
  const executions = yield* ExecutionStore
  yield* executions.begin({
    id: executionId,
    keyId: watch.keyId,
    joinKey: executionId,
    slots: 0,
    lease: { token, until: 0 },
    running: RunDocument.execution(executionId, watch.target, run),
    watchId: Option.some(watch.id)
  })
  yield* Reaper.end(executionId, token, failure)
})

const finish = (claim: Claim) =>
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const store = yield* WatchStore
    yield* end(claim, leaseLost)
    const stored = yield* executions.find(claim.watch.keyId, claim.executionId)
    const outcome = Option.match(
      Option.filter(stored, ({ result }) => result.status === "complete" || result.status === "partial"),
      {
        onNone: (): Outcome => ({ _tag: "Abandoned", began: true }),
        onSome: ({ result }): Outcome => ({ _tag: "Succeeded", result })
      }
    )
    const now = yield* Clock.currentTimeMillis
    return yield* store.finishRun(claim.run.id, claim.token, Conclusion.finish(claim, outcome, now))
  })

const batch = 100
