import { Schema } from "effect"
import { KeyId } from "./Id.js"
import { Timestamp } from "./Timestamp.js"

/**
 * What a caller names a key: 1 to 100 characters after trimming, no control characters.
 *
 * @since 0.1.0
 * @category schemas
 */
export const KeyLabel = Schema.String.pipe(
  Schema.filter((text) => text.trim() === text && text.length >= 1 && text.length <= 100 && !/\p{Cc}/u.test(text), {
    identifier: "KeyLabel",
    jsonSchema: { minLength: 1, maxLength: 100 }
  })
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const KeyState = Schema.Literal("active", "disabled", "revoked").annotations({ identifier: "KeyState" })

/**
 * @since 0.1.0
 * @category models
 */
export type KeyState = typeof KeyState.Type

/**
 * A new key with its secret, which is shown this once and not kept.
 *
 * @since 0.1.0
 * @category schemas
 */
export const CreatedKey = Schema.Struct({
  key: Schema.String,
  hint: Schema.String,
  label: KeyLabel,
  daily_quota: Schema.NonNegativeInt,
  note: Schema.String
}).annotations({ identifier: "CreatedKey" })

/**
 * @since 0.1.0
 * @category models
 */
export interface CreatedKey extends Schema.Schema.Type<typeof CreatedKey> {}

/**
 * A key as its owner sees it; nothing in it helps to guess the secret. `daily_quota` is that of its `plan`, unless it has none
 * or one that is not `configured` any more: then the key has its own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ApiKey = Schema.Struct({
  id: KeyId,
  label: KeyLabel,
  hint: Schema.String,
  state: KeyState,
  daily_quota: Schema.NonNegativeInt,
  plan: Schema.NullOr(Schema.Struct({ name: Schema.String, configured: Schema.Boolean })),
  created_at: Timestamp,
  expires_at: Schema.NullOr(Timestamp),
  last_used_at: Schema.NullOr(Timestamp),
  rotating_until: Schema.NullOr(Timestamp),
  counts: Schema.Struct({ watches: Schema.NonNegativeInt, webhooks: Schema.NonNegativeInt })
}).annotations({ identifier: "ApiKey" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ApiKey extends Schema.Schema.Type<typeof ApiKey> {}
