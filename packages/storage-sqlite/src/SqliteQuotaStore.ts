import type * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as QuotaStore from "@assay/core/storage/QuotaStore"
import * as SqlQuotaStore from "@assay/storage-sql/SqlQuotaStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Data, Effect, Layer } from "effect"
import { database } from "./SqliteDatabase.js"
import type { SqliteHealth } from "./SqliteHealth.js"
import type { SqliteReads } from "./SqliteReads.js"

/**
 * Units in SQLite: one row per reservation, the units taken from each bucket per day, and the sums of days long past.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<QuotaStore.QuotaStore, never, SqlClient | SqliteHealth | SqliteReads> = Layer.effect(
  QuotaStore.QuotaStore,
  Effect.map(database, (database) => {
    const { operation, sql, transaction } = database

    const takeOne = (bucket: QuotaStore.Bucket, day: string) => sql`
      INSERT INTO bucket_day (bucket, day, taken)
      SELECT ${bucket.name}, ${day}, 1 WHERE ${bucket.limit} >= 1
      ON CONFLICT (bucket, day) DO UPDATE SET taken = taken + 1 WHERE taken + 1 <= ${bucket.limit}
      RETURNING taken`

    return {
      ...SqlQuotaStore.make(database),
      reserve: Effect.fn("QuotaStore.reserve")(function* (request: QuotaStore.ReserveRequest) {
        const { buckets, id, keyId, kind, now } = request
        const day = Timestamp.dayOf(now)
        const names = JSON.stringify(buckets.map((bucket) => bucket.name))
        return yield* Effect.gen(function* () {
          const inserted = yield* sql`
            INSERT INTO reservation (id, key_id, day, kind, state, reserved_at, buckets)
            VALUES (${id}, ${keyId}, ${day}, ${kind}, 'reserved', ${now}, ${names})
            ON CONFLICT (id) DO NOTHING
            RETURNING id`
          // It was granted before.
          if (inserted.length === 0) return
          for (const bucket of buckets)
            if ((yield* takeOne(bucket, day)).length === 0) return yield* new Full({ bucket: bucket.name })
        }).pipe(
          transaction(),
          Effect.as<QuotaStore.ReserveAnswer>({ _tag: "Reserved" }),
          // The failure rolls back the other buckets.
          Effect.catchTag("Full", ({ bucket }) => Effect.succeed<QuotaStore.ReserveAnswer>({ _tag: "Refused", bucket }))
        )
      }, operation("QuotaStore.reserve")),
      settle: Effect.fn("QuotaStore.settle")(
        function* (id: Id.ExecutionId, state: "committed" | "released", now: number) {
          const settled = yield* sql`
            UPDATE reservation SET state = ${state}, settled_at = ${now}
            WHERE id = ${id} AND state = 'reserved'
            RETURNING id`
          if (settled.length === 0) return false
          if (state === "released")
            yield* sql`
              UPDATE bucket_day SET taken = taken - 1
              FROM reservation
              WHERE reservation.id = ${id} AND bucket_day.day = reservation.day
                AND bucket_day.bucket IN (SELECT value FROM json_each(reservation.buckets))`
          return true
        },
        (self) => operation("QuotaStore.settle")(transaction()(self))
      ),
      redate: Effect.fn("QuotaStore.redate")(
        function* (keyId: Id.KeyId, now: number) {
          const day = Timestamp.dayOf(now)
          const late = sql`
            SELECT value AS bucket, day, count(*) AS units FROM reservation, json_each(reservation.buckets)
            WHERE key_id = ${keyId} AND day > ${day} AND state <> 'released'
            GROUP BY value, day`
          yield* sql`
            UPDATE bucket_day SET taken = taken - late.units FROM (${late}) AS late
            WHERE bucket_day.bucket = late.bucket AND bucket_day.day = late.day`
          yield* sql`
            INSERT INTO bucket_day (bucket, day, taken)
            SELECT bucket, ${day}, sum(units) FROM (${late}) WHERE true GROUP BY bucket
            ON CONFLICT (bucket, day) DO UPDATE SET taken = taken + excluded.taken`
          const moved = yield* sql`
            UPDATE reservation SET day = ${day} WHERE key_id = ${keyId} AND day > ${day} RETURNING id`
          return moved.length
        },
        (self) => operation("QuotaStore.redate")(transaction()(self))
      )
    }
  })
)

class Full extends Data.TaggedError("Full")<{ readonly bucket: string }> {}
