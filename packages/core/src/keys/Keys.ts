import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type { ApiKey, CreatedKey } from "../domain/ApiKey.js"
import type { Caller } from "../domain/Caller.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * Makes and recognises API keys.
 *
 * @since 0.1.0
 * @category services
 */
export class Keys extends Context.Tag("@assay/core/Keys")<
  Keys,
  {
    /** Makes a key, kept durably when this returns; the secret is in the answer and nowhere else. */
    readonly create: (request: {
      readonly label: string
      readonly expiresInSeconds: Option.Option<number>
      readonly source: Option.Option<string>
    }) => Effect.Effect<CreatedKey, StorageError>
    /** Says who a secret belongs to; a wrong checksum is refused before any look-up. */
    readonly authenticate: (secret: Redacted.Redacted<string>) => Effect.Effect<Caller, KeyRefused | StorageError>
    /** The key as its owner sees it. */
    readonly self: (id: ApiKey["id"]) => Effect.Effect<ApiKey, KeyRefused | StorageError>
  }
>() {}

/**
 * The presented key opens nothing. Only a key that matches a stored hash is told that it expired, or was revoked or
 * disabled; everything else is `invalid_key`.
 *
 * @since 0.1.0
 * @category errors
 */
export class KeyRefused extends Schema.TaggedError<KeyRefused>()("KeyRefused", {
  reason: Schema.Literal("invalid_key", "key_expired", "key_revoked", "key_disabled")
}) {}
