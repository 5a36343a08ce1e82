import type * as StorageError from "@assay/core/storage/StorageError"
import * as SqlSize from "@assay/storage-sql/SqlSize"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Metric, Schedule, Schema } from "effect"
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

const decodeWaits = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ waits: Schema.Int })))

/** What waits for a lock in this database, of every process of it. */
const lockWaits = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [{ waits }] = yield* decodeWaits(
    yield* sql`
    SELECT count(*)::int AS waits FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  )
  yield* Metric.set(waiting, waits)
}).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("15 seconds")), Effect.forkScoped)

const waiting = Metric.gauge("assay_postgres_lock_waits", {
  description: "Statements of all processes that wait for a lock of this Postgres database."
})

/**
 * Keeps the gauges of its size and `assay_postgres_lock_waits` up to date.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, SqlClient> = Layer.merge(
  SqlSize.layer(read),
  Layer.scopedDiscard(lockWaits)
)
