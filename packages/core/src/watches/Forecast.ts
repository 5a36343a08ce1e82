/** @internal */

import { Option } from "effect"
import { fromMillis, nextDay } from "../domain/Timestamp.js"
import type { Usage } from "../domain/Usage.js"
import type { WatchGrid } from "../domain/WatchMemory.js"
import type { StoredWatch } from "../storage/WatchStore.js"
import * as Grid from "./Grid.js"

/** The checks per day of a grid, with fractions. */
export const unitsPerDay = (grid: WatchGrid): number => day / grid.interval

/** The units per day that the active watches among these need. */
export const needed = (watches: ReadonlyArray<StoredWatch>): number =>
  Math.ceil(
    watches
      .filter(({ memory }) => memory.status._tag === "Active")
      .reduce((sum, { memory }) => sum + unitsPerDay(memory.grid), 0)
  )

/** The units that the watches of a key will need today, beside those that it has left. */
export const make = (
  watches: ReadonlyArray<StoredWatch>,
  usage: Pick<Usage, "daily_quota" | "remaining">,
  now: number
): Usage["forecast"] => {
  const left = watches.flatMap((watch) => dueUntil(watch, now, nextDay(now))).sort((a, b) => a - b)
  const firstRefused = left[usage.remaining]
  const perDay = needed(watches)
  return {
    watch_units_per_day: perDay,
    watch_units_left_today: left.length,
    exhausts_at: firstRefused === undefined ? null : fromMillis(firstRefused),
    over_quota: perDay > usage.daily_quota
  }
}

/**
 * Until when (epoch milliseconds) a forecast made now stays the same if no watch changes: until the first is due, and not at
 * all while one is overdue.
 */
export const holdsUntil = (watches: ReadonlyArray<StoredWatch>, now: number): number =>
  watches.reduce(
    (until, { memory }) =>
      Option.match(memory.nextDueAt, { onNone: () => until, onSome: (due) => Math.min(until, Math.max(due, now)) }),
    Number.POSITIVE_INFINITY
  )

/** The times at which a watch will be checked, from now to before `end`. What is overdue is checked now. */
const dueUntil = ({ memory }: StoredWatch, now: number, end: number): ReadonlyArray<number> =>
  Option.match(memory.nextDueAt, {
    onNone: () => [],
    onSome: (due) => {
      const first = Math.max(due, now)
      if (first >= end) return []
      const n = Grid.next(memory.grid, first)
      const after = Array.from({ length: Math.max(0, Grid.next(memory.grid, end - 1) - n) }, (_, index) =>
        Grid.due(memory.grid, n + index)
      )
      return [first, ...after]
    }
  })

const day = 86_400_000
