import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/**
 * With which key the secrets of endpoints are sealed, and whether the file was rewritten since, so that no page that is
 * not used any more still holds what they were before.
 */
export const sealed = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE secrets_key (
      id        TEXT    NOT NULL PRIMARY KEY,
      rewritten INTEGER NOT NULL CHECK (rewritten IN (0, 1))
    ) STRICT, WITHOUT ROWID`
})
