import { Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { AnalysisResult, ExecutionFailure } from "../domain/AnalysisResult.js"
import type { ExecutionId } from "../domain/Id.js"
import { ExecutionStore } from "../storage/ExecutionStore.js"
import { QuotaStore, type Reservation } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * `leaseSeconds` (120) is how long a worker may be silent, `intervalSeconds` (15) how often is looked; what crashed is
 * finished within their sum.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly leaseSeconds?: number | undefined
  readonly intervalSeconds?: number | undefined
}

/**
 * Finishes, at the start and then for as long as it lives, what any process left behind. Several reapers over the same
 * stores do no harm: every step is decided once by the store.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<never, never, ExecutionStore | QuotaStore> =>
  Layer.scopedDiscard(
    sweep(options).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("Left-over executions could not be finished", cause)),
      Effect.repeat(Schedule.spaced(Duration.seconds(options.intervalSeconds ?? 15))),
      Effect.forkScoped
    )
  )

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

  let expired: ReadonlyArray<ExecutionId>
  do {
    expired = yield* executions.expireLeases(now, batch)
    yield* Effect.forEach(expired, (id) => quota.settle(id, "released", now), { discard: true })
  } while (expired.length === batch)

  // A younger reservation may be one whose worker is just about to settle it.
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
          Effect.logWarning("A unit could not be settled", error)
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

/**
 * Ends one execution by its token, whoever runs it, and settles its unit by what then is stored of it, which is the answer;
 * none where it never began. Asking again changes nothing.
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
  const quota = yield* QuotaStore
  const now = yield* Clock.currentTimeMillis
  yield* executions.fail(id, token, failure, now)
  const status = yield* executions.status(id)
  const state = unitState(status)
  if (state !== "reserved") yield* quota.settle(id, state, now)
  return status
})

/**
 * What becomes of a unit, by what became of its execution: a stored result is paid for, everything else is not.
 *
 * @since 0.1.0
 * @category combinators
 */
export const unitState = (status: Option.Option<AnalysisResult["status"]>): Reservation["state"] => {
  if (Option.isNone(status) || status.value === "failed") return "released"
  return status.value === "running" ? "reserved" : "committed"
}

const batch = 100
