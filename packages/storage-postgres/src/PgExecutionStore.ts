import * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import * as Id from "@assay/core/domain/Id"
import * as ExecutionStore from "@assay/core/storage/ExecutionStore"
import * as SqlExecutionStore from "@assay/storage-sql/SqlExecutionStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { database } from "./PgDatabase.js"

const RunningRow = Schema.Struct({ id: Id.ExecutionId, document: Schema.parseJson(AnalysisResult.AnalysisResult) })
const decodeRunning = Schema.decodeUnknown(Schema.Array(RunningRow))

/**
 * Executions in Postgres.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ExecutionStore.ExecutionStore, never, SqlClient> = Layer.effect(
  ExecutionStore.ExecutionStore,
  Effect.map(database, (database) => {
    const { sql } = database

    /** Fails running executions; the document is decided here, because JSON text keeps what jsonb refuses. */
    const failAll = Effect.fnUntraced(function* (
      rows: ReadonlyArray<object>,
      failure: AnalysisResult.ExecutionFailure,
      now: number,
      keepsToken: boolean
    ) {
      const found = yield* decodeRunning(rows)
      for (const { document, id } of found)
        yield* sql`
          UPDATE execution
          SET status = 'failed', completed_at = ${now}, lease_token = ${keepsToken ? sql`lease_token` : sql`NULL`},
            document = ${JSON.stringify(ExecutionStore.failed(document, failure, now))}
          WHERE id = ${id}`
      return found.map(({ id }) => id)
    })

    return SqlExecutionStore.make(database, {
      fail: Effect.fnUntraced(function* (id, token, failure, now) {
        const rows = yield* sql`
          SELECT id, document FROM execution
          WHERE id = ${id} AND lease_token = ${token} AND status = 'running' FOR UPDATE`
        return (yield* failAll(rows, failure, now, true)).length > 0
      }),
      expire: Effect.fnUntraced(function* (now, limit) {
        const rows = yield* sql`
          SELECT id, document FROM execution WHERE status = 'running' AND lease_until <= ${now}
          ORDER BY lease_until LIMIT ${limit} FOR UPDATE SKIP LOCKED`
        return yield* failAll(rows, ExecutionStore.leaseLost, now, false)
      })
    })
  })
)
