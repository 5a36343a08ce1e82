import type * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as ExecutionStore from "@assay/core/storage/ExecutionStore"
import * as SqlExecutionStore from "@assay/storage-sql/SqlExecutionStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import { database } from "./SqliteDatabase.js"
import type { SqliteHealth } from "./SqliteHealth.js"
import type { SqliteReads } from "./SqliteReads.js"

const decodeIds = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.ExecutionId })))

/**
 * Executions in SQLite.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ExecutionStore.ExecutionStore, never, SqlClient | SqliteHealth | SqliteReads> =
  Layer.effect(
    ExecutionStore.ExecutionStore,
    Effect.map(database, (database) => {
      const { sql } = database

      /** What `ExecutionStore.failed` does to a document, in place. */
      const failedDocument = (failure: AnalysisResult.ExecutionFailure, now: number) => sql`
      json_set(document,
        '$.status', 'failed',
        '$.error', json(${JSON.stringify(failure)}),
        '$.completed_at', ${Timestamp.fromMillis(now)},
        '$.progress', json('null'),
        '$.units', 0)`

      return SqlExecutionStore.make(database, {
        fail: Effect.fnUntraced(function* (id, token, failure, now) {
          const failed = yield* sql`
            UPDATE execution SET status = 'failed', completed_at = ${now}, document = ${failedDocument(failure, now)}
            WHERE id = ${id} AND lease_token = ${token} AND status = 'running'
            RETURNING id`
          return failed.length > 0
        }),
        expire: Effect.fnUntraced(function* (now, limit) {
          const expired = yield* decodeIds(
            yield* sql`
            UPDATE execution
            SET status = 'failed', completed_at = ${now}, lease_token = NULL,
              document = ${failedDocument(ExecutionStore.leaseLost, now)}
            WHERE seq IN (
              SELECT seq FROM execution WHERE status = 'running' AND lease_until <= ${now}
              ORDER BY lease_until LIMIT ${limit})
            RETURNING id`
          )
          return expired.map((row) => row.id)
        })
      })
    })
  )
