import type * as StorageError from "@assay/core/storage/StorageError"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Metric, Schedule, Schema } from "effect"
import { reading } from "./PgStore.js"

/**
 * The size of a database: its tables with their indexes in bytes, and the rows of each table as the server estimates them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Size {
  readonly bytes: number
  readonly rows: { readonly [table: string]: number }
}

const Row = Schema.Struct({ table: Schema.String, bytes: Schema.Int, rows: Schema.Int })
const decode = Schema.decodeUnknown(Schema.Array(Row))

/**
 * Measures the tables. Rows are what the statistics of the server say, which lag behind: counting would read all of them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const read: Effect.Effect<Size, StorageError.StorageError, SqlClient> = Effect.gen(function* () {
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
 * Keeps the gauges `assay_storage_bytes` and `assay_storage_rows` (by `table`) up to date.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, SqlClient> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const size = yield* read
    yield* Metric.set(bytes, size.bytes)
    for (const [table, count] of Object.entries(size.rows))
      yield* Metric.set(Metric.tagged(rows, "table", table), count)
  }).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.forkScoped)
)

const bytes = Metric.gauge("assay_storage_bytes", { description: "Size of the database, in bytes" })
const rows = Metric.gauge("assay_storage_rows", { description: "Rows of a table" })
