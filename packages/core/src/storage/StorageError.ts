import { Schema } from "effect"

/**
 * A store failed. `unavailable`: nothing was changed and the same call may work later. `corrupt`: what is stored cannot
 * be decoded. `detail` never contains SQL or a connection string.
 *
 * @since 0.1.0
 * @category errors
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  reason: Schema.Literal("unavailable", "corrupt"),
  operation: Schema.String,
  detail: Schema.String
}) {}
