/** @internal */

import { Effect } from "effect"
import * as Changes from "../changes/Changes.js"
import * as Reproduction from "../changes/Reproduction.js"
import type { ChangeReport } from "../domain/ChangeReport.js"

/** Whether a report would alarm its reader, so that it has to be seen twice before it is reported. */
export const isNeeded = (report: ChangeReport): boolean => report.changes.some(Reproduction.isGrave)

/**
 * Compares again at a later block, or by another endpoint: a grave change that is not seen again is not reported.
 * Without a second reading it is reported as unverified.
 */
export const confirm = <E>(options: {
  readonly first: Changes.Comparison
  readonly again: Effect.Effect<Changes.Comparison, E>
}): Effect.Effect<Changes.Comparison> =>
  Effect.match(options.again, {
    onFailure: () => Changes.unverified(options.first),
    onSuccess: (second) => Changes.reproduced(options.first, second)
  })
