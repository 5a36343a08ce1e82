import { Schema } from "effect"
import { UnknownReason } from "../domain/Evidence.js"
import * as EndpointFailure from "./EndpointFailure.js"

/**
 * A read of the chain without an answer: not "no", but "could not read". `reason` becomes the reason of unknown
 * evidence. `retryable`: the same call may work a moment later. `detail` never contains the URL of an endpoint or a raw
 * body. `endpoints` are the endpoints that gave no answer, where they are to blame, and why.
 *
 * @since 0.1.0
 * @category errors
 */
export class ChainError extends Schema.TaggedError<ChainError>()("ChainError", {
  reason: UnknownReason,
  method: Schema.String,
  retryable: Schema.Boolean,
  detail: Schema.String,
  endpoints: Schema.optionalWith(Schema.Array(EndpointFailure.Placed), { default: () => [] })
}) {
  override get message(): string {
    return this.endpoints.length === 0
      ? `${this.method} failed: ${this.detail}.`
      : this.endpoints.map(EndpointFailure.sentenceOf).join(" ")
  }
}
