import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Which execution an idempotency key of an API key stands for. */
export const idempotency = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE idempotency_key (
      key_id       TEXT    NOT NULL,
      name         TEXT    NOT NULL,
      fingerprint  TEXT    NOT NULL,
      execution_id TEXT    NOT NULL,
      bound_at     INTEGER NOT NULL,
      PRIMARY KEY (key_id, name)
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE INDEX idempotency_key_age ON idempotency_key (bound_at)`
})
