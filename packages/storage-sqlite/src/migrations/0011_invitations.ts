import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Invitations to make keys, the plan of a key, which is shown of it, and which invitation made it by which request. */
export const invitations = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE invitation (
      id         TEXT    NOT NULL PRIMARY KEY,
      hash       TEXT    NOT NULL,
      label      TEXT    NOT NULL,
      plan       TEXT,
      uses       INTEGER NOT NULL CHECK (uses > 0),
      used       INTEGER NOT NULL CHECK (used BETWEEN 0 AND uses),
      created_at INTEGER NOT NULL,
      ends_at    INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE UNIQUE INDEX invitation_by_hash ON invitation (hash)`
  yield* sql`ALTER TABLE api_key ADD COLUMN plan TEXT`
  yield* sql`ALTER TABLE api_key ADD COLUMN invitation_id TEXT`
  yield* sql`ALTER TABLE api_key ADD COLUMN invitation_request TEXT`
  yield* sql`
    CREATE UNIQUE INDEX api_key_by_request ON api_key (invitation_id, invitation_request)
    WHERE invitation_request IS NOT NULL`
  yield* sql`DROP TRIGGER api_key_updated`
  yield* sql`
    CREATE TRIGGER api_key_updated AFTER UPDATE OF hash_version, hash, hint, label, state, daily_quota, plan, expires_at, source, former_hash, former_ends_at ON api_key BEGIN
      INSERT INTO key_version (key_id, version) VALUES (NEW.id, 1)
      ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
    END`
})
