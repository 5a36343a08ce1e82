import type { StorageError } from "@assay/core/storage/StorageError"
import { Effect, Layer, Metric, Schedule } from "effect"

/**
 * The size of a database in bytes, how many of these are free for new rows where that is known, and the rows of its tables.
 *
 * @since 0.1.0
 * @category models
 */
export interface Size {
  readonly bytes: number
  readonly free?: number
  readonly rows: { readonly [table: string]: number }
}

/**
 * Keeps the gauges `assay_storage_bytes`, `assay_storage_free_bytes` and `assay_storage_rows` (by `table`) up to date.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <R>(read: Effect.Effect<Size, StorageError, R>): Layer.Layer<never, never, R> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const size = yield* read
      yield* Metric.set(bytes, size.bytes)
      if (size.free !== undefined) yield* Metric.set(free, size.free)
      for (const [table, count] of Object.entries(size.rows))
        yield* Metric.set(Metric.tagged(rows, "table", table), count)
    }).pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 minutes")), Effect.forkScoped)
  )

const bytes = Metric.gauge("assay_storage_bytes", { description: "Size of the database, in bytes" })
const free = Metric.gauge("assay_storage_free_bytes", {
  description: "What of the database file is free for new rows, in bytes"
})
const rows = Metric.gauge("assay_storage_rows", { description: "Rows of a table" })
