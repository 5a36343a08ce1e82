/** @internal */

import { type Context, Effect, Option, Schema } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import { Change, type ChangeReport } from "../domain/ChangeReport.js"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import { Risk } from "../domain/Risk.js"
import type { WatchRun } from "../domain/Watch.js"
import type { WatchHistoryCheck } from "../domain/WatchHistory.js"
import type { ExecutionStore } from "../storage/ExecutionStore.js"
import type { StorageError } from "../storage/StorageError.js"
import type { StoredWatch } from "../storage/WatchStore.js"

/** A run that found changes, with them; null if they are past retention. */
export interface WatchRunChanges extends WatchRun {
  readonly change_report: ChangeReport | null
}

/** The results of the checks of a watch. */
export interface WatchResults {
  /** The result of the last successful check, null before the first. */
  readonly last: (watch: StoredWatch) => Effect.Effect<AnalysisResult | null, StorageError>
  /** The same as the text that is stored. */
  readonly lastText: (watch: StoredWatch) => Effect.Effect<Option.Option<string>, StorageError>
  /** A run with the score and the changes that it found. */
  readonly check: (keyId: KeyId, run: WatchRun) => Effect.Effect<WatchHistoryCheck, StorageError>
  readonly withReport: (keyId: KeyId, run: WatchRun) => Effect.Effect<WatchRunChanges, StorageError>
}

export const make = (executions: Context.Tag.Service<typeof ExecutionStore>): WatchResults => {
  const idOfLast = (watch: StoredWatch) =>
    Effect.map(
      executions.list(
        watch.keyId,
        {
          kind: Option.none(),
          address: Option.none(),
          chainId: Option.none(),
          since: Option.none(),
          watchId: Option.some(watch.id)
        },
        { limit: 20, before: Option.none() }
      ),
      // A check with a change that was not reproduced is newer than the base.
      ({ data }) =>
        Option.orElse(
          Option.fromNullable(data.find(({ status }) => status === "complete" || status === "partial")?.execution_id),
          () => watch.memory.base
        )
    )
  const ofLast = <A>(
    watch: StoredWatch,
    read: (id: ExecutionId) => Effect.Effect<Option.Option<A>, StorageError>
  ): Effect.Effect<Option.Option<A>, StorageError> =>
    Effect.flatMap(idOfLast(watch), (id) => Effect.map(Effect.transposeMapOption(id, read), Option.flatten))

  return {
    last: (watch) =>
      Effect.map(
        ofLast(watch, (id) => executions.find(watch.keyId, id)),
        (stored) => Option.getOrNull(Option.map(stored, ({ result }) => result))
      ),
    lastText: (watch) =>
      Effect.map(
        ofLast(watch, (id) => executions.document(watch.keyId, id)),
        Option.map(({ text }) => text)
      ),
    check: (keyId, run) =>
      run.status !== "succeeded" || run.execution_id === null
        ? Effect.succeed({ run, ...nothing })
        : Effect.zipRight(
            // A document takes a millisecond or two to read.
            Effect.yieldNow(),
            Effect.map(executions.document(keyId, run.execution_id), (stored) => ({
              run,
              ...Option.getOrElse(
                Option.flatMap(stored, ({ text }) => read(text)),
                () => nothing
              )
            }))
          ),
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
  }
}

const nothing: Omit<WatchHistoryCheck, "run"> = { risk: null, changes: [] }

const Checked = Schema.parseJson(
  Schema.Struct({
    facts: Schema.Struct({ risk: Schema.NullOr(Risk.pipe(Schema.pick("level", "range", "score"))) }),
    change_report: Schema.NullOr(
      Schema.Struct({
        changes: Schema.Array(Change.pipe(Schema.pick("direction", "id", "kind", "severity", "subject", "title")))
      })
    )
  })
)

/** Of a stored result what a history shows; none where it cannot be read as one. */
const read = (text: string): Option.Option<Omit<WatchHistoryCheck, "run">> =>
  Option.map(Schema.decodeUnknownOption(Checked)(text), ({ change_report, facts: { risk } }) => ({
    risk,
    changes: change_report?.changes ?? []
  }))
