import { HttpServerRequest } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import { Requester } from "../api/Requester.js"
import { ServerConfig } from "../ServerConfig.js"
import * as Network from "./Network.js"

/**
 * The source of a request; none where sources are not tracked.
 *
 * @since 0.1.0
 * @category services
 */
export class RequestSource extends Context.Tag("@assay/server/RequestSource")<
  RequestSource,
  { readonly of: (request: HttpServerRequest.HttpServerRequest) => Option.Option<string> }
>() {}

/**
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<RequestSource, never, ServerConfig> = Layer.effect(
  RequestSource,
  Effect.map(ServerConfig, ({ perSource, trustedProxies }) => {
    const isTrusted = Network.membership(trustedProxies)
    return {
      of: (request) =>
        perSource
          ? Option.map(request.remoteAddress, (peer) =>
              Network.sourceOf(Network.clientOf(peer, request.headers, isTrusted))
            )
          : Option.none()
    }
  })
)

/**
 * Provides the source of a request to handlers.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerRequester: Layer.Layer<Requester, never, RequestSource> = Layer.effect(
  Requester,
  Effect.map(RequestSource, (sources) => Effect.map(HttpServerRequest.HttpServerRequest, sources.of))
)
