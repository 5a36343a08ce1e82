import { Schema } from "effect"

/**
 * A store failed. `unavailable`: nothing was changed and the same call may work later. `uncertain`: the answer was
 * lost, as when a connection ends during a commit; everything or nothing was changed, and the same call, repeated,
 * answers as the first would have. `corrupt`: what is stored cannot be decoded. `detail` never contains SQL or a
 * connection string.
 *
 * @since 0.1.0
 * @category errors
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  reason: Schema.Literal("unavailable", "uncertain", "corrupt"),
  operation: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `The storage failed in ${this.operation}: ${this.detail.replace(/[.\s]+$/, "")}. ${outcomes[this.reason]}`
  }
}

const outcomes = {
  unavailable: "Nothing was changed; the same call may work later.",
  uncertain: "It is not known whether anything was changed; the same call, repeated, answers as the first would have.",
  corrupt: "What is stored cannot be decoded."
} as const
