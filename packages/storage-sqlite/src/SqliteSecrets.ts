import * as Id from "@assay/core/domain/Id"
import * as Secrets from "@assay/core/keys/Secrets"
import type * as StorageError from "@assay/core/storage/StorageError"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { transaction } from "./GroupCommit.js"
import { codeOf, operation, whenUnlocked } from "./SqliteStore.js"

const SigningSecrets = Schema.parseJson(
  Schema.Array(Schema.Struct({ secret: Schema.String, until: Schema.NullOr(Schema.Int) }))
)
const decodeRows = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.WebhookId, secrets: SigningSecrets })))
const decodeKey = Schema.decodeUnknown(Schema.Array(Schema.Struct({ rewritten: Schema.Int })))
const encodeSecrets = Schema.encode(SigningSecrets)

/**
 * Seals with the current key the secrets of endpoints that are in clear, from before they were sealed, or sealed with an
 * older key. Then the file is rewritten and its log cut, so that nothing of the former is left in it. Fails where
 * something was sealed with a key that is not given; then nothing changes.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sealAll: Effect.Effect<
  void,
  StorageError.StorageError | Secrets.SecretUnreadable,
  SqlClient | Secrets.Secrets
> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const secrets = yield* Secrets.Secrets
  const { keyId } = secrets

  const sealedAnew = (secret: string, place: Id.WebhookId) =>
    Option.match(Secrets.keyIdOf(secret), {
      onNone: () => secrets.seal(secret, place),
      onSome: (id) =>
        id === keyId
          ? // Opened to find out now, and not with the first message, that it is not what it was.
            Effect.as(secrets.open(secret, place), secret)
          : Effect.flatMap(secrets.open(secret, place), (opened) => secrets.seal(opened, place))
    })

  const isRewritten = yield* transaction(sql)(
    Effect.gen(function* () {
      yield* sql`INSERT INTO secrets_key (id, rewritten) VALUES (${keyId}, 1) ON CONFLICT (id) DO NOTHING`
      for (const { id, secrets: before } of yield* decodeRows(yield* sql`SELECT id, secrets FROM webhook`)) {
        const after = yield* Effect.forEach(before, ({ secret, until }) =>
          Effect.map(sealedAnew(secret, id), (sealed) => ({ secret: sealed, until }))
        )
        if (after.every(({ secret }, index) => secret === before[index]?.secret)) continue
        yield* sql`UPDATE webhook SET secrets = ${yield* encodeSecrets(after)} WHERE id = ${id}`
        yield* sql`UPDATE secrets_key SET rewritten = 0 WHERE id = ${keyId}`
      }
      yield* sql`DELETE FROM secrets_key WHERE id <> ${keyId}`
      const [row] = yield* decodeKey(yield* sql`SELECT rewritten FROM secrets_key WHERE id = ${keyId}`)
      return row?.rewritten === 1
    })
  ).pipe(
    whenUnlocked,
    Effect.catchAll(
      (error): Effect.Effect<never, StorageError.StorageError | Secrets.SecretUnreadable> =>
        error._tag === "SecretUnreadable" ? Effect.fail(error) : operation("SqliteSecrets.sealAll")(Effect.fail(error))
    )
  )
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
