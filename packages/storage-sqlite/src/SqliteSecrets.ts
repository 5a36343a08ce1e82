import * as Secrets from "@assay/core/keys/Secrets"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import * as SqlSecrets from "@assay/storage-sql/SqlSecrets"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { transaction } from "./GroupCommit.js"
import { operation, whenUnlocked } from "./SqliteStore.js"

const decodeKey = Schema.decodeUnknown(Schema.Array(Schema.Struct({ rewritten: Schema.Int })))

/**
 * Seals with the current key the secrets of endpoints that are in clear, from before they were sealed, or sealed with an
 * older key. Then the file is rewritten and its log cut, so that nothing of the former is left in it. Fails where
 * something was sealed with a key that is not given; then nothing changes.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sealAll: SqlSecrets.Sealing = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { keyId } = yield* Secrets.Secrets
  const isRewritten = yield* transaction(sql)(
    Effect.gen(function* () {
      yield* sql`INSERT INTO secrets_key (id, rewritten) VALUES (${keyId}, 1) ON CONFLICT (id) DO NOTHING`
      const sealed = yield* SqlSecrets.sealAll({ sql, forUpdate: sql.literal("") })
      if (sealed > 0) yield* sql`UPDATE secrets_key SET rewritten = 0 WHERE id = ${keyId}`
      yield* sql`DELETE FROM secrets_key WHERE id <> ${keyId}`
      const [row] = yield* decodeKey(yield* sql`SELECT rewritten FROM secrets_key WHERE id = ${keyId}`)
      return row?.rewritten === 1
    })
  ).pipe(whenUnlocked, SqlSecrets.operation(operation, "SqliteSecrets.sealAll"))
  if (!isRewritten) yield* rewrite(sql, keyId)
})

// Where another process is in the way, the next start does it.
const rewrite = (sql: SqlClient, keyId: string) =>
  Effect.gen(function* () {
    yield* sql`VACUUM`
    const [checkpoint] = yield* sql<{ readonly busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`
    if (checkpoint?.busy !== 0) return yield* later("SQLITE_BUSY")
    yield* sql`UPDATE secrets_key SET rewritten = 1 WHERE id = ${keyId}`
  }).pipe(Effect.catchTag("SqlError", (error) => later(Option.getOrElse(codeOf(error), () => "SQLITE_ERROR"))))

const later = (code: string) =>
  Effect.logWarning(
    `Webhook secrets are encrypted now, but the database file could not be rewritten (${code}) and may still hold them in clear: restart while no other process uses it`
  )
