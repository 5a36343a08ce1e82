/** @internal */

import { type Context, Effect, Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { KeyId } from "../domain/Id.js"
import type { WatchRun } from "../domain/Watch.js"
import type { ExecutionStore } from "../storage/ExecutionStore.js"
import type { StorageError } from "../storage/StorageError.js"
import type { StoredWatch } from "../storage/WatchStore.js"

/**
 * A run that found changes, with them; null if they are past retention.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchRunChanges extends WatchRun {
  readonly change_report: ChangeReport | null
}

/**
 * The results of the checks of a watch.
 *
 * @since 0.1.0
 * @category models
 */
export interface WatchResults {
  /** The result of the last successful check, null before the first. */
  readonly last: (watch: StoredWatch) => Effect.Effect<AnalysisResult | null, StorageError>
  readonly withReport: (keyId: KeyId, run: WatchRun) => Effect.Effect<WatchRunChanges, StorageError>
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make = (executions: Context.Tag.Service<typeof ExecutionStore>): WatchResults => ({
  last: (watch) =>
    Effect.gen(function* () {
      // A check whose change was not reproduced is newer than the base.
      const { data } = yield* executions.list(
        watch.keyId,
        {
          kind: Option.none(),
          address: Option.none(),
          chainId: Option.none(),
          since: Option.none(),
          watchId: Option.some(watch.id)
        },
        { limit: 20, before: Option.none() }
      )
      const newest = data.find(({ status }) => status === "complete" || status === "partial")
      const id = Option.orElse(Option.fromNullable(newest?.execution_id), () => watch.memory.base)
      const stored = yield* Effect.transposeMapOption(id, (execution) => executions.find(watch.keyId, execution))
      return Option.getOrNull(Option.map(Option.flatten(stored), ({ result }) => result))
    }),
  withReport: (keyId, run) =>
    Effect.map(
      Effect.transposeMapOption(Option.fromNullable(run.execution_id), (execution) =>
        executions.find(keyId, execution)
      ),
      (stored) => ({
        ...run,
        change_report: Option.getOrNull(
          Option.flatMapNullable(Option.flatten(stored), ({ result }) => result.change_report)
        )
      })
    )
})
