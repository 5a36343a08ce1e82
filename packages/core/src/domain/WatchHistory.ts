import type { Change } from "./ChangeReport.js"
import type { Risk } from "./Risk.js"
import type { Watch, WatchRun } from "./Watch.js"

/**
 * One check of a watch with what it found. `risk` is null where it has no result, or its result is past retention.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchHistoryCheck {
  readonly run: WatchRun
  readonly risk: Pick<Risk, "level" | "range" | "score"> | null
  readonly changes: ReadonlyArray<Pick<Change, "direction" | "id" | "kind" | "severity" | "subject" | "title">>
}

/**
 * A watch with its newest checks, the oldest of them first. `isWhole` is false where there are earlier ones.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchHistory {
  readonly watch: Watch
  readonly checks: ReadonlyArray<WatchHistoryCheck>
  readonly isWhole: boolean
}
