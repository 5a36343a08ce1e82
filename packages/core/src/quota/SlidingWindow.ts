/** @internal */

import type { Rate } from "./TokenBucket.js"

/**
 * The times of the events in a window, oldest first, in epoch milliseconds. It is exact: no interval of the length of
 * the window has more than the limit. It stores one number per event, so limits are small.
 */
export type SlidingWindow = ReadonlyArray<number>

/**
 * The window at a later time, without the events that left it. After a clock moved back, future events count as now.
 */
export const slide = (window: SlidingWindow, rate: Rate, now: number): SlidingWindow =>
  window.filter((at) => at > now - rate.windowMillis).map((at) => Math.min(at, now))

/** The window with one more event, now. */
export const take = (window: SlidingWindow, now: number): SlidingWindow => [...window, now]

/** How many more events fit. */
export const remaining = (window: SlidingWindow, rate: Rate): number => Math.max(0, rate.limit - window.length)

/** Milliseconds until the oldest event leaves the window, 0 if there is none. */
export const millisUntilOldestLeaves = (window: SlidingWindow, rate: Rate, now: number): number =>
  window[0] === undefined ? 0 : Math.max(0, window[0] + rate.windowMillis - now)
