import { Array as Arr, Cause, Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { ExecutionId } from "../domain/Id.js"
import { ExecutionStore, leaseLost } from "../storage/ExecutionStore.js"
import * as Outage from "../storage/Outage.js"
import { orphans, type Processes } from "../storage/Processes.js"
import { QuotaStore, type Reservation } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * `leaseSeconds` (120) is how long a worker may be silent, `intervalSeconds` (15) how often is looked for one that was
 * silent for longer: what crashed is finished within their sum. `noticeSeconds` (2) is how often it looks for processes
 * that are proven gone, to end their work at once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly leaseSeconds?: number | undefined
  readonly intervalSeconds?: number | undefined
  readonly noticeSeconds?: number | undefined
}

/**
 * Finishes, at the start and then for as long as it lives, what any process left behind. Several reapers over the same
 * stores do no harm: every step is decided once by the store.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, Requirements> => {
  const always = (look: Effect.Effect<unknown, StorageError, Requirements>, seconds: number) =>
    look.pipe(
      Outage.surviving("Left-over executions could not be finished", undefined),
      Effect.repeat(Schedule.spaced(Duration.seconds(seconds))),
      Effect.forkScoped
    )
  return Layer.scopedDiscard(
    Effect.zipRight(
      always(sweep(options), options.intervalSeconds ?? 15),
      always(endOrphans, options.noticeSeconds ?? 2)
    )
  )
}

/**
 * What is needed to end the work of other processes.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements = ExecutionStore | QuotaStore | Processes

/**
 * Looks once: a running execution past its lease becomes failed, and a unit that is still set aside is settled by what
 * became of its execution.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sweep: (options?: Options) => Effect.Effect<void, StorageError, ExecutionStore | QuotaStore> = Effect.fn(
  "Reaper.sweep"
)(function* (options: Options = {}) {
  const executions = yield* ExecutionStore
  const quota = yield* QuotaStore
  const now = yield* Clock.currentTimeMillis

  yield* endExpired

  // The worker of a younger reservation may be just about to settle it.
  const before = now - (options.leaseSeconds ?? 120) * 1000
  // What stays unsettled stays first in the list, so the next page has to reach past it.
  const kept = new Set<ExecutionId>()
  const finish = (id: ExecutionId) =>
    Effect.gen(function* () {
      const state = unitState(yield* executions.status(id))
      if (state === "reserved") kept.add(id)
      else yield* quota.settle(id, state, now)
    }).pipe(
      Effect.catchAll((error) =>
        Effect.zipRight(
          Effect.sync(() => kept.add(id)),
          Outage.note("A unit could not be settled", Cause.fail(error))
        )
      )
    )
  let limit: number
  let page: ReadonlyArray<Reservation>
  do {
    limit = kept.size + batch
    page = yield* quota.unsettled(before, limit)
    yield* Effect.forEach(
      page.filter(({ id }) => !kept.has(id)),
      ({ id }) => finish(id),
      { discard: true }
    )
  } while (page.length === limit)
})

const endExpired = Effect.gen(function* () {
  const executions = yield* ExecutionStore
  const quota = yield* QuotaStore
  const now = yield* Clock.currentTimeMillis
  const all: Array<ExecutionId> = []
  let expired: ReadonlyArray<ExecutionId>
  do {
    expired = yield* executions.expireLeases(now, batch)
    yield* Effect.forEach(expired, (id) => quota.settle(id, "released", now), { discard: true })
    all.push(...expired)
  } while (expired.length === batch)
  return all
})

/**
 * Ends at once what processes left behind that are proven gone: their running executions fail and give their units
 * back, and units of executions that ended without a settlement are settled. Returns the executions that it ended.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endOrphans: Effect.Effect<ReadonlyArray<ExecutionId>, StorageError, Requirements> = Effect.gen(
  function* () {
    const executions = yield* ExecutionStore
    const quota = yield* QuotaStore
    const running = yield* executions.running
    const left = yield* orphans(running, ({ lease }) => lease.token)
    const ended = yield* Effect.filter(left, ({ id, lease }) => isEnded(end(id, lease.token, leaseLost)))

    const known = new Set(running.map(({ id }) => id))
    const now = yield* Clock.currentTimeMillis
    const unsettled = yield* quota.unsettled(now + 1, unsettledAtOnce)
    const settleable = yield* Effect.forEach(
      unsettled.filter(({ id }) => !known.has(id)),
      ({ id }) =>
        Effect.map(
          executions.lease(id),
          Option.map(({ token }) => ({ id, token }))
        )
    )
    yield* Effect.forEach(
      yield* orphans(Arr.getSomes(settleable), ({ token }) => token),
      ({ id }) => isEnded(settleByStatus(id)),
      { discard: true }
    )
    return ended.map(({ id }) => id)
  }
).pipe(Effect.withSpan("Reaper.endOrphans"))

/**
 * Ends every execution that nobody runs any more: past its lease, or of a process that is proven gone. Answers which.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endLost: Effect.Effect<ReadonlyArray<ExecutionId>, StorageError, Requirements> = Effect.zipWith(
  endExpired,
  endOrphans,
  (expired, orphaned) => [...expired, ...orphaned]
).pipe(Effect.withSpan("Reaper.endLost"))

/**
 * Ends this execution if nobody runs it any more; answers whether it did.
 *
 * @since 0.1.0
 * @category combinators
 */
export const endIfLost: (id: ExecutionId) => Effect.Effect<boolean, StorageError, Requirements> = Effect.fn(
  "Reaper.endIfLost"
)(function* (id: ExecutionId) {
  const executions = yield* ExecutionStore
  const lease = yield* executions.lease(id)
  if (Option.isNone(lease)) return false
  if (lease.value.until <= (yield* Clock.currentTimeMillis)) return (yield* endExpired).includes(id)
  const left = yield* orphans([lease.value], ({ token }) => token)
  if (left.length === 0) return false
  yield* end(id, lease.value.token, leaseLost)
  return true
})

/** One that cannot be ended does not hold up the others. */
const isEnded = <R>(effect: Effect.Effect<unknown, StorageError, R>) =>
  effect.pipe(
    Effect.as(true),
    Effect.catchAll((error) =>
      Effect.as(Outage.note("A left-over execution could not be ended", Cause.fail(error)), false)
    )
  )

const settleByStatus = Effect.fnUntraced(function* (id: ExecutionId) {
  const executions = yield* ExecutionStore
  const quota = yield* QuotaStore
  const status = yield* executions.status(id)
  const state = unitState(status)
  if (state !== "reserved") yield* quota.settle(id, state, yield* Clock.currentTimeMillis)
  return status
})

/**
 * Ends one execution by its token, in any process, and settles its unit by its stored state, which is returned; none
 * where it never began. A repeated call changes nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const end: (
  id: ExecutionId,
  token: string,
  failure: ExecutionFailure
) => Effect.Effect<Option.Option<AnalysisResult["status"]>, StorageError, ExecutionStore | QuotaStore> = Effect.fn(
  "Reaper.end"
)(function* (id: ExecutionId, token: string, failure: ExecutionFailure) {
  const executions = yield* ExecutionStore
  yield* executions.fail(id, token, failure, yield* Clock.currentTimeMillis)
  return yield* settleByStatus(id)
})

/**
 * The final state of a unit, by the state of its execution: a stored result is charged, everything else is not.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unitState = (status: Option.Option<AnalysisResult["status"]>): Reservation["state"] => {
  if (Option.isNone(status) || status.value === "failed") return "released"
  return status.value === "running" ? "reserved" : "committed"
}

const batch = 100

// Far more than run at once.
const unsettledAtOnce = 10_000
