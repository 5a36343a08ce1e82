import type * as StorageError from "@assay/core/storage/StorageError"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Metric, Schedule, Schema } from "effect"
import { operation } from "./SqliteStore.js"

/**
 * The size of a database: its file in bytes, how many of these are free for new rows, and the rows of its tables.
 *
 * @since 0.1.0
 * @category models
 */
export interface Size {
  readonly bytes: number
  readonly free: number
  readonly rows: { readonly [table: string]: number }
}

/** The tables that grow with use. */
const tables = [
  "execution",
  "execution_removed",
  "idempotency_key",
  "reservation",
  "watch",
  "watch_run",
  "outbox",
  "event",
  "delivery"
]

const PagesRow = Schema.Struct({ pages: Schema.Int, free: Schema.Int, page: Schema.Int })
const RowsRow = Schema.Struct({ rows: Schema.Int })
const decodePages = Schema.decodeUnknown(Schema.NonEmptyArray(PagesRow))
const decodeRows = Schema.decodeUnknown(Schema.NonEmptyArray(RowsRow))

/**
 * Measures the database. Pages of removed rows are reused before the file grows, and it never shrinks: its size is that
 * of the most data it ever had.
 *
 * @since 0.1.0
 * @category combinators
 */
export const read: Effect.Effect<Size, StorageError.StorageError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [{ free, page, pages }] = yield* decodePages(
    yield* sql`
    SELECT page_count AS pages, freelist_count AS free, page_size AS page
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  )
  const rows: { [table: string]: number } = {}
  // One statement each: a statement blocks this process until it has counted.
  for (const table of tables) {
    const [counted] = yield* decodeRows(yield* sql`SELECT count(*) AS rows FROM ${sql(table)}`)
    rows[table] = counted.rows
  }
  return { bytes: pages * page, free: free * page, rows }
}).pipe(operation("SqliteSize.read"), Effect.withSpan("SqliteSize.read"))

/**
 * Keeps the gauges `assay_storage_bytes`, `assay_storage_free_bytes` and `assay_storage_rows` (by `table`) up to date.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, SqlClient> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { bytes: total, free: unused, rows } = yield* read
    yield* Metric.set(bytes, total)
    yield* Metric.set(free, unused)
    for (const table of tables) yield* Metric.set(Metric.tagged(rowsOf, "table", table), rows[table] ?? 0)
  }).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.forkScoped)
)

// As in Postgres, since a gauge is known by its name and its description.
const bytes = Metric.gauge("assay_storage_bytes", { description: "Size of the database, in bytes" })
const free = Metric.gauge("assay_storage_free_bytes", {
  description: "What of the database file is free for new rows, in bytes"
})
const rowsOf = Metric.gauge("assay_storage_rows", { description: "Rows of a table" })
