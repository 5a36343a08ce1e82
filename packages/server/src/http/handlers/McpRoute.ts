import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Clock, Context, Effect, Option, Redacted, type Scope } from "effect"
import { Authentication } from "../../api/Authentication.js"
import * as BasePath from "../../BasePath.js"
import * as Host from "../../Host.js"
import * as ApiExchange from "../../mcp/ApiExchange.js"
import * as Envelope from "../../mcp/Envelope.js"
import { McpExtension } from "../../mcp/McpExtension.js"
import type * as Network from "../../Network.js"
import * as AccessLog from "../observability/AccessLog.js"
import * as RequestId from "../observability/RequestId.js"
import * as Routes from "../Routes.js"
import * as Body from "../representation/Body.js"
import * as Problems from "../representation/Problems.js"
import * as Shared from "./Shared.js"

/**
 * The Model Context Protocol over streamable HTTP, for callers with a key. Each tool is a few requests of this API, which
 * pass its authentication, limits and metering as any other. No session is kept: any process answers any request, and an
 * answer that is long in coming is sent as events.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export const layer = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    // The protocol's library is loaded with the first request, when all routes are known too.
    const library = yield* Shared.make(Effect.promise(() => import("../../mcp/McpHttp.js")))
    const api = yield* Shared.make(Effect.flatMap(router.router, HttpRouter.toHttpApp))
    const cancellations = new Map<string, () => void>()
    const extension = yield* McpExtension
    const { bearer } = yield* Authentication

    const answer = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { host, origin } = request.headers
      if (origin !== undefined && Host.isForeign(origin, host))
        return yield* Problems.fail("origin_forbidden", { detail: "Web pages of other origins must not call tools." })
      // The caller is authenticated before anything else, as on every route. The key is in the header.
      const caller = yield* bearer(Redacted.make(""))
      const body = yield* Effect.catchTag(Body.json(request), "BodyRefused", Problems.refuseBody)
      const runtime = yield* Effect.runtime<never>()
      // The inner request takes the place of this one.
      const services = yield* Effect.context<HttpRouter.HttpRouter.DefaultServices>()
      const exchange = within(
        Effect.mapInputContext(yield* api, (own: Context.Context<HttpServerRequest.HttpServerRequest | Scope.Scope>) =>
          Context.merge(services, own)
        ),
        request
      )
      const requestId = yield* RequestId.current
      const { handle } = yield* library
      const answered = yield* Effect.promise(() =>
        handle({
          request: webRequest(request),
          body,
          exchange,
          runtime,
          cancellations,
          extension,
          caller: caller.id,
          requestId
        })
      )
      // A client of the newest revision learns from the refusal which revisions there are, or what its message lacks.
      return answered.status < 400 || Envelope.expectsProtocolErrors(body, request.headers["mcp-protocol-version"])
        ? HttpServerResponse.fromWeb(answered)
        : yield* refuse(answered)
    })
    yield* router.post(
      Routes.mcp,
      Effect.catchAll(answer, (problem) => Effect.map(BasePath.BasePath, (base) => Problems.toResponse(problem, base)))
    )
  })
)

/** What the protocol's library refuses, as a problem like any other. */
const refuse = (answered: Response) =>
  Effect.gen(function* () {
    const text = yield* Effect.promise(() => answered.text())
    const { error } = (ApiExchange.parse(text) ?? {}) as { readonly error?: { readonly message?: string } }
    const detail = error?.message ?? "This is no message of the Model Context Protocol."
    if (answered.status === 406)
      return yield* Problems.fail("not_acceptable", {
        detail,
        members: { acceptable: ["application/json", "text/event-stream"] }
      })
    return yield* Problems.fail("malformed_request", { detail })
  })

// A Host that is in no URL is of no use to the library either.
const originOf = (host: string | undefined): string => {
  const origin = `http://${host}`
  return host !== undefined && !host.includes("@") && URL.canParse(origin) ? origin : "http://localhost"
}

// The body is read already, and bounded.
const webRequest = (request: HttpServerRequest.HttpServerRequest): Request =>
  new Request(`${originOf(request.headers.host)}${request.url}`, {
    method: request.method,
    headers: { ...request.headers }
  })

// Who calls, and from where.
const handedOn: ReadonlySet<string> = new Set<"authorization" | Network.ProxyHeader>([
  "authorization",
  "x-forwarded-for",
  "forwarded"
])

/**
 * The API of this process, called in the name of a request's caller, without a socket between. Each request
 * authenticates again, since a key may be revoked meanwhile, and is logged and counted, with the id of the one that it
 * serves.
 */
const within =
  (api: HttpApp.Default<unknown, Scope.Scope>, caller: HttpServerRequest.HttpServerRequest): ApiExchange.ApiExchange =>
  (asked) =>
    Effect.gen(function* () {
      const own = Object.entries(caller.headers).filter(([name]) => handedOn.has(name))
      const startedAt = yield* Clock.currentTimeMillis
      const sent = new Request(`http://localhost${ApiExchange.target(asked)}`, {
        method: asked.method,
        headers: {
          ...Object.fromEntries(own),
          ...(asked.body === undefined ? {} : { "content-type": "application/json" })
        },
        ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) })
      })
      const requestId = yield* RequestId.make
      yield* Effect.annotateLogsScoped({ request_id: requestId, mcp_request_id: caller.headers[RequestId.header] })
      const inner = HttpServerRequest.fromWeb(sent)
      const request = inner.modify({
        headers: { ...inner.headers, [RequestId.header]: requestId },
        ...(Option.isSome(caller.remoteAddress) ? { remoteAddress: caller.remoteAddress.value } : {})
      })
      const response = yield* api.pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.catchAllCause((cause) =>
          Effect.flatMap(
            Problems.fromCause(cause, requestId),
            Option.match({
              onNone: () => Effect.interrupt,
              onSome: (problem) => Effect.map(BasePath.BasePath, (base) => Problems.toResponse(problem, base))
            })
          )
        )
      )
      const endedAt = yield* Clock.currentTimeMillis
      yield* AccessLog.write({
        method: asked.method,
        route: Option.map(Option.fromNullable(Routes.find(`/api/v1${asked.path}`)), ({ template }) => template),
        status: response.status,
        millis: endedAt - startedAt
      })
      const text = yield* Effect.promise(() => HttpServerResponse.toWeb(response).text())
      return {
        status: response.status,
        location: response.headers["content-location"] ?? null,
        body: ApiExchange.parse(text)
      }
    }).pipe(Effect.scoped)
