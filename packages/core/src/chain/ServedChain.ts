import { type Duration, Effect, Schema } from "effect"
import type { EndpointSettings } from "./ChainAccess.js"
import * as Endpoint from "./rpc/Endpoint.js"
import type * as JsonRpc from "./rpc/JsonRpc.js"
import { Transport } from "./rpc/Transport.js"

/**
 * The id of the chain that an endpoint says it serves. It is read as everything else is: at the endpoint's pace, and
 * again after a failure that may pass, an odd answer, or a refusal for the rate (for as long as `patience`, 3 minutes).
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly url: string
  readonly settings?: EndpointSettings | undefined
  readonly patience?: Duration.DurationInput | undefined
}): Effect.Effect<number, ChainNotSaid, Transport> =>
  Effect.gen(function* () {
    const { patience, settings, url } = options
    // The expected chain id matters only to a probe, and none is made.
    const endpoint = yield* Endpoint.make(yield* Transport, url, 0, { limits: settings?.limits, patience })
    return yield* Effect.mapError(
      endpoint.chainId,
      (fault) => new ChainNotSaid({ reason: reasonOf(fault), detail: fault.detail })
    )
  }).pipe(Effect.scoped)

const reasonOf = ({ kind, reason }: JsonRpc.Fault): ChainNotSaid["reason"] => {
  if (reason === "rate_limited") return "rate_limited"
  return kind === "unreachable" || kind === "timeout" ? kind : "no_answer"
}

/**
 * An endpoint did not say which chain it serves. `no_answer`: it was there, and answered something else. `detail` has no
 * part of its URL.
 *
 * @since 0.1.0
 * @category errors
 */
export class ChainNotSaid extends Schema.TaggedError<ChainNotSaid>()("ChainNotSaid", {
  reason: Schema.Literal("unreachable", "timeout", "rate_limited", "no_answer"),
  detail: Schema.String
}) {}
