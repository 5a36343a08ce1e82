/** @internal */

import { Effect } from "effect"
import * as Changes from "../changes/Changes.js"
import * as Reproduction from "../changes/Reproduction.js"
import type { ChangeReport } from "../domain/ChangeReport.js"

/**
 * Whether a report would alarm its reader, so that it is to be seen twice before it is told.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isNeeded = (report: ChangeReport): boolean => report.changes.some(Reproduction.isGrave)

/**
 * Holds a comparison against one of a later block, or of another endpoint: what alarms and is not seen again is not
 * told. Where there is no second reading to be had it is told, and said to be unverified.
 *
 * @since 0.1.0
 * @category combinators
 */
export const confirm = <E>(options: {
  readonly first: Changes.Comparison
  readonly again: Effect.Effect<Changes.Comparison, E>
}): Effect.Effect<Changes.Comparison> =>
  Effect.match(options.again, {
    onFailure: () => Changes.unverified(options.first),
    onSuccess: (second) => Changes.reproduced(options.first, second)
  })
