import { Schema } from "effect"

/**
 * A store could not do what it was asked. `unavailable`: nothing was changed and the same call may work later.
 * `corrupt`: what is stored cannot be read. `detail` never holds SQL or a connection string.
 *
 * @since 0.1.0
 * @category errors
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  reason: Schema.Literal("unavailable", "corrupt"),
  operation: Schema.String,
  detail: Schema.String
}) {}
