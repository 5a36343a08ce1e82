import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/**
 * The secret that a key had before its last rotation, and until when it is accepted. With it, what is shown of a key beside
 * the columns of before: its label, its hint and when its former secret ends.
 */
export const formerSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE api_key ADD COLUMN former_hash TEXT`
  yield* sql`ALTER TABLE api_key ADD COLUMN former_ends_at INTEGER`
  yield* sql`CREATE UNIQUE INDEX api_key_by_former_hash ON api_key (former_hash) WHERE former_hash IS NOT NULL`
  yield* sql`DROP TRIGGER api_key_updated`
  yield* sql`
    CREATE TRIGGER api_key_updated AFTER UPDATE OF hash_version, hash, hint, label, state, daily_quota, expires_at, source, former_hash, former_ends_at ON api_key BEGIN
      INSERT INTO key_version (key_id, version) VALUES (NEW.id, 1)
      ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
    END`
})
