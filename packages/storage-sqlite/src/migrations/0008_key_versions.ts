import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The tables that documents of a key are made of, the column of the key, and those that are shown. */
const shown = [
  {
    table: "api_key",
    key: "id",
    columns: ["hash_version", "hash", "state", "daily_quota", "expires_at", "source"]
  },
  { table: "reservation", key: "key_id", columns: ["day", "kind", "state"] },
  {
    table: "watch",
    key: "key_id",
    columns: ["label", "options", "updated_at", "memory", "state", "failing", "next_due_at", "revision", "live"]
  },
  { table: "webhook", key: "key_id", columns: ["state", "document"] },
  { table: "execution", key: "key_id", columns: ["status", "content_hash", "document", "document_id", "patch"] }
]

/**
 * A number per key that rises with every commit that changes what is shown to the key, whoever writes. What only the engine
 * remembers (the last use of a key, leases, attempts to deliver) does not count. The database counts by itself, so that no
 * statement can leave it out.
 */
export const keyVersions = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`
    CREATE TABLE key_version (
      key_id  TEXT    NOT NULL PRIMARY KEY,
      version INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`
  for (const { columns, key, table } of shown)
    for (const [event, name, row] of [
      ["INSERT", "inserted", "NEW"],
      [`UPDATE OF ${columns.join(", ")}`, "updated", "NEW"],
      ["DELETE", "deleted", "OLD"]
    ])
      yield* sql.unsafe(`
    CREATE TRIGGER ${table}_${name} AFTER ${event} ON ${table} BEGIN
      INSERT INTO key_version (key_id, version) VALUES (${row}.${key}, 1)
      ON CONFLICT (key_id) DO UPDATE SET version = version + 1;
    END`)
})
