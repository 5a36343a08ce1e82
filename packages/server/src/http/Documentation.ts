import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Context, Effect, Layer } from "effect"
import * as Routes from "./Routes.js"

/**
 * The documentation page, which works offline. Its viewer is two megabytes of text, so it is loaded and the page made
 * when the page is first read.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const api = yield* HttpApi.Api
    const page = yield* Effect.cached(
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
