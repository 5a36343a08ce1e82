import type * as StorageError from "@assay/core/storage/StorageError"
import * as SqlSize from "@assay/storage-sql/SqlSize"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, type Layer, Schema } from "effect"
import { reading } from "./PgStore.js"

const Row = Schema.Struct({ table: Schema.String, bytes: Schema.Int, rows: Schema.Int })
const decode = Schema.decodeUnknown(Schema.Array(Row))

/**
 * Measures the tables. Rows are what the statistics of the server say, which lag behind: counting would read all of them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const read: Effect.Effect<SqlSize.Size, StorageError.StorageError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* decode(
    yield* sql`
    SELECT relname AS table, pg_total_relation_size(relid) AS bytes, n_live_tup AS rows
    FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname <> 'effect_sql_migrations'`
  )
  return {
    bytes: tables.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: Object.fromEntries(tables.map(({ rows, table }) => [table, rows]))
  }
}).pipe(reading("PgSize.read"), Effect.withSpan("PgSize.read"))

/**
 * Keeps the gauges of its size up to date.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, SqlClient> = SqlSize.layer(read)
