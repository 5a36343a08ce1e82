import * as Id from "@assay/core/domain/Id"
import * as Secrets from "@assay/core/keys/Secrets"
import type * as StorageError from "@assay/core/storage/StorageError"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option, Schema } from "effect"
import { codeOf, lock, operation, transaction } from "./PgStore.js"

const SigningSecrets = Schema.parseJson(
  Schema.Array(Schema.Struct({ secret: Schema.String, until: Schema.NullOr(Schema.Int) }))
)
const decodeRows = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.WebhookId, secrets: SigningSecrets })))
const encodeSecrets = Schema.encode(SigningSecrets)

/**
 * Seals with the current key the secrets of endpoints that are in clear or sealed with an older key, and then rewrites their
 * table, so that nothing of the former is left in it. Fails where something was sealed with a key that is not given; then
 * nothing changes. Logs and backups of the server keep what they have.
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

  const changed = yield* transaction(
    sql,
    lock(["sealing of secrets"])
  )(
    Effect.gen(function* () {
      let changed = 0
      const rows = yield* decodeRows(yield* sql`SELECT id, secrets FROM webhook ORDER BY id FOR UPDATE`)
      for (const { id, secrets: before } of rows) {
        const after = yield* Effect.forEach(before, ({ secret, until }) =>
          Effect.map(sealedAnew(secret, id), (sealed) => ({ secret: sealed, until }))
        )
        if (after.every(({ secret }, index) => secret === before[index]?.secret)) continue
        yield* sql`UPDATE webhook SET secrets = ${yield* encodeSecrets(after)} WHERE id = ${id}`
        changed++
      }
      return changed
    })
  ).pipe(
    Effect.catchAll(
      (error): Effect.Effect<never, StorageError.StorageError | Secrets.SecretUnreadable> =>
        error._tag === "SecretUnreadable" ? Effect.fail(error) : operation("PgSecrets.sealAll")(Effect.fail(error))
    )
  )
  if (changed > 0)
    yield* Effect.catchAll(sql`VACUUM FULL webhook`, (error) =>
      Effect.logWarning(
        `Webhook secrets are encrypted anew, but their table could not be rewritten (${Option.getOrElse(codeOf(error), () => "no code")}) and may still hold the old ones: run VACUUM FULL webhook`
      )
    )
})
