import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Sums of the reservations of days long past, and ways to what is past its days and to keys that nobody used. */
export const ledgerSums = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE reservation_sum (
      key_id TEXT    NOT NULL,
      day    TEXT    NOT NULL,
      kind   TEXT    NOT NULL CHECK (kind IN ('token', 'wallet', 'contract', 'watch')),
      state  TEXT    NOT NULL CHECK (state IN ('committed', 'released')),
      units  BIGINT  NOT NULL CHECK (units > 0),
      PRIMARY KEY (key_id, day, kind, state)
    )`
  yield* sql`CREATE INDEX reservation_sum_age ON reservation_sum (day)`
  yield* sql`CREATE INDEX reservation_age ON reservation (day) WHERE state <> 'reserved'`
  yield* sql`CREATE INDEX bucket_day_age ON bucket_day (day)`
  yield* sql`CREATE INDEX api_key_unused ON api_key (id, created_at) WHERE last_used_at IS NULL`
})
