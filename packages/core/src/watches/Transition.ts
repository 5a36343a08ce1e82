import { Option } from "effect"
import type { Severity } from "../domain/Evidence.js"
import type { ExecutionId } from "../domain/Id.js"
import { nextDay } from "../domain/Timestamp.js"
import type { SuspensionReason } from "../domain/Watch.js"
import type { CheckError, WatchMemory } from "../domain/WatchMemory.js"
import * as Grid from "./Grid.js"

/**
 * What happened to a watch, at the moment `now` that {@link apply} is told.
 *
 * - `Claimed`: its due time came and a worker took it; grid times that have passed since are counted as missed.
 * - `Overlapped`: grid times passed while a check ran. `Succeeded`, `Failed`, `Abandoned`: how a check ended.
 * - `OutOfQuota`: it was due and had no unit. `KeyUnusable`: it was due and its key may not work any more.
 *
 * @since 0.1.0
 * @category models
 */
export type WatchHappening =
  | { readonly _tag: "Claimed" }
  | {
      readonly _tag: "Succeeded"
      readonly execution: ExecutionId
      readonly changed: Option.Option<Severity>
      readonly keepsBase: boolean
    }
  | { readonly _tag: "Failed"; readonly error: CheckError }
  | { readonly _tag: "Abandoned" }
  | { readonly _tag: "OutOfQuota" }
  | { readonly _tag: "KeyUnusable"; readonly reason: Exclude<SuspensionReason, "consecutive_failures"> }
  | { readonly _tag: "KeyEnabled" }
  | { readonly _tag: "Pause" }
  | { readonly _tag: "Resume" }
  | { readonly _tag: "Rescheduled"; readonly grid: Grid.Grid }

/**
 * What has to be told of a transition, beside the changes that a check found.
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
 * A watch that was just made. An active one is due within a minute.
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
  counts: { checks: 0, changes: 0, failures: 0 },
  skipped: { overlap: 0, downtime: 0, quota: 0 }
})

/**
 * The state machine of a watch. What does not apply in a state changes nothing; whether a check runs is not part of it.
 *
 * | from | happening | to |
 * |---|---|---|
 * | active | `Claimed` | active; missed grid times are counted as downtime; next grid time |
 * | any | `Succeeded` | failures 0, error cleared, base set; `watch.recovered` where three or more had failed |
 * | any | `Failed` | failures + 1; the third tells `watch.failing`; from the third the next check waits longer |
 * | active | the tenth `Failed`, the first at least a day ago | suspended, `watch.suspended` |
 * | any | `Abandoned` | checked, error `lease_lost`, no failure |
 * | active | `OutOfQuota` | active, due when the quota is whole again; `quota.exhausted` |
 * | active | `KeyUnusable` | suspended, `watch.suspended` |
 * | suspended for a disabled key | `KeyEnabled` | active |
 * | active, suspended | `Pause` | paused |
 * | paused, suspended | `Resume` | active, failures 0; within a minute where it is overdue |
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
      return failed(memory, happening.error, now)
    case "Abandoned":
      return quiet(scheduled(passed(checked(memory, now, Option.some(leaseLost)), now), now))
    case "OutOfQuota":
      return memory.status._tag === "Active"
        ? { memory: outOfQuota(memory, now), notices: ["quota.exhausted"] }
        : quiet(memory)
    case "KeyUnusable":
      return memory.status._tag === "Active" ? suspended(memory, happening.reason) : quiet(memory)
    case "KeyEnabled":
      return quiet(
        memory.status._tag === "Suspended" && memory.status.reason === "key_disabled" ? resumed(memory, now) : memory
      )
    case "Pause":
      return quiet(
        memory.status._tag === "Paused" ? memory : { ...memory, status: { _tag: "Paused" }, nextDueAt: Option.none() }
      )
    case "Resume":
      return quiet(memory.status._tag === "Active" ? memory : resumed(memory, now))
    case "Rescheduled":
      return quiet(scheduled({ ...forgiven(memory), grid: happening.grid, n: 0 }, now))
  }
}

const quiet = (memory: WatchMemory): Transition => ({ memory, notices: [] })

/** From here the grid goes on: the first time after `moment` that has not come yet; those before it never come. */
const scheduled = (memory: WatchMemory, moment: number): WatchMemory => {
  if (memory.status._tag !== "Active") return { ...memory, nextDueAt: Option.none() }
  const n = Math.max(memory.n + 1, Grid.next(memory.grid, moment))
  return { ...memory, n: n - 1, nextDueAt: Option.some(Grid.due(memory.grid, n)) }
}

const claimed = (memory: WatchMemory, now: number): WatchMemory => {
  // The one that is made up for is not missed.
  const n = Math.max(memory.n + 1, Grid.next(memory.grid, now) - 1)
  const downtime = memory.skipped.downtime + (n - memory.n - 1)
  return scheduled({ ...memory, n, skipped: { ...memory.skipped, downtime } }, now)
}

/** Grid times that went by while a check ran are no checks of their own. */
const passed = (memory: WatchMemory, now: number): WatchMemory => {
  const n = Math.max(memory.n, Grid.next(memory.grid, now) - 1)
  return { ...memory, n, skipped: { ...memory.skipped, overlap: memory.skipped.overlap + (n - memory.n) } }
}

const checked = (memory: WatchMemory, now: number, error: Option.Option<CheckError>): WatchMemory => ({
  ...memory,
  lastCheckedAt: Option.some(now),
  lastError: error,
  counts: { ...memory.counts, checks: memory.counts.checks + 1 }
})

const forgiven = (memory: WatchMemory): WatchMemory => ({ ...memory, failures: 0, since: Option.none() })

const succeeded = (
  memory: WatchMemory,
  { changed, execution, keepsBase }: Extract<WatchHappening, { _tag: "Succeeded" }>,
  now: number
): Transition => {
  const { counts, ...after } = forgiven(checked(memory, now, Option.none()))
  const hasChanged = Option.isSome(changed)
  return {
    memory: scheduled(
      passed(
        {
          ...after,
          counts: { ...counts, changes: counts.changes + (hasChanged ? 1 : 0) },
          lastSuccessAt: Option.some(now),
          lastChangedAt: hasChanged ? Option.some(now) : memory.lastChangedAt,
          base: keepsBase ? memory.base : Option.some(execution)
        },
        now
      ),
      now
    ),
    notices: memory.failures >= failing ? ["watch.recovered"] : []
  }
}

const failed = (memory: WatchMemory, error: CheckError, now: number): Transition => {
  const { counts, ...after } = checked(memory, now, Option.some(error))
  const failures = memory.failures + 1
  const since = Option.orElseSome(memory.since, () => now)
  const next: WatchMemory = { ...after, failures, since, counts: { ...counts, failures: counts.failures + 1 } }
  if (failures >= hopeless && memory.status._tag === "Active" && now - Option.getOrElse(since, () => now) >= day)
    return suspended(next, "consecutive_failures")
  const rested = passed(next, now)
  return {
    memory: failures < failing ? scheduled(rested, now) : scheduled(rested, now + backoff(memory.grid, failures)),
    notices: failures === failing ? ["watch.failing"] : []
  }
}

// The first grid time at or after the end of the wait, so the moment before it is what the grid is asked from.
const backoff = (grid: Grid.Grid, failures: number): number =>
  Math.min(grid.interval * 2 ** (failures - failing + 1), day) - 1

const outOfQuota = (memory: WatchMemory, now: number): WatchMemory => {
  const whole = nextDay(now) + memory.grid.phase
  return {
    ...memory,
    // The times until then are passed over, all but the one that is made up for then.
    n: Math.max(memory.n, Grid.next(memory.grid, whole) - 2),
    lastCheckedAt: Option.some(now),
    lastError: Option.some(noQuota),
    nextDueAt: Option.some(whole),
    skipped: { ...memory.skipped, quota: memory.skipped.quota + 1 }
  }
}

const suspended = (memory: WatchMemory, reason: SuspensionReason): Transition => ({
  memory: { ...memory, status: { _tag: "Suspended", reason }, nextDueAt: Option.none() },
  notices: ["watch.suspended"]
})

const resumed = (memory: WatchMemory, now: number): WatchMemory => {
  const active: WatchMemory = { ...forgiven(memory), status: { _tag: "Active" } }
  const last = Option.getOrElse(memory.lastCheckedAt, () => Number.NEGATIVE_INFINITY)
  // What was missed on purpose is neither made up for nor counted.
  const n = Math.max(memory.n, Grid.next(memory.grid, now) - 1)
  return now - last > memory.grid.interval
    ? { ...active, n: Math.max(memory.n, n - 1), nextDueAt: Option.some(now + (memory.grid.phase % minute)) }
    : scheduled({ ...active, n }, now)
}

const minute = 60_000
const day = 86_400_000

// In a row: so many are told, and so many (over a day at least) end it.
const failing = 3
const hopeless = 10

const leaseLost: CheckError = { code: "lease_lost", detail: "The process that ran this check did not come back." }
const noQuota: CheckError = { code: "quota_exhausted", detail: "The key has no unit left today." }
