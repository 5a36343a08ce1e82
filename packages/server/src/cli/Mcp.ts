import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { Effect, Layer, LogLevel, Option, Redacted } from "effect"
import * as Deployment from "../Deployment.js"
import * as Host from "../Host.js"
import * as RequestId from "../http/observability/RequestId.js"
import * as ApiExchange from "../mcp/ApiExchange.js"
import * as McpServer from "../mcp/McpServer.js"
import * as Tools from "../mcp/Tools.js"
import * as OutboundProxies from "../OutboundProxies.js"
import * as ServerConfig from "../ServerConfig.js"
import * as Endpoints from "./Endpoints.js"
import { Refusal } from "./Refusal.js"
import { Shell, untilInterrupted } from "./Shell.js"

/** The arguments of `assay mcp`: endpoints to analyse with, or a server to forward everything to. */
export interface Request extends Endpoints.Wanted {
  readonly url: Option.Option<string>
}

/**
 * Serves the Model Context Protocol on standard input and output until the input ends. Without `--url` it runs a server of
 * its own, in memory and on a port of this machine that only it knows the key of: watches end with it. Ctrl-C and SIGTERM
 * end it as well as the end of the input.
 */
export const run = (request: Request) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const exchange = yield* Option.match(request.url, {
      onNone: () => own(client, request),
      onSome: (baseUrl) => remote(client, baseUrl)
    })
    const runtime = yield* Effect.runtime<never>()
    const offer = Option.isSome(request.url) ? Tools.throughServer : Tools.ofSession
    const ended = Effect.async<void>((resume) => {
      process.stdin.once("end", () => resume(Effect.void))
      process.stdin.once("close", () => resume(Effect.void))
    })
    yield* Effect.acquireRelease(
      // The first message of the client decides which revision of the protocol is spoken.
      Effect.sync(() => serveStdio(() => McpServer.make({ exchange, offer, requestId: RequestId.make, runtime }))),
      (served) => Effect.promise(() => served.close())
    )
    // Who types the command sees nothing else.
    if (process.stdin.isTTY)
      yield* (yield* Shell).writeError("assay mcp is started by a client, which writes to it; Ctrl-D ends it\n")
    yield* untilInterrupted(ended)
    return 0 as const
  }).pipe(
    Effect.scoped,
    Effect.provide(Layer.unwrapEffect(Effect.map(Endpoints.loadProxies, (proxies) => OutboundProxies.layer(proxies))))
  )

const remote = (client: HttpClient.HttpClient, baseUrl: string) =>
  Effect.gen(function* () {
    const { settings } = yield* Shell
    const key = settings.ASSAY_API_KEY?.trim() ?? ""
    if (!/^https?:\/\/./.test(baseUrl) || !URL.canParse(baseUrl))
      return yield* new Refusal({ detail: "--url is no URL; give that of a server, such as https://assay.example" })
    if (key === "")
      return yield* new Refusal({ detail: "no key for the server of --url; set ASSAY_API_KEY to one of its keys" })
    const through = OutboundProxies.through(OutboundProxies.of(yield* Endpoints.loadProxies, baseUrl))
    return ApiExchange.overHttp(client, { baseUrl, key: Redacted.make(key), through })
  })

const own = (client: HttpClient.HttpClient, request: Request) =>
  Effect.gen(function* () {
    const { config } = yield* Endpoints.find(request)
    const mine: ServerConfig.ServerConfig["Type"] = {
      ...config,
      host: "127.0.0.1",
      port: 0,
      metrics: Option.none(),
      database: { _tag: "Memory" },
      allowedHosts: Option.some(Host.loopback),
      // Who runs the program pays for it.
      limits: { ...config.limits, dailyQuota: 1_000_000, burstPerMinute: 100_000, processes: 1 },
      // No other client can fetch what was cancelled.
      abandoned: "stop",
      // The protocol has standard output for itself.
      logLevel: LogLevel.None
    }
    const context = yield* Layer.build(
      Deployment.layer.pipe(
        Layer.provideMerge(Layer.succeed(ServerConfig.ServerConfig, mine)),
        Layer.provide(NodeContext.layer)
      )
    ).pipe(Effect.mapError(() => new Refusal({ detail: "the server for this session could not be started" })))
    const { address } = yield* Effect.provide(HttpServer.HttpServer, context)
    if (address._tag !== "TcpAddress") return yield* Effect.dieMessage("The server of a session listens on a port")
    const baseUrl = `http://127.0.0.1:${address.port}`
    const open = ApiExchange.overHttp(client, { baseUrl, key: Redacted.make("") })
    const made = yield* Effect.orDie(open({ method: "POST", path: "/keys", body: { label: "assay mcp" } }))
    const { key } = made.body as { readonly key: string }
    return ApiExchange.overHttp(client, { baseUrl, key: Redacted.make(key) })
  })
