import type * as StorageError from "@assay/core/storage/StorageError"
import * as SqlSize from "@assay/storage-sql/SqlSize"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, type Layer, Schema } from "effect"
import { operation } from "./SqliteStore.js"

/** The tables that grow with use. */
const tables = [
  "execution",
  "execution_removed",
  "idempotency_key",
  "reservation",
  "reservation_sum",
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
export const read: Effect.Effect<SqlSize.Size, StorageError.StorageError, SqlClient> = Effect.gen(function* () {
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
 * Keeps the gauges of its size up to date.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<never, never, SqlClient> = SqlSize.layer(read)
