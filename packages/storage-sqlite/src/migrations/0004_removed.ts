import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Which executions there were and whose, when they are no longer kept. */
export const removed = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE execution_removed (
      id         TEXT    NOT NULL PRIMARY KEY,
      key_id     TEXT    NOT NULL,
      removed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE INDEX execution_removed_age ON execution_removed (removed_at)`
})
