import { Schema } from "effect"

/**
 * A command refuses; `detail` is one line that says why and what to do. Its exit code is 1.
 *
 * @since 0.1.0
 * @category errors
 */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
