import type { IncomingMessage } from "node:http"
import type * as Id from "@assay/core/domain/Id"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, type Layer, Option } from "effect"
import type { Problem } from "../../api/Problem.js"
import * as Host from "../../Host.js"
import { ServerConfig } from "../../ServerConfig.js"
import * as AccessLog from "../observability/AccessLog.js"
import * as RequestId from "../observability/RequestId.js"
import * as Routes from "../Routes.js"
import * as Body from "../representation/Body.js"
import * as Problems from "../representation/Problems.js"
import * as Compression from "./Compression.js"
import { Replay } from "./Replay.js"
import { RequestSource } from "./RequestSource.js"

/** The maximum length of a request target in bytes. */
export const maxTargetBytes = 4 * 1024

/** The maximum size of all header fields together in bytes. */
export const maxHeaderBytes = 16 * 1024

/**
 * The outermost middleware: it sets the request id, refuses unroutable requests, turns every failure into a response,
 * adds the common header fields and writes a log line.
 */
export const layer: Layer.Layer<never, never, Replay | RequestSource | ServerConfig> = HttpApiBuilder.middleware(
  Effect.gen(function* () {
    const { allowedHosts } = yield* ServerConfig
    const replay = yield* Replay
    const sources = yield* RequestSource
    return (app) => edge(app, { allowedHosts, replay, sources })
  })
)

const edge = (
  app: HttpApp.Default,
  {
    allowedHosts,
    replay,
    sources
  }: {
    readonly allowedHosts: ServerConfig["Type"]["allowedHosts"]
    readonly replay: Replay["Type"]
    readonly sources: RequestSource["Type"]
  }
) =>
  Effect.gen(function* () {
    const original = yield* HttpServerRequest.HttpServerRequest
    const startedAt = yield* Clock.currentTimeMillis
    const requestId = yield* RequestId.make
    // Scoped to the request, so that the authentication can add the key id.
    yield* Effect.annotateLogsScoped({ request_id: requestId })
    const request = yield* Body.bounded(
      original.modify({
        url: originForm(original.url),
        headers: { ...original.headers, ...Compression.uncoded(original.headers), [RequestId.header]: requestId }
      })
    )
    const question = request.url.indexOf("?")
    const place = Routes.find(question === -1 ? request.url : request.url.slice(0, question))
    const route = place && Routes.at(request.method, place.template)
    let isCharged: "no" | "unknown" = "no"

    const response = yield* Option.match(refusal(request, place, allowedHosts, requestId), {
      onSome: Effect.succeed,
      onNone: () =>
        Effect.catchAllCause(Effect.provideService(app, HttpServerRequest.HttpServerRequest, request), (cause) =>
          Effect.map(
            Problems.fromCause(cause, requestId),
            Option.match({
              onNone: () => abandoned,
              onSome: (problem) => {
                isCharged = problem.code === "storage_unavailable" ? "unknown" : "no"
                return Problems.toResponse(problem)
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
    const finished = finish(yield* Compression.encode(original, response), requestId, {
      isFree: route?.metered === true && isCharged === "no",
      isPage: route?.template === Routes.docs
    })
    if (place !== undefined) yield* replay.keep(original, finished, place.template)
    return finished
  })

// The address of a client is personal data. It is in the log only where an operator may have to block a client: for new
// keys, and for requests that are refused because the client is unknown, the host is not ours, or there are too many.
const isTold = (place: Routes.Place | undefined, method: string, status: number): boolean =>
  (method === "POST" && place?.template === "/api/v1/keys") || [401, 403, 421, 429].includes(status)

const isHealth = (place: Routes.Place | undefined): boolean => place?.template.startsWith("/api/v1/health/") === true

// A proxy may send the absolute form; only its path and query matter here.
const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, "") || "/"

const refusal = (
  request: HttpServerRequest.HttpServerRequest,
  place: Routes.Place | undefined,
  allowedHosts: ServerConfig["Type"]["allowedHosts"],
  requestId: Id.RequestId
): Option.Option<HttpServerResponse.HttpServerResponse> => {
  const source = NodeHttpServerRequest.toIncomingMessage(request)
  const refuse = (problem: Problem) => Option.some(Problems.toResponse(problem))
  if (Buffer.byteLength(source.url ?? "") > maxTargetBytes)
    return refuse(
      Problems.make("uri_too_long", requestId, { detail: `A request target has at most ${maxTargetBytes} bytes.` })
    )
  if (source.rawHeaders.reduce((size, part) => size + Buffer.byteLength(part) + 2, 0) > maxHeaderBytes)
    return refuse(
      Problems.make("headers_too_large", requestId, {
        detail: `Header fields have at most ${maxHeaderBytes} bytes together.`
      })
    )
  if (source.httpVersion === "1.1" && source.headers.host === undefined)
    return refuse(Problems.make("malformed_request", requestId, { detail: "The Host header is missing." }))
  // Programs differ in which of two they believe, so a proxy before us may have decided by the other one.
  for (const name of ["host", "authorization"])
    if (source.rawHeaders.filter((part, index) => index % 2 === 0 && part.toLowerCase() === name).length > 1)
      return refuse(Problems.make("malformed_request", requestId, { detail: `The ${name} header is there twice.` }))
  // A page that has its own name resolved to this machine is refused here. Probes know only an address.
  if (
    !isHealth(place) &&
    Option.exists(allowedHosts, (allowed) => !Option.exists(hostOf(source), (host) => Host.isAllowed(allowed, host)))
  )
    return refuse(
      Problems.make("misdirected_request", requestId, {
        detail: "The Host header is none of the hosts that this server answers for (ASSAY_ALLOWED_HOSTS)."
      })
    )
  if (!isDecodable(request.url))
    return refuse(
      Problems.make("malformed_request", requestId, { detail: "The URL is not valid percent-encoded UTF-8." })
    )
  if (place === undefined) return refuse(Problems.notFound(requestId))
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
          Problems.make("method_not_allowed", requestId, { detail: `Allowed here: ${place.allow.join(", ")}.` })
        ),
        "allow",
        place.allow.join(", ")
      )
    )
  return Option.none()
}

// The host of an absolute form takes the place of the header (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2).
const hostOf = ({ headers, url = "" }: IncomingMessage): Option.Option<Host.Host> =>
  Host.parse(/^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? headers.host ?? "")

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
  { isFree, isPage }: { readonly isFree: boolean; readonly isPage: boolean }
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(response, {
    "cache-control": "no-store",
    // Unless the application says otherwise.
    ...(isFree ? { "units-charged": "0" } : {}),
    // The page is one self-contained document: a script must not fetch anything else.
    ...(isPage ? { "content-security-policy": contentSecurityPolicy } : {}),
    ...response.headers,
    [RequestId.header]: requestId,
    "x-content-type-options": "nosniff",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": exposedHeaders.join(", ")
  })

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
  "ETag",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Request-Id",
  "Retry-After",
  "Units-Charged",
  "WWW-Authenticate"
]

// The client disconnected: logs call that 499; no response is sent.
const abandoned = HttpServerResponse.empty({ status: 499 })
