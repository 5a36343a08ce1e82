import { Array as Arr, Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import { dayOf } from "../domain/Timestamp.js"
import { EventStore } from "../storage/EventStore.js"
import { type EndedExecution, ExecutionStore, everything } from "../storage/ExecutionStore.js"
import { KeyStore } from "../storage/KeyStore.js"
import * as Outage from "../storage/Outage.js"
import { QuotaStore } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"
import { WatchStore } from "../storage/WatchStore.js"

/**
 * How long data is kept, in days: executions 90 (longer while a watch compares with them), runs without a change 30,
 * runs with one 365, events with their deliveries 30. The record that an execution existed is kept for 365 more
 * (`removedDays`), an idempotency key for 1 (`idempotencyKeyDays`). The ledger has each settled unit for 400 (`ledgerDays`), and
 * then, for 3,650 (`ledgerSumDays`), the sums of each key and day. A key that was never used and has nothing is kept for `unusedKeyDays`, and for
 * ever without them. A sweep starts every `intervalSeconds` (3,600) and removes at
 * most `batch` (200) rows per store call.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly executionDays?: number | undefined
  readonly unchangedRunDays?: number | undefined
  readonly changedRunDays?: number | undefined
  readonly eventDays?: number | undefined
  readonly removedDays?: number | undefined
  readonly idempotencyKeyDays?: number | undefined
  readonly ledgerDays?: number | undefined
  readonly ledgerSumDays?: number | undefined
  readonly unusedKeyDays?: number | undefined
  readonly intervalSeconds?: number | undefined
  readonly batch?: number | undefined
}

/**
 * The defaults of the options.
 *
 * @since 0.1.0
 * @category constructors
 */
export const defaults = {
  executionDays: 90,
  unchangedRunDays: 30,
  changedRunDays: 365,
  eventDays: 30,
  removedDays: 365,
  idempotencyKeyDays: 1,
  ledgerDays: 400,
  ledgerSumDays: 3_650,
  intervalSeconds: 3_600,
  batch: 200
} as const

/**
 * Removes expired data at the start and then periodically. Several processes may do so over the same stores.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: Options = {}
): Layer.Layer<never, never, WatchStore | EventStore | ExecutionStore | QuotaStore | KeyStore> =>
  Layer.scopedDiscard(
    sweep(options).pipe(
      Outage.surviving("What is past its time could not be removed", undefined),
      Effect.repeat(Schedule.spaced(Duration.seconds(options.intervalSeconds ?? defaults.intervalSeconds))),
      Effect.forkScoped
    )
  )

/**
 * Sweeps once; returns how many rows were removed, without those that became a record of existence or a sum.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sweep: (
  options?: Options
) => Effect.Effect<number, StorageError, WatchStore | EventStore | ExecutionStore | QuotaStore | KeyStore> = Effect.fn(
  "Retention.sweep"
)(function* (options: Options = {}) {
  const watches = yield* WatchStore
  const events = yield* EventStore
  const now = yield* Clock.currentTimeMillis
  const limit = options.batch ?? defaults.batch
  const before = (days: number) => now - days * day
  const runs = yield* untilNoMore(
    watches.prune({
      unchangedBefore: before(options.unchangedRunDays ?? defaults.unchangedRunDays),
      changedBefore: before(options.changedRunDays ?? defaults.changedRunDays),
      limit
    }),
    limit
  )
  const told = yield* untilNoMore(events.prune(before(options.eventDays ?? defaults.eventDays), limit), limit)
  const executions = yield* removeExecutions(before(options.executionDays ?? defaults.executionDays), now, limit)
  const store = yield* ExecutionStore
  yield* untilNoMore(store.forget(before(options.removedDays ?? defaults.removedDays), limit), limit)
  const bound = before(options.idempotencyKeyDays ?? defaults.idempotencyKeyDays)
  yield* untilNoMore(store.forgetIdempotencyKeys(bound, limit), limit)
  const quota = yield* QuotaStore
  yield* untilNoMore(
    quota.prune({
      settledBefore: dayOf(before(options.ledgerDays ?? defaults.ledgerDays)),
      sumsBefore: dayOf(before(options.ledgerSumDays ?? defaults.ledgerSumDays)),
      limit
    }),
    limit
  )
  const keys = options.unusedKeyDays === undefined ? 0 : yield* removeKeys(before(options.unusedKeyDays), limit)
  return runs + told + executions + keys
})

const removeExecutions = Effect.fnUntraced(function* (before: number, now: number, batch: number) {
  const store = yield* ExecutionStore
  // What is kept stays first in the list, so the next page has to be larger.
  const kept = new Set<ExecutionId>()
  let removed = 0
  let page: ReadonlyArray<EndedExecution>
  let limit: number
  do {
    limit = kept.size + batch
    page = yield* store.endedBefore(before, limit)
    const past: Array<ExecutionId> = []
    for (const execution of page) {
      if (kept.has(execution.id)) continue
      if (yield* isBase(execution)) kept.add(execution.id)
      else past.push(execution.id)
    }
    yield* store.remove(past, now)
    removed += past.length
    yield* Effect.yieldNow()
  } while (page.length === limit)
  return removed
})

const removeKeys = Effect.fnUntraced(function* (before: number, limit: number) {
  const keys = yield* KeyStore
  let removed = 0
  let page: ReadonlyArray<KeyId> = []
  do {
    page = yield* keys.unused({ before, limit, after: Arr.last(page) })
    removed += yield* keys.removeUnused(yield* Effect.filter(page, hasNothing))
    yield* Effect.yieldNow()
  } while (page.length === limit)
  return removed
})

/** The last use of a key is noted a moment later, and may be lost: what it made shows it too. */
const hasNothing = (id: KeyId) =>
  Effect.gen(function* () {
    if ((yield* (yield* WatchStore).count(id)) > 0) return false
    if ((yield* (yield* EventStore).webhooks(id)).length > 0) return false
    const { data } = yield* (yield* ExecutionStore).list(id, everything, { limit: 1, before: Option.none() })
    return data.length === 0
  })

const isBase = ({ id, keyId, watchId }: EndedExecution) =>
  Effect.gen(function* () {
    if (Option.isNone(watchId)) return false
    const watch = yield* (yield* WatchStore).find(keyId, watchId.value)
    return Option.exists(watch, ({ memory }) => Option.contains(memory.base, id))
  })

/** Small steps, with pauses in which others can write. */
const untilNoMore = (step: Effect.Effect<number, StorageError>, limit: number) =>
  Effect.iterate({ removed: 0, last: limit } as Removed, {
    while: ({ last }) => last >= limit,
    body: ({ removed }) =>
      Effect.zipLeft(
        Effect.map(step, (last) => ({ removed: removed + last, last })),
        Effect.yieldNow()
      )
  }).pipe(Effect.map(({ removed }) => removed))

interface Removed {
  readonly removed: number
  readonly last: number
}

const day = 86_400_000
