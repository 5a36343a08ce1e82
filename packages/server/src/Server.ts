import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import { Layer } from "effect"
import { Api } from "./api/Api.js"
import * as BearerAuthentication from "./http/edge/BearerAuthentication.js"
import * as Edge from "./http/edge/Edge.js"
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

/**
 * The API on an `HttpServer`, over the use-cases. Its only state is the rate limits of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = HttpApiBuilder.serve().pipe(
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
