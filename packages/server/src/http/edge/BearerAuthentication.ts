import type * as Caller from "@assay/core/domain/Caller"
import * as Keys from "@assay/core/keys/Keys"
import * as Quota from "@assay/core/quota/Quota"
import * as RateLimit from "@assay/core/quota/RateLimit"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { Authentication } from "../../api/Authentication.js"
import { ServerConfig } from "../../ServerConfig.js"
import * as Routes from "../Routes.js"
import * as Problems from "../representation/Problems.js"
import * as RateLimitHeaders from "../representation/RateLimitHeaders.js"
import * as Policies from "./Policies.js"
import { RequestSource } from "./RequestSource.js"

/**
 * Authenticates the bearer key, counts the request against its burst limit, and adds the rate-limit headers to the
 * response. A source with repeated failures is rate limited; a valid key always passes.
 */
export const layer: Layer.Layer<
  Authentication,
  never,
  Keys.Keys | Quota.Quota | RateLimit.RateLimit | RequestSource | ServerConfig
> = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const keys = yield* Keys.Keys
    const quota = yield* Quota.Quota
    const rateLimit = yield* RateLimit.RateLimit
    const sources = yield* RequestSource
    const { limits } = yield* ServerConfig

    const countFailure = (request: HttpServerRequest.HttpServerRequest) =>
      Option.match(sources.of(request), {
        onNone: () => Effect.void,
        onSome: (source) => Problems.translate(rateLimit.take(source, [Policies.authenticationFailures]))
      })

    const itemsOf = (caller: Caller.Caller, standings: ReadonlyArray<RateLimit.Standing>) =>
      Effect.zipWith(Clock.currentTimeMillis, Effect.option(quota.usage(caller)), (now, usage) =>
        RateLimitHeaders.items(usage, standings, now)
      )

    return {
      // The framework drops the first word without checking the scheme, so the header is read again here.
      bearer: () =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const presented = bearerOf(request.headers.authorization)
          if (Option.isNone(presented)) {
            yield* countFailure(request)
            return yield* Problems.fail("authentication_required", {
              detail: "Send the API key as Authorization: Bearer <API_KEY>."
            })
          }
          const caller = yield* keys.authenticate(presented.value).pipe(
            Effect.catchTags({
              KeyRefused: (refused) =>
                Effect.zipRight(
                  refused.reason === "invalid_key" ? countFailure(request) : Effect.void,
                  Problems.translate(refused)
                ),
              StorageError: (error) => Problems.translate(error)
            })
          )
          yield* Effect.annotateLogsScoped({ key_id: caller.id })

          const { route } = yield* HttpRouter.RouteContext
          const metered = Routes.at(request.method, route.path)?.metered ?? false
          const tell = (standings: ReadonlyArray<RateLimit.Standing>) =>
            HttpApp.appendPreResponseHandler((_, response) =>
              Effect.map(itemsOf(caller, standings), (items) =>
                HttpServerResponse.setHeaders(response, RateLimitHeaders.encode(items))
              )
            )
          const standings = yield* rateLimit
            .take(Policies.requestsOf(caller, metered), [Policies.burst(limits, metered)])
            .pipe(
              Effect.tapError(({ violated }) => tell(violated)),
              Problems.translate
            )
          yield* tell(standings)
          return caller
        })
    }
  })
)

/** The secret in an Authorization header; none where it has another scheme or form. */
export const bearerOf = (header: string | undefined): Option.Option<Redacted.Redacted<string>> =>
  Option.map(Option.fromNullable(/^bearer +([^\s]+) *$/i.exec(header ?? "")?.[1]), Redacted.make)

/** The secret that a request was authenticated by. */
export const presentedBy = ({ headers }: HttpServerRequest.HttpServerRequest): Redacted.Redacted<string> =>
  Option.getOrElse(bearerOf(headers.authorization), () => Redacted.make(""))
