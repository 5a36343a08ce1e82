import { Schema } from "effect"
import { UnknownReason } from "../domain/Evidence.js"

/**
 * A read of the chain without an answer: not "no", but "could not read". `reason` becomes the reason of unknown
 * evidence. `retryable`: the same call may work a moment later. `detail` never contains the URL of an endpoint or a raw
 * body.
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
