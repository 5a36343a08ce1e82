import type { IncomingMessage, ServerResponse } from "node:http"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Context, Effect, Layer, type Scope } from "effect"
import { Api } from "./api/Api.js"
import type * as Problem from "./api/Problem.js"
import * as BearerAuthentication from "./http/edge/BearerAuthentication.js"
import { Closing } from "./http/edge/Closing.js"
import * as Edge from "./http/edge/Edge.js"
import { Front } from "./http/edge/Front.js"
import * as Mount from "./http/edge/Mount.js"
import * as Replay from "./http/edge/Replay.js"
import * as RequestSource from "./http/edge/RequestSource.js"
import * as RequestValidation from "./http/edge/RequestValidation.js"
import * as AnalysesHandlers from "./http/handlers/AnalysesHandlers.js"
import * as Documentation from "./http/handlers/Documentation.js"
import * as EventsHandlers from "./http/handlers/EventsHandlers.js"
import * as ExecutionsHandlers from "./http/handlers/ExecutionsHandlers.js"
import * as KeysHandlers from "./http/handlers/KeysHandlers.js"
import * as McpRoute from "./http/handlers/McpRoute.js"
import * as MetaHandlers from "./http/handlers/MetaHandlers.js"
import * as UsageHandlers from "./http/handlers/UsageHandlers.js"
import * as WatchesHandlers from "./http/handlers/WatchesHandlers.js"
import * as WebhooksHandlers from "./http/handlers/WebhooksHandlers.js"
import * as Problems from "./http/representation/Problems.js"
import { ServerConfig } from "./ServerConfig.js"

const over = <A, E, R>(served: Layer.Layer<A, E, R>) =>
  served.pipe(
    Layer.provide([Edge.layer, Documentation.layer, McpRoute.layer]),
    Layer.provide(HttpApiBuilder.api(Api)),
    Layer.provide([
      KeysHandlers.layer,
      AnalysesHandlers.layer,
      ExecutionsHandlers.layer,
      WatchesHandlers.layer,
      EventsHandlers.layer,
      WebhooksHandlers.layer,
      UsageHandlers.layer,
      MetaHandlers.layer
    ]),
    Layer.provide([BearerAuthentication.layer, RequestValidation.layer, RequestSource.layerRequester]),
    Layer.provide([RequestSource.layer, Replay.layer()]),
    // Validation reports a parameter that is too long; the router would report an unknown route.
    Layer.locally(HttpRouter.currentRouterConfig, { maxParamLength: Edge.maxTargetBytes }),
    Layer.locally(HttpMiddleware.currentTracerDisabledWhen, () => true)
  )

/**
 * The API on an `HttpServer`, over the use-cases. Its only state is the rate limits of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = over(HttpApiBuilder.serve())

/**
 * The API as a web-standard function, for a program that has a server of its own: Hono, Next, Bun. It listens on nothing.
 * `sourceOf` is the IP address of the client of a request, by which limits per source count. A web request has none, so
 * without it all requests are of one source.
 *
 * It lives as long as the scope. Then it refuses new requests with `draining` and ends its streams, and requests in flight
 * have the seconds of the configuration. The path of `request.url` has the base path of the configuration.
 *
 * @since 0.1.0
 * @category constructors
 */
export const webHandler = (
  options: { readonly sourceOf?: ((request: Request) => string | undefined) | undefined } = {}
): Effect.Effect<(request: Request) => Promise<Response>, never, Requirements | Scope.Scope> =>
  Effect.flatMap(mounted(Front.defaultValue()), ({ app, mount }) =>
    Mount.web(mount, app, options.sourceOf ?? (() => undefined))
  )

/**
 * As `webHandler`, for messages of Node's `http`: Express, Fastify, Connect. The source of a request is the address of its
 * socket, or what `sourceOf` makes of it. The base path is taken from `originalUrl` where a framework has taken it from `url`.
 * Requests with two Host or two Authorization fields are refused here only, as a web request does not show them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const nodeHandler = (
  options: { readonly sourceOf?: ((request: IncomingMessage) => string | undefined) | undefined } = {}
): Effect.Effect<(request: IncomingMessage, response: ServerResponse) => void, never, Requirements | Scope.Scope> =>
  Effect.suspend(() => {
    const front = Front.defaultValue()
    return Effect.flatMap(mounted(front), ({ app, mount }) =>
      Mount.node(mount, app, front, options.sourceOf ?? (() => undefined))
    )
  })

/**
 * A problem as this API sends it, with a request id of its own: for a program that answers a request in its place, as it does
 * while the service cannot be opened.
 *
 * @since 0.1.0
 * @category constructors
 */
export const problem = <C extends Problem.ProblemCode>(
  code: C,
  { basePath = "", ...occurrence }: Problems.Occurrence<C> & { readonly basePath?: string | undefined }
): Effect.Effect<Response> =>
  Effect.map(Problems.beforeEdge(code, occurrence as unknown as Problems.Occurrence<C>, basePath), (response) =>
    HttpServerResponse.toWeb(response)
  )

const mounted = (front: Front["Type"]) =>
  Effect.gen(function* () {
    const { basePath = "", shutdownSeconds } = yield* ServerConfig
    const mount = yield* Mount.make({ basePath, graceSeconds: shutdownSeconds })
    const built = yield* Layer.build(
      over(application).pipe(
        Layer.provide([Layer.succeed(Closing, mount.closing), Layer.succeed(Front, front)]),
        Layer.provideMerge(HttpServer.layerContext)
      )
    )
    return { mount, app: Effect.provide(Context.get(built, Application), built) }
  })

class Application extends Context.Tag("@assay/server/Application")<
  Application,
  HttpApp.Default<never, HttpRouter.HttpRouter.DefaultServices>
>() {}

const application = Layer.effect(Application, HttpApiBuilder.httpApp).pipe(
  Layer.provide([HttpApiBuilder.Router.Live, HttpApiBuilder.Middleware.layer])
)

/**
 * What the API is served over: the use-cases, and what they know of stores and chains.
 *
 * @since 0.1.0
 * @category models
 */
export type Requirements = Exclude<
  Layer.Layer.Context<typeof layer>,
  HttpServer.HttpServer | HttpRouter.HttpRouter.DefaultServices
>
