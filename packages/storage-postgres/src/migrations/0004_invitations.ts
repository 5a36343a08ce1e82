import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Invitations to make keys, the plan of a key, and which invitation made it by which request. */
export const invitations = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE invitation (
      id         TEXT    NOT NULL PRIMARY KEY,
      hash       TEXT    NOT NULL,
      label      TEXT    NOT NULL,
      plan       TEXT,
      uses       BIGINT  NOT NULL CHECK (uses > 0),
      used       BIGINT  NOT NULL CHECK (used BETWEEN 0 AND uses),
      created_at BIGINT  NOT NULL,
      ends_at    BIGINT  NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX invitation_by_hash ON invitation (hash)`
  yield* sql`
    ALTER TABLE api_key ADD COLUMN plan TEXT, ADD COLUMN invitation_id TEXT, ADD COLUMN invitation_request TEXT`
  yield* sql`
    CREATE UNIQUE INDEX api_key_by_request ON api_key (invitation_id, invitation_request)
    WHERE invitation_request IS NOT NULL`
})
