/** @internal */

import { Option } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { WatchOptions } from "../domain/Watch.js"
import type { StoredWatch, WatchContent } from "../storage/WatchStore.js"
import * as Grid from "./Grid.js"
import * as Transition from "./Transition.js"

/**
 * What of a watch is to change; what is not named stays, inside `options` too.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchChange {
  readonly label?: string | undefined
  readonly intervalSeconds?: number | undefined
  readonly options?: Partial<WatchOptions> | undefined
}

/**
 * What of a watch can change, as it is.
 *
 * @since 0.1.0
 * @category combinators
 */
export const contentOf = ({ label, memory, options, updatedAt }: StoredWatch): WatchContent => ({
  label,
  memory,
  options,
  updatedAt
})

/**
 * What a watch becomes by a change of its owner, none where that changes nothing. A new interval begins a new grid and
 * forgives failures; nothing else moves the grid.
 *
 * @since 0.1.0
 * @category combinators
 */
export const changed = (watch: StoredWatch, change: WatchChange, now: number): Option.Option<WatchContent> => {
  const label = change.label ?? watch.label
  const options = { ...watch.options, ...change.options }
  const intervalSeconds = change.intervalSeconds ?? watch.memory.grid.interval / 1000
  const isMoved = intervalSeconds * 1000 !== watch.memory.grid.interval
  if (label === watch.label && !isMoved && CanonicalJson.hash(options) === CanonicalJson.hash(watch.options))
    return Option.none()
  const memory = isMoved
    ? Transition.apply(
        watch.memory,
        { _tag: "Rescheduled", grid: Grid.make(watch.id, { anchor: now, intervalSeconds }) },
        now
      ).memory
    : watch.memory
  return Option.some({ label, options, memory, updatedAt: now })
}
