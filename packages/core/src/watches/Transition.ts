import { Option } from "effect"
import type { Severity } from "../domain/Evidence.js"
import type { ExecutionId } from "../domain/Id.js"
import { nextDay } from "../domain/Timestamp.js"
import type { SuspensionReason, WatchRun } from "../domain/Watch.js"
import type { CheckError, WatchMemory } from "../domain/WatchMemory.js"
import * as Grid from "./Grid.js"

/**
 * What happened to a watch, at the time `now` that is passed to {@link apply}.
 *
 * - `Claimed`: it was due and a worker claimed it; grid times that have passed since are counted as missed. A manual
 *   check does not claim a grid time.
 * - `Succeeded`, `Failed`: how a check that began at `startedAt` ended. `Abandoned`: its process is gone; a scheduled
 *   check was claimed on `grid`. `OutOfQuota`: there was no unit, and there is none before `resetsAt`.
 * - `Released`: a check that was claimed on `grid` was given up without a result, and can be claimed again at once.
 * - `KeyUnusable`: it was due and its key is not valid any more. `KeyEnabled`, `QuotaRaised`: the key allows it again.
 * - `ClockSetBack`: the clock was ahead, and stored times may now be in the future.
 *
 * @since 0.1.0
 * @category models
 */
export type WatchHappening =
  | { readonly _tag: "Claimed" }
  | {
      readonly _tag: "Succeeded"
      readonly startedAt: number
      readonly execution: ExecutionId
      readonly changed: Option.Option<Severity>
      readonly keepsBase: boolean
    }
  | { readonly _tag: "Failed"; readonly startedAt: number; readonly error: CheckError }
  | {
      readonly _tag: "Abandoned"
      readonly startedAt: number
      readonly trigger: WatchRun["trigger"]
      readonly grid: Grid.Grid
    }
  | { readonly _tag: "Released"; readonly grid: Grid.Grid }
  | { readonly _tag: "OutOfQuota"; readonly trigger: WatchRun["trigger"]; readonly resetsAt: number }
  | { readonly _tag: "KeyUnusable"; readonly reason: Exclude<SuspensionReason, "consecutive_failures"> }
  | { readonly _tag: "KeyEnabled" }
  | { readonly _tag: "QuotaRaised" }
  | { readonly _tag: "ClockSetBack" }
  | { readonly _tag: "Pause" }
  | { readonly _tag: "Resume" }
  | { readonly _tag: "Rescheduled"; readonly grid: Grid.Grid }

/**
 * The events that a transition causes, beside the changes that a check found.
 *
 * @since 0.1.0
 * @category models
 */
export type Notice = "watch.failing" | "watch.recovered" | "watch.suspended" | "quota.exhausted"

/**
 * @since 0.1.0
 * @category models
 */
export interface Transition {
  readonly memory: WatchMemory
  readonly notices: ReadonlyArray<Notice>
}

/**
 * A new watch. If active, it is due within a minute.
 *
 * @since 0.1.0
 * @category constructors
 */
export const created = (grid: Grid.Grid, status: "Active" | "Paused"): WatchMemory => ({
  grid,
  n: -1,
  status: { _tag: status },
  nextDueAt: status === "Active" ? Option.some(Grid.due(grid, 0)) : Option.none(),
  lastCheckedAt: Option.none(),
  lastError: Option.none(),
  lastSuccessAt: Option.none(),
  lastChangedAt: Option.none(),
  base: Option.none(),
  failures: 0,
  since: Option.none(),
  lost: 0,
  counts: { checks: 0, changes: 0, failures: 0 },
  skipped: { overlap: 0, downtime: 0, quota: 0 }
})

/**
 * The state machine of a watch. What does not apply in a state changes nothing. Whether a check runs is not part of it.
 *
 * | from | happening | to |
 * |---|---|---|
 * | active | `Claimed` | active; missed grid times are counted as downtime; next grid time |
 * | any | `Succeeded` | failures 0, error cleared, base set; `watch.recovered` where three or more had failed |
 * | any | `Failed` | failures + 1; the third reports `watch.failing`; from the third on the next check is delayed |
 * | active | the tenth `Failed`, the first at least a day ago | suspended, `watch.suspended` |
 * | any | `Abandoned` | checked, error `lease_lost`, no failure |
 * | active | the first four `Abandoned` in a row, of scheduled checks | the same, and due at once |
 * | active | `Released` | active, due at once, as if it had not been claimed |
 * | active | `OutOfQuota` | active, due when the quota is reset; `quota.exhausted` |
 * | any | `OutOfQuota` of a manual check | error `quota_exhausted`, the grid unchanged; `quota.exhausted` |
 * | active | `KeyUnusable` | suspended, `watch.suspended` |
 * | suspended for a disabled key | `KeyEnabled` | active |
 * | active and out of quota | `QuotaRaised` | due within a minute |
 * | any, due later than any wait lasts | `ClockSetBack` | the next grid time, its number above all before |
 * | active, suspended | `Pause` | paused |
 * | paused, suspended | `Resume` | active, failures 0; within a minute if it is overdue |
 * | any | `Rescheduled` | the same on another grid, failures 0 |
 *
 * @since 0.1.0
 * @category combinators
 */
export const apply = (memory: WatchMemory, happening: WatchHappening, now: number): Transition => {
  switch (happening._tag) {
    case "Claimed":
      return quiet(memory.status._tag === "Active" ? claimed(memory, now) : memory)
    case "Succeeded":
      return succeeded(memory, happening, now)
    case "Failed":
      return failed(memory, happening, now)
    case "Abandoned":
      return quiet(abandoned(memory, happening, now))
    case "Released":
      return quiet(released(memory, happening.grid, now))
    case "OutOfQuota":
      return { memory: outOfQuota(memory, happening, now), notices: ["quota.exhausted"] }
    case "KeyUnusable": {
      const refused = { ...memory, lastCheckedAt: Option.some(now), lastError: Option.some(unusable[happening.reason]) }
      return memory.status._tag === "Active" ? suspended(refused, happening.reason) : quiet(refused)
    }
    case "KeyEnabled":
      return quiet(
        memory.status._tag === "Suspended" && memory.status.reason === "key_disabled" ? resumed(memory, now) : memory
      )
    case "QuotaRaised":
      return quiet(wokenUp(memory, now))
    case "ClockSetBack":
      return quiet(foundAgain(memory, now))
    case "Pause":
      return quiet(
        memory.status._tag === "Paused" ? memory : { ...memory, status: { _tag: "Paused" }, nextDueAt: Option.none() }
      )
    case "Resume":
      return quiet(memory.status._tag === "Active" ? memory : resumed(memory, now))
    case "Rescheduled":
      // No time of a new grid has passed for a watch that waits to be resumed.
      return quiet(
        scheduled({ ...forgiven(memory), grid: happening.grid, n: memory.status._tag === "Active" ? 0 : -1 }, now)
      )
  }
}

const quiet = (memory: WatchMemory): Transition => ({ memory, notices: [] })

/** The grid continues with its first time after `moment` that is still ahead; earlier times are dropped. */
const scheduled = (memory: WatchMemory, moment: number): WatchMemory => {
  if (memory.status._tag !== "Active") return { ...memory, nextDueAt: Option.none() }
  const n = Math.max(memory.n + 1, Grid.next(memory.grid, moment))
  return { ...memory, n: n - 1, nextDueAt: Option.some(Grid.due(memory.grid, n)) }
}

const claimed = (memory: WatchMemory, now: number): WatchMemory => {
  // The time for which a catch-up check runs is not missed.
  const n = Math.max(memory.n + 1, Grid.next(memory.grid, now) - 1)
  const downtime = memory.skipped.downtime + (n - memory.n - 1)
  return scheduled({ ...memory, n, skipped: { ...memory.skipped, downtime } }, now)
}

/**
 * After a check: grid times that passed meanwhile are no checks of their own. A time that was due before a manual check
 * began stays due.
 */
const rested = (memory: WatchMemory, startedAt: number, now: number): WatchMemory => {
  if (memory.status._tag !== "Active" || Option.exists(memory.nextDueAt, (due) => due <= startedAt)) return memory
  const n = Math.max(memory.n, Grid.next(memory.grid, now) - 1)
  const overlap = memory.skipped.overlap + (n - memory.n)
  return scheduled({ ...memory, n, skipped: { ...memory.skipped, overlap } }, now)
}

/** Made again at once, but not for ever: it may be the check that ends its process. */
const abandoned = (
  memory: WatchMemory,
  { grid, startedAt, trigger }: Extract<WatchHappening, { _tag: "Abandoned" }>,
  now: number
): WatchMemory => {
  const lost = { ...checked(memory, now, Option.some(leaseLost)), lost: memory.lost + 1 }
  return trigger !== "manual" && memory.lost < losses ? dueAgain(lost, grid, now) : rested(lost, startedAt, now)
}

const released = (memory: WatchMemory, grid: Grid.Grid, now: number): WatchMemory =>
  dueAgain({ ...memory, lastCheckedAt: Option.some(now) }, grid, now)

/** As if the last time of the grid had not been claimed. */
const dueAgain = (memory: WatchMemory, grid: Grid.Grid, now: number): WatchMemory =>
  memory.status._tag === "Active" && isSame(memory.grid, grid)
    ? { ...memory, n: memory.n - 1, nextDueAt: Option.some(now) }
    : memory

const isSame = (a: Grid.Grid, b: Grid.Grid): boolean =>
  a.anchor === b.anchor && a.interval === b.interval && a.phase === b.phase

const checked = (memory: WatchMemory, now: number, error: Option.Option<CheckError>): WatchMemory => ({
  ...memory,
  lastCheckedAt: Option.some(now),
  lastError: error,
  counts: { ...memory.counts, checks: memory.counts.checks + 1 }
})

const forgiven = (memory: WatchMemory): WatchMemory => ({ ...memory, failures: 0, since: Option.none() })

const succeeded = (
  memory: WatchMemory,
  { changed, execution, keepsBase, startedAt }: Extract<WatchHappening, { _tag: "Succeeded" }>,
  now: number
): Transition => {
  const { counts, ...after } = forgiven(checked(memory, now, Option.none()))
  const hasChanged = Option.isSome(changed)
  return {
    memory: rested(
      {
        ...after,
        lost: 0,
        counts: { ...counts, changes: counts.changes + (hasChanged ? 1 : 0) },
        lastSuccessAt: Option.some(now),
        lastChangedAt: hasChanged ? Option.some(now) : memory.lastChangedAt,
        base: keepsBase ? memory.base : Option.some(execution)
      },
      startedAt,
      now
    ),
    notices: memory.failures >= failing ? ["watch.recovered"] : []
  }
}

const failed = (
  memory: WatchMemory,
  { error, startedAt }: Extract<WatchHappening, { _tag: "Failed" }>,
  now: number
): Transition => {
  const { counts, ...rest } = checked(memory, now, Option.some(error))
  const failures = memory.failures + 1
  const since = Option.orElseSome(memory.since, () => now)
  const next: WatchMemory = { ...rest, failures, since, lost: 0, counts: { ...counts, failures: counts.failures + 1 } }
  if (failures >= hopeless && memory.status._tag === "Active" && now - Option.getOrElse(since, () => now) >= day)
    return suspended(next, "consecutive_failures")
  const after = rested(next, startedAt, now)
  return {
    memory: failures < failing ? after : scheduled(after, now + backoff(memory.grid, failures)),
    notices: failures === failing ? ["watch.failing"] : []
  }
}

// The first grid time at or after the end of the wait, so the search in the grid starts at the moment before it.
const backoff = (grid: Grid.Grid, failures: number): number =>
  Math.min(grid.interval * 2 ** (failures - failing + 1), day) - 1

const outOfQuota = (
  memory: WatchMemory,
  { resetsAt, trigger }: Extract<WatchHappening, { _tag: "OutOfQuota" }>,
  now: number
): WatchMemory => {
  const told: WatchMemory = {
    ...memory,
    lastCheckedAt: Option.some(now),
    lastError: Option.some(noQuota),
    skipped: { ...memory.skipped, quota: memory.skipped.quota + 1 }
  }
  if (memory.status._tag !== "Active" || trigger === "manual") return told
  // By the day on which it was refused, also where midnight came since.
  const whole = resetsAt + memory.grid.phase
  // The times until then are passed over, all but the one that is made up for then: where none is left it is this one.
  return { ...told, n: Math.max(memory.n - 1, Grid.next(memory.grid, whole) - 2), nextDueAt: Option.some(whole) }
}

/** Due later than a watch can be by now; what waits to be resumed by what its next grid time would be. */
const foundAgain = (memory: WatchMemory, now: number): WatchMemory => {
  const due = Option.getOrElse(memory.nextDueAt, () => Grid.due(memory.grid, memory.n + 1))
  if (due <= latest(memory, now)) return memory
  // A grid that begins later was made while the clock was ahead.
  const begun = { ...memory.grid, anchor: Math.min(memory.grid.anchor, now) }
  const next = Grid.next(begun, now)
  // The times come again, the numbers of checks do not: no check is made twice.
  const made = Math.max(0, memory.n + 1 - next)
  const grid = { ...begun, anchor: begun.anchor - made * begun.interval }
  return scheduled({ ...memory, grid, n: Math.max(memory.n, next - 1) }, now)
}

/**
 * When a check is due at the latest: a grid time after a delay because of failures, or the end of the day. An hour more, or
 * an interval, so that a clock that was set back by less makes no check twice. Failures are forgiven to a watch that is
 * resumed, so one that waits for that has no such delay.
 */
const latest = ({ failures, grid, lastError, status }: WatchMemory, now: number): number => {
  const delay = failures < failing || status._tag !== "Active" ? 0 : backoff(grid, failures)
  const reset = Option.exists(lastError, ({ code }) => code === noQuota.code) ? nextDay(now) - now : 0
  return now + Math.max(delay + grid.interval, reset) + grid.phase + Math.min(grid.interval, hour)
}

const wokenUp = (memory: WatchMemory, now: number): WatchMemory =>
  memory.status._tag === "Active" &&
  Option.exists(memory.lastError, ({ code }) => code === noQuota.code) &&
  Option.exists(memory.nextDueAt, (due) => due > now + minute)
    ? madeUp(memory, now)
    : memory

const suspended = (memory: WatchMemory, reason: SuspensionReason): Transition => ({
  memory: { ...memory, status: { _tag: "Suspended", reason }, nextDueAt: Option.none() },
  notices: ["watch.suspended"]
})

const resumed = (memory: WatchMemory, now: number): WatchMemory => {
  const active: WatchMemory = { ...forgiven(memory), status: { _tag: "Active" } }
  const last = Option.getOrElse(memory.lastCheckedAt, () => Number.NEGATIVE_INFINITY)
  if (now - last > memory.grid.interval) return madeUp(active, now)
  // What was missed on purpose is not counted, and what a change of the grid put off stays put off.
  const n = Math.max(lastToCome(memory), Math.min(memory.n, 0), Grid.next(memory.grid, now) - 1)
  return scheduled({ ...active, n }, now)
}

/** One check within a minute for what did not come: the next of the grid where that comes so soon, or else one of its own. */
const madeUp = (memory: WatchMemory, now: number): WatchMemory => {
  const come = lastToCome(memory)
  const n = Math.max(come, Grid.next(memory.grid, now) - 1)
  return Grid.due(memory.grid, n + 1) <= now + minute
    ? scheduled({ ...memory, n }, now)
    : { ...memory, n: Math.max(come, n - 1), nextDueAt: Option.some(now + (memory.grid.phase % minute)) }
}

/**
 * What was passed over in advance, because of failures or the quota, had not come at the last check, whatever became of the
 * watch since. Of a grid that was changed after that check nothing has come.
 */
const lastToCome = (memory: WatchMemory): number =>
  Option.match(memory.lastCheckedAt, {
    onNone: () => memory.n,
    onSome: (at) => Math.min(memory.n, at < memory.grid.anchor ? -1 : Grid.next(memory.grid, at) - 1)
  })

const minute = 60_000
const hour = 3_600_000
const day = 86_400_000

// In a row: how many failures are reported, and how many (over at least a day) suspend the watch.
const failing = 3
const hopeless = 10

// How often in a row a check that was lost is made again before its next time.
const losses = 4

/**
 * The error of a check that lost its process.
 *
 * @since 0.1.0
 * @category models
 */
export const leaseLost: CheckError = {
  code: "lease_lost",
  detail: "The process that ran this check did not come back."
}

/**
 * The error of a check without a unit.
 *
 * @since 0.1.0
 * @category models
 */
export const noQuota: CheckError = { code: "quota_exhausted", detail: "No unit was left today." }

/**
 * The errors of a check that the key was not valid for.
 *
 * @since 0.1.0
 * @category models
 */
export const unusable: { readonly [Reason in Exclude<SuspensionReason, "consecutive_failures">]: CheckError } = {
  key_revoked: { code: "key_revoked", detail: "The key was revoked." },
  key_expired: { code: "key_expired", detail: "The key has expired." },
  key_disabled: { code: "key_disabled", detail: "The key is disabled." }
}
