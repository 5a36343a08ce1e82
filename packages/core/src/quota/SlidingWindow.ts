/** @internal */

import type { Rate } from "./TokenBucket.js"

/**
 * When something was done, oldest first, as far back as the window reaches, in epoch milliseconds. It is exact: in no
 * stretch of time as long as the window is there more than the limit. It costs a number an event, so limits are small.
 *
 * @since 0.1.0
 * @category models
 */
export type SlidingWindow = ReadonlyArray<number>

/**
 * The window at a later moment, without what has left it. What a clock that went back made future counts as now.
 *
 * @since 0.1.0
 * @category combinators
 */
export const slide = (window: SlidingWindow, rate: Rate, now: number): SlidingWindow =>
  window.filter((at) => at > now - rate.windowMillis).map((at) => Math.min(at, now))

/**
 * The window with one more event, now.
 *
 * @since 0.1.0
 * @category combinators
 */
export const take = (window: SlidingWindow, now: number): SlidingWindow => [...window, now]

/**
 * How many events still fit.
 *
 * @since 0.1.0
 * @category combinators
 */
export const remaining = (window: SlidingWindow, rate: Rate): number => Math.max(0, rate.limit - window.length)

/**
 * Milliseconds until the oldest event leaves, 0 where there is none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const millisUntilOldestLeaves = (window: SlidingWindow, rate: Rate, now: number): number =>
  window[0] === undefined ? 0 : Math.max(0, window[0] + rate.windowMillis - now)
