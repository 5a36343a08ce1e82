import { Schema } from "effect"
import { UnknownReason } from "../domain/Evidence.js"

/**
 * A read of the chain that gave no answer: not "no", but "could not see". `reason` is what evidence will say of it;
 * `retryable` whether the same call may work a moment later. `detail` never holds an endpoint's URL or raw body.
 *
 * @since 0.1.0
 * @category errors
 */
export class ChainError extends Schema.TaggedError<ChainError>()("ChainError", {
  reason: UnknownReason,
  method: Schema.String,
  retryable: Schema.Boolean,
  detail: Schema.String
}) {}
