import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect, Layer, Option } from "effect"
import { Requester } from "../../api/Requester.js"
import * as Host from "../../Host.js"
import * as Network from "../../Network.js"
import { ServerConfig } from "../../ServerConfig.js"
import * as Problems from "../representation/Problems.js"

/**
 * Where a request comes from: `of` is the source that limits count by, none where sources are not tracked; `address` is
 * the address of the client, as far as trusted proxies state it in the header that they set.
 */
export class RequestSource extends Context.Tag("@assay/server/RequestSource")<
  RequestSource,
  {
    readonly of: (request: HttpServerRequest.HttpServerRequest) => Option.Option<string>
    readonly address: (request: HttpServerRequest.HttpServerRequest) => Option.Option<string>
  }
>() {}

export const layer: Layer.Layer<RequestSource, never, ServerConfig> = Layer.effect(
  RequestSource,
  Effect.map(ServerConfig, ({ perSource, proxyHeader, trustedProxies }) => {
    const options = { header: proxyHeader, isTrusted: Network.membership(trustedProxies) }
    const address = (request: HttpServerRequest.HttpServerRequest) =>
      Option.map(request.remoteAddress, (peer) => Network.clientOf(peer, request.headers, options))
    return {
      address,
      of: (request) =>
        perSource
          ? Option.some(Option.match(address(request), { onNone: () => gone, onSome: Network.sourceOf }))
          : Option.none()
    }
  })
)

// A socket that is closed has no address any more, and a web request has none but by who mounts the handler. They share one
// source, so that no limit is passed by it.
const gone = "gone"

/** Provides the source of a request to handlers, and refuses a request from another web page where there is none. */
export const layerRequester: Layer.Layer<Requester, never, RequestSource> = Layer.effect(
  Requester,
  Effect.map(RequestSource, (sources) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const { host, origin } = request.headers
      const source = sources.of(request)
      return Option.isNone(source) && origin !== undefined && Host.isForeign(origin, host)
        ? Problems.fail("origin_forbidden", {
            detail: "Limits per source are off, so web pages of other origins must not create keys."
          })
        : Effect.succeed(source)
    })
  )
)
