import * as Id from "@assay/core/domain/Id"
import * as Secrets from "@assay/core/keys/Secrets"
import type * as StorageError from "@assay/core/storage/StorageError"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, type ParseResult, Schema } from "effect"
import type { SqlDatabase, Uncertain } from "./SqlDatabase.js"

const SigningSecrets = Schema.parseJson(
  Schema.Array(Schema.Struct({ secret: Schema.String, until: Schema.NullOr(Schema.Int) }))
)
const decodeRows = Schema.decodeUnknown(Schema.Array(Schema.Struct({ id: Id.WebhookId, secrets: SigningSecrets })))
const encodeSecrets = Schema.encode(SigningSecrets)

/**
 * Seals the secrets of endpoints of a database with the current key. Fails where one was sealed with a key that is not given;
 * then nothing changes.
 *
 * @since 0.1.0
 * @category models
 */
export type Sealing = Effect.Effect<
  void,
  StorageError.StorageError | Secrets.SecretUnreadable,
  SqlClient | Secrets.Secrets
>

/**
 * Maps the errors of the method with this name, but for a secret that cannot be read.
 *
 * @since 0.1.0
 * @category combinators
 */
export const operation =
  (operation: SqlDatabase["operation"], name: string) =>
  <A, R>(self: Effect.Effect<A, SqlError | Uncertain | ParseResult.ParseError | Secrets.SecretUnreadable, R>) =>
    Effect.catchAll(
      self,
      (error): Effect.Effect<never, StorageError.StorageError | Secrets.SecretUnreadable> =>
        error._tag === "SecretUnreadable" ? Effect.fail(error) : operation(name)(Effect.fail(error))
    )

/**
 * Seals with the current key the secrets of endpoints that are in clear or sealed with an older key, and answers of how many
 * endpoints. Fails where one was sealed with a key that is not given. It is a part of a transaction.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sealAll = ({
  forUpdate,
  sql
}: Pick<SqlDatabase, "forUpdate" | "sql">): Effect.Effect<
  number,
  SqlError | ParseResult.ParseError | Secrets.SecretUnreadable,
  Secrets.Secrets
> =>
  Effect.gen(function* () {
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

    let changed = 0
    const rows = yield* decodeRows(yield* sql`SELECT id, secrets FROM webhook ORDER BY id ${forUpdate}`)
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
