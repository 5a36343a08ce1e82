import type * as Id from "@assay/core/domain/Id"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Clock, Effect, FiberRef, type Layer, Option } from "effect"
import type { Problem } from "../../api/Problem.js"
import * as Retirement from "../../api/Retirement.js"
import * as BasePath from "../../BasePath.js"
import * as Host from "../../Host.js"
import { ServerConfig } from "../../ServerConfig.js"
import * as AccessLog from "../observability/AccessLog.js"
import * as RequestId from "../observability/RequestId.js"
import * as Routes from "../Routes.js"
import * as Body from "../representation/Body.js"
import * as Problems from "../representation/Problems.js"
import * as Compression from "./Compression.js"
import { Replay } from "./Replay.js"
import * as RequestHead from "./RequestHead.js"
import { RequestSource } from "./RequestSource.js"

/** The maximum length of a request target in bytes. */
export const maxTargetBytes = 4 * 1024

/** The maximum size of all header fields together in bytes. */
export const maxHeaderBytes = 16 * 1024

/**
 * The outermost middleware: it sets the request id, refuses unroutable requests, turns every failure into a response,
 * adds the common header fields and writes a log line.
 */
export const layerOf = (routes: Routes.Table): Layer.Layer<never, never, Replay | RequestSource | ServerConfig> =>
  HttpApiBuilder.middleware(
    Effect.gen(function* () {
      const { allowedHosts, basePath = "" } = yield* ServerConfig
      const replay = yield* Replay
      const sources = yield* RequestSource
      return (app) =>
        edge(Effect.provideService(app, BasePath.BasePath, basePath), {
          ...{ allowedHosts, basePath, replay, routes, sources }
        })
    })
  )

/** The same for the routes of this server. */
export const layer: Layer.Layer<never, never, Replay | RequestSource | ServerConfig> = layerOf(Routes.table)

const edge = (
  app: HttpApp.Default,
  {
    allowedHosts,
    basePath,
    replay,
    routes,
    sources
  }: {
    readonly allowedHosts: ServerConfig["Type"]["allowedHosts"]
    readonly basePath: string
    readonly replay: Replay["Type"]
    readonly routes: Routes.Table
    readonly sources: RequestSource["Type"]
  }
) => {
  const answer = Effect.gen(function* () {
    const original = yield* HttpServerRequest.HttpServerRequest
    const startedAt = yield* Clock.currentTimeMillis
    const requestId = yield* RequestId.make
    // Scoped to the request, so that the authentication can add the key id.
    yield* Effect.annotateLogsScoped({ request_id: requestId })
    const head = RequestHead.of(original)
    const below = Option.firstSomeOf(targetsOf(original, head).map((target) => BasePath.below(basePath, target)))
    const request = yield* Body.bounded(
      original.modify({
        url: Option.getOrElse(below, () => originForm(original.url)),
        headers: {
          ...original.headers,
          ...(head.authority === undefined ? {} : { host: head.authority }),
          ...Compression.uncoded(original.headers),
          [RequestId.header]: requestId
        }
      })
    )
    const question = request.url.indexOf("?")
    const place = Option.isNone(below)
      ? undefined
      : routes.find(question === -1 ? request.url : request.url.slice(0, question))
    const route = place && routes.at(request.method, place.template)
    let isCharged: "no" | "unknown" = "no"

    const response = yield* Option.match(refusal(request, head, place, { allowedHosts, basePath }, requestId), {
      onSome: Effect.succeed,
      onNone: () =>
        Effect.catchAllCause(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request), (cause) =>
          Effect.map(
            Problems.fromCause(cause, requestId),
            Option.match({
              onNone: () => abandoned,
              onSome: (problem) => {
                isCharged = problem.code === "storage_unavailable" ? "unknown" : "no"
                return Problems.toResponse(problem, basePath)
              }
            })
          )
        )
    })

    const endedAt = yield* Clock.currentTimeMillis
    yield* AccessLog.write({
      method: request.method,
      route: Option.map(Option.fromNullable(place), ({ template }) => template),
      status: response.status,
      millis: endedAt - startedAt,
      client: isTold(place, request.method, response.status) ? sources.address(request) : undefined
    })
    const finished = finish(yield* Compression.encode(original, response), requestId, basePath, {
      isFree: route?.metered === true && isCharged === "no",
      isPage: route?.template === Routes.docs,
      retired: route?.retired ?? Option.none()
    })
    if (place !== undefined) yield* replay.keep(original, finished, place.template)
    const span = yield* Effect.option(Effect.currentSpan)
    if (Option.isSome(span) && span.value.sampled) {
      span.value.attribute("http.response.status_code", response.status)
      span.value.attribute("request_id", requestId)
    }
    return finished
  })
  return Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (isTraced) =>
    isTraced ? spanning(answer, basePath, routes) : answer
  )
}

/** A span of the request, which is named by its route: neither its target nor its headers are in it. */
const spanning = <A, E, R>(answer: Effect.Effect<A, E, R>, basePath: string, routes: Routes.Table) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const path = originForm(url).split("?", 1)[0] ?? ""
    const place = Option.getOrUndefined(Option.map(BasePath.below(basePath, path), routes.find))
    const known = place?.allow.includes(method) === true ? method : "other"
    const route = place?.template ?? "none"
    return Effect.withSpan(answer, `${known} ${route}`, {
      kind: "server",
      root: true,
      captureStackTrace: false,
      attributes: { "http.request.method": known, "http.route": route }
    })
  })

// The address of a client is personal data. It is in the log only where an operator may have to block a client: for new
// keys, and for requests that are refused because the client is unknown, the host is not ours, or there are too many.
const isTold = (place: Routes.Place | undefined, method: string, status: number): boolean =>
  (method === "POST" && place?.template === "/api/v1/keys") || [401, 403, 421, 429].includes(status)

const isHealth = (place: Routes.Place | undefined): boolean => place?.template.startsWith("/api/v1/health/") === true

// A framework may have taken the base path from the target, and another program may have rewritten it.
const targetsOf = (
  original: HttpServerRequest.HttpServerRequest,
  { target }: RequestHead.RequestHead
): ReadonlyArray<string> => [originForm(target), originForm(original.url)]

// A proxy may send the absolute form; only its path and query matter here.
const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, "") || "/"

const refusal = (
  request: HttpServerRequest.HttpServerRequest,
  head: RequestHead.RequestHead,
  place: Routes.Place | undefined,
  {
    allowedHosts,
    basePath
  }: { readonly allowedHosts: ServerConfig["Type"]["allowedHosts"]; readonly basePath: string },
  requestId: Id.RequestId
): Option.Option<HttpServerResponse.HttpServerResponse> => {
  const refuse = (problem: Problem) => Option.some(Problems.toResponse(problem, basePath))
  if (Buffer.byteLength(head.target) > maxTargetBytes)
    return refuse(
      Problems.make("uri_too_long", requestId, { detail: `A request target has at most ${maxTargetBytes} bytes.` })
    )
  if (head.fieldBytes > maxHeaderBytes)
    return refuse(
      Problems.make("headers_too_large", requestId, {
        detail: `Header fields have at most ${maxHeaderBytes} bytes together.`
      })
    )
  if (head.isHostMissing)
    return refuse(Problems.make("malformed_request", requestId, { detail: "The Host header is missing." }))
  if (Option.isSome(head.repeated))
    return refuse(
      Problems.make("malformed_request", requestId, { detail: `The ${head.repeated.value} header is there twice.` })
    )
  // A page that has its own name resolved to this machine is refused here. Probes know only an address.
  if (
    !isHealth(place) &&
    Option.exists(allowedHosts, (allowed) => !Option.exists(head.host, (host) => Host.isAllowed(allowed, host)))
  )
    return refuse(
      Problems.make("misdirected_request", requestId, {
        detail: "The Host header is none of the hosts that this server answers for (ASSAY_ALLOWED_HOSTS)."
      })
    )
  if (head.authority !== undefined && head.authority !== "" && Option.isNone(head.host))
    return refuse(Problems.make("malformed_request", requestId, { detail: "The Host header is no host." }))
  if (!isDecodable(request.url))
    return refuse(
      Problems.make("malformed_request", requestId, { detail: "The URL is not valid percent-encoded UTF-8." })
    )
  if (place === undefined) return refuse(Problems.notFound(requestId, basePath))
  if (request.method === "OPTIONS")
    return Option.some(
      HttpServerResponse.empty({
        status: 204,
        headers: {
          allow: place.allow.join(", "),
          "access-control-allow-methods": place.allow.join(", "),
          "access-control-allow-headers": requestHeaders.join(", "),
          "access-control-max-age": "86400"
        }
      })
    )
  if (!place.allow.includes(request.method))
    return Option.some(
      HttpServerResponse.setHeader(
        Problems.toResponse(
          Problems.make("method_not_allowed", requestId, { detail: `Allowed here: ${place.allow.join(", ")}.` }),
          basePath
        ),
        "allow",
        place.allow.join(", ")
      )
    )
  return Option.none()
}

const isDecodable = (url: string): boolean => {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

const finish = (
  response: HttpServerResponse.HttpServerResponse,
  requestId: Id.RequestId,
  basePath: string,
  {
    isFree,
    isPage,
    retired
  }: {
    readonly isFree: boolean
    readonly isPage: boolean
    readonly retired: Option.Option<Retirement.Retirement>
  }
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    "cache-control": "no-store",
    // Unless the application says otherwise.
    ...(isFree ? { "units-charged": "0" } : {}),
    // The page is one self-contained document: a script must not fetch anything else.
    ...(isPage ? { "content-security-policy": contentSecurityPolicy } : {}),
    ...Option.match(retired, { onNone: () => ({}), onSome: (known) => Retirement.headers(known, basePath) }),
    ...response.headers,
    ...Object.fromEntries(
      paths.flatMap((name) => {
        const path = response.headers[name]
        return path === undefined ? [] : [[name, BasePath.located(basePath, path)]]
      })
    ),
    [RequestId.header]: requestId,
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": exposedHeaders.join(", ")
  })

/** The header fields that name a path of this API. */
const paths = ["location", "content-location"]

const contentSecurityPolicy =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const requestHeaders = [
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "Last-Event-ID",
  "Prefer"
]

const exposedHeaders = [
  "Allow",
  "Content-Location",
  "Deprecation",
  "ETag",
  "Link",
  "Location",
  "Preference-Applied",
  "RateLimit",
  "RateLimit-Policy",
  "Request-Id",
  "Retry-After",
  "Sunset",
  "Units-Charged",
  "WWW-Authenticate"
]

/** The answer to nobody, as the request was interrupted: the client disconnected. Logs call that 499; it is not sent. */
export const abandoned = HttpServerResponse.empty({ status: 499 })
