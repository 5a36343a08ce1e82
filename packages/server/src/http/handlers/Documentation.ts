import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import { Context, Effect, Layer } from "effect"
import * as ApiDocument from "../../api/ApiDocument.js"
import { ServerConfig } from "../../ServerConfig.js"
import * as Routes from "../Routes.js"
import * as Shared from "./Shared.js"

/**
 * The OpenAPI document, the page that shows it, which works offline, and the way from the root to the first page. Both are made when they are first read: the
 * viewer is two megabytes of text, and a process starts faster without them.
 */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { basePath = "" } = yield* ServerConfig
    const declared = yield* HttpApi.Api
    const api = { ...declared, api: ApiDocument.servedAt(declared.api, basePath) }
    const document = yield* Shared.make(
      Effect.orDie(Effect.suspend(() => HttpServerResponse.json(OpenApi.fromApi(api.api))))
    )
    yield* router.get("/", HttpServerResponse.empty({ status: 303, headers: { location: Routes.welcome } }))
    yield* router.get(Routes.openApi, document)
    const page = yield* Shared.make(
      Effect.promise(() => import("@effect/platform/HttpApiSwagger")).pipe(
        Effect.flatMap((HttpApiSwagger) =>
          Layer.build(
            HttpApiSwagger.layer({ path: Routes.docs }).pipe(
              Layer.provideMerge(HttpApiBuilder.Router.Live),
              Layer.provide(Layer.succeed(HttpApi.Api, api))
            )
          )
        ),
        Effect.scoped,
        Effect.flatMap((built) => Context.get(built, HttpApiBuilder.Router).router)
      )
    )
    yield* router.get(Routes.docs, Effect.flatten(page))
  })
)
