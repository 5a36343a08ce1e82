import { type Duration, Effect } from "effect"
import type { EndpointSettings } from "./ChainAccess.js"
import { EndpointFailed } from "./EndpointFailure.js"
import * as Endpoint from "./rpc/Endpoint.js"
import * as JsonRpc from "./rpc/JsonRpc.js"
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
}): Effect.Effect<number, EndpointFailed, Transport> =>
  Effect.gen(function* () {
    const { patience, settings, url } = options
    // The expected chain id matters only to a probe, and none is made.
    const endpoint = yield* Endpoint.make(yield* Transport, url, 0, { limits: settings?.limits, patience })
    return yield* Effect.mapError(
      endpoint.chainId,
      (fault) => new EndpointFailed({ failure: JsonRpc.failureOf(fault), reason: fault.reason })
    )
  }).pipe(Effect.scoped)
