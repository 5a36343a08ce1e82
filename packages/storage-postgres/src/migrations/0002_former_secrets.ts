import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** The secret that a key had before its last rotation, and until when it is accepted. */
export const formerSecrets = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`ALTER TABLE api_key ADD COLUMN former_hash TEXT, ADD COLUMN former_ends_at BIGINT`
  yield* sql`CREATE UNIQUE INDEX api_key_by_former_hash ON api_key (former_hash) WHERE former_hash IS NOT NULL`
})
