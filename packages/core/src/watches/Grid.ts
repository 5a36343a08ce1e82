import * as Hash from "ox/Hash"
import * as OxHex from "ox/Hex"
import type { WatchId } from "../domain/Id.js"
import type { WatchGrid } from "../domain/WatchMemory.js"

/**
 * The times at which a watch is due. They are counted, not chained: nothing drifts, and a clock that moves back makes
 * no check due twice.
 *
 * @since 0.1.0
 * @category models
 */
export type Grid = WatchGrid

/**
 * The grid of a watch from a time on. Its phase depends on its id only, and is below a tenth of the interval and below
 * five minutes. So watches that were created together are not due together, and a restart moves none.
 * @since 0.1.0
 * @category constructors
 */
export const make = (id: WatchId, options: { readonly anchor: number; readonly intervalSeconds: number }): Grid => {
  const interval = options.intervalSeconds * second
  return { anchor: options.anchor, interval, phase: spread(id, Math.min(interval / 10, 300 * second)) }
}

/**
 * A number from 0 to below `width` that is derived from an id.
 *
 * @since 0.1.0
 * @category combinators
 */
export const spread = (id: string, width: number): number =>
  width < 1 ? 0 : Number(BigInt(Hash.sha256(OxHex.fromString(id)).slice(0, 18)) % BigInt(Math.floor(width)))

/**
 * The time of the n-th check. Check 0, the first one, is due within a minute of the anchor.
 *
 * @since 0.1.0
 * @category combinators
 */
export const due = (grid: Grid, n: number): number =>
  n === 0 ? grid.anchor + (grid.phase % (60 * second)) : grid.anchor + n * grid.interval + grid.phase

/**
 * The number of the first check that is due after a time.
 *
 * @since 0.1.0
 * @category combinators
 */
export const next = (grid: Grid, after: number): number => {
  if (after < due(grid, 0)) return 0
  return Math.max(1, Math.floor((after - grid.anchor - grid.phase) / grid.interval) + 1)
}

const second = 1_000
