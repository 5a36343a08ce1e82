import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as KindGuess from "@assay/core/analysis/KindGuess"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as Delivery from "@assay/core/events/Delivery"
import * as Destination from "@assay/core/events/Destination"
import * as EventBell from "@assay/core/events/EventBell"
import * as Events from "@assay/core/events/Events"
import * as Relay from "@assay/core/events/Relay"
import * as Resolver from "@assay/core/events/Resolver"
import * as Webhooks from "@assay/core/events/Webhooks"
import * as WebhookTransport from "@assay/core/events/WebhookTransport"
import * as Executions from "@assay/core/executions/Executions"
import * as Reaper from "@assay/core/executions/Reaper"
import * as Entropy from "@assay/core/keys/Entropy"
import * as Keys from "@assay/core/keys/Keys"
import * as Secrets from "@assay/core/keys/Secrets"
import * as Quota from "@assay/core/quota/Quota"
import * as RateLimit from "@assay/core/quota/RateLimit"
import * as StorageError from "@assay/core/storage/StorageError"
import * as Bell from "@assay/core/watches/Bell"
import * as Retention from "@assay/core/watches/Retention"
import * as RunReaper from "@assay/core/watches/RunReaper"
import * as Scheduler from "@assay/core/watches/Scheduler"
import * as Watches from "@assay/core/watches/Watches"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Clock, Deferred, Effect, Function, Layer, Logger, Option, Redacted, Runtime, Schema } from "effect"
import { Closing } from "./http/edge/Closing.js"
import { Front } from "./http/edge/Front.js"
import * as NodeServer from "./http/edge/NodeServer.js"
import * as Policies from "./http/edge/Policies.js"
import * as HealthCheck from "./http/handlers/HealthCheck.js"
import * as RequestId from "./http/observability/RequestId.js"
import * as Routes from "./http/Routes.js"
import * as LogLines from "./LogLines.js"
import * as MetricsServer from "./MetricsServer.js"
import * as OutboundProxies from "./OutboundProxies.js"
import * as SecretsKey from "./SecretsKey.js"
import * as Server from "./Server.js"
import * as ServerConfig from "./ServerConfig.js"
import * as SourceNames from "./SourceNames.js"
import * as Stores from "./Stores.js"
import * as Summaries from "./Summaries.js"
import * as Terminal from "./Terminal.js"

/**
 * How long new requests are refused as draining before the port closes, so that a load balancer sees it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const drainMillis = 1_000

/** How long each background task may run after the stop signal; another process claims interrupted work again. */
const backgroundGraceSeconds = 1

/**
 * One process of the whole service over an analyser of the embedder, configured by its settings. It listens once built. On
 * shutdown it stops listening, then waits for requests in flight, then for executions, and closes the storage last.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOver = <E, R>(analyzer: Layer.Layer<Analyzer.Analyzer, E, R>) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const config = yield* ServerConfig.ServerConfig
      const runtime = yield* Effect.runtime<never>()
      const clock = yield* Effect.clock
      const closing = yield* Deferred.make<number>()
      // What requests in flight leave of their time, executions have that nobody waits for.
      const leftSeconds = Effect.flatMap(
        Deferred.poll(closing),
        Option.match({
          onNone: () => Effect.succeed(backgroundGraceSeconds),
          onSome: Effect.map((began) =>
            Math.max(backgroundGraceSeconds, config.shutdownSeconds - (clock.unsafeCurrentTimeMillis() - began) / 1_000)
          )
        })
      )
      const front = Front.defaultValue()
      const requestId = () => Runtime.runSync(runtime)(RequestId.make)
      return announce.pipe(
        Layer.provide(Server.layer),
        Layer.provide([Layer.succeed(Closing, Effect.asVoid(Deferred.await(closing))), Layer.succeed(Front, front)]),
        Layer.provideMerge(
          NodeHttpServer.layer(
            () =>
              NodeServer.make({
                graceMillis: config.shutdownSeconds * 1_000,
                drainMillis,
                requestId,
                front,
                closing: () => Deferred.unsafeDone(closing, Effect.succeed(clock.unsafeCurrentTimeMillis()))
              }),
            { host: config.host, port: config.port }
          )
        ),
        Layer.merge(Option.match(config.metrics, { onNone: () => Layer.empty, onSome: MetricsServer.layer })),
        Layer.provide(
          Layer.mergeAll(
            scheduling(config),
            Watches.layer({ graceSeconds: backgroundGraceSeconds }),
            RunReaper.layer(),
            Retention.layer(),
            Events.layer({ streamsPerKey: Policies.perKey.streams }),
            Webhooks.layer({ perKey: Policies.perKey.webhooks })
          )
        ),
        Layer.provide(
          Layer.mergeAll(
            Executions.layerSummarising({
              slotsPerKey: config.limits.concurrencyPerKey,
              abandoned: config.abandoned,
              graceSeconds: leftSeconds
            }),
            Relay.layer(),
            Bell.layer
          )
        ),
        Layer.provide(
          Layer.mergeAll(
            analyzer,
            KindGuess.layer,
            Summaries.layer(config.summaries),
            Keys.layer({ dailyQuota: config.limits.dailyQuota }),
            Quota.layer({
              unitsPerSourceDay: Option.some(config.limits.unitsPerSourceDay),
              globalDailyUnits: config.limits.globalDailyUnits
            }),
            Reaper.layer()
          )
        ),
        Layer.provide(
          Layer.mergeAll(
            Stores.layerSealing(config.database),
            ChainAccess.layerJsonRpc({ endpoints: Redacted.value(config.endpoints) }),
            EventBell.layer,
            RateLimit.layer(),
            Layer.provide(
              Destination.layer({ ...config.webhookUrls, ports: Option.getOrUndefined(config.webhookUrls.ports) }),
              Resolver.layer
            )
          )
        ),
        Layer.provide(Layer.provideMerge(SecretsKey.layer(config), Entropy.layer)),
        Layer.provide(Chains.layer(Redacted.value(config.chains), { default: config.defaultChain })),
        Layer.provide(throughProxies(config)),
        Layer.provide(logging(config)),
        Layer.provide(Layer.setTracerEnabled(false))
      )
    })
  )

/**
 * As `layerOver`, with the checks of this package and of the sources in the settings, which are loaded by the first
 * analysis.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = layerOver(
  Layer.unwrapEffect(
    Effect.map(ServerConfig.ServerConfig, ({ sources }) =>
      Analyzer.layerOnDemand(
        Effect.map(
          Effect.promise(() => import("@assay/core/analysis/Sources")),
          (Sources) => Layer.provide(Analyzer.layer(Sources.checks(sources)), Sources.layer(sources))
        )
      )
    )
  )
)

/**
 * Serves until the process is stopped, with the settings of the environment; `listening` receives the address once.
 * `service` is what is served: `layer`, or one of `layerOver`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serve = (
  listening: (origin: string) => Effect.Effect<void> = () => Effect.void,
  service: Layer.Layer<
    Layer.Layer.Success<typeof layer>,
    Layer.Layer.Error<typeof layer>,
    Layer.Layer.Context<typeof layer>
  > = layer
): Effect.Effect<never, StartRefused> =>
  Layer.launch(
    Layer.effectDiscard(Effect.flatMap(origin, listening)).pipe(
      Layer.provide(service),
      Layer.provide(
        ServerConfig.layer({
          terminal: process.stdout.isTTY,
          // An empty variable is one that is not set.
          names: Object.keys(process.env).filter((name) => process.env[name]?.trim() !== "")
        })
      ),
      Layer.provide(NodeContext.layer),
      Layer.provide(unreadLog)
    )
  ).pipe(Effect.mapError((error) => new StartRefused({ detail: reasonOf(error) })))

// Whoever reads the log may leave: a write that fails then is no reason to end the service.
const unreadLog = Layer.scopedDiscard(
  Effect.forEach([process.stdout, process.stderr], (stream) =>
    Effect.acquireRelease(
      Effect.sync(() => stream.on("error", Function.constVoid)),
      () => Effect.sync(() => stream.off("error", Function.constVoid))
    )
  )
)

const origin = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "UnixAddress"
    ? address.path
    : `http://${address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname}:${address.port}`
)

const announce = Layer.scopedDiscard(
  Effect.gen(function* () {
    const config = yield* ServerConfig.ServerConfig
    const at = yield* origin
    const chains = Redacted.value(config.chains).map(({ id, name }) => `${name} (${id})`)
    yield* Effect.logInfo(`Listening on ${at}; chains: ${chains.join(", ")}; documentation: ${at}${Routes.docs}`)
    const outside = [
      ...SourceNames.of(config.sources),
      ...Option.toArray(Option.map(config.summaries, ({ model, provider }) => `${model} (${provider}) for summaries`))
    ]
    if (outside.length > 0) yield* Effect.logInfo(`External services in use: ${outside.join(", ")}`)
    for (const [scheme, proxy] of [
      ["http", config.proxies.http],
      ["https", config.proxies.https]
    ] as const)
      if (Option.isSome(proxy))
        yield* Effect.logInfo(
          `Requests to ${scheme}:// outside of this machine go through the proxy ${proxy.value.shown}`
        )
    if (config.unknownSettings.length > 0)
      yield* Effect.logWarning(`There are no such settings: ${config.unknownSettings.join(", ")}`)
    if (Option.isNone(config.allowedHosts))
      yield* Effect.logInfo("The Host header may say anything: ASSAY_ALLOWED_HOSTS is not set")
    if (config.trustedProxies.length > 0)
      yield* Effect.logInfo(`Clients are who ${config.proxyHeader} of ${config.trustedProxies.join(", ")} says`)
    if (!config.perSource)
      yield* Effect.logInfo("Limits per source are off: the server listens on loopback only and trusts no proxy")
    // The first to end of all that runs.
    yield* Effect.addFinalizer(() =>
      Effect.logInfo(
        `Stopping: new requests get 503 draining, for ${drainMillis / 1000} s before the port closes; requests in flight have ${config.shutdownSeconds} s`
      )
    )
  })
)

// A process may serve requests only and leave checks and webhooks to others.
const scheduling = ({ scheduling }: ServerConfig.ServerConfig["Type"]) =>
  scheduling.state === "off"
    ? HealthCheck.layer
    : Layer.merge(
        Layer.provide(
          HealthCheck.layerScheduling,
          Scheduler.layer({
            concurrency: scheduling.concurrency,
            perKey: scheduling.perKey,
            graceSeconds: backgroundGraceSeconds
          })
        ),
        Layer.provide(Delivery.layer({ graceSeconds: backgroundGraceSeconds }), WebhookTransport.layer())
      )

// Callers read nothing of the operator's network, so the log has it.
const throughProxies = ({ proxies }: ServerConfig.ServerConfig["Type"]) =>
  Layer.suspend(() => {
    const told = new Map<OutboundProxies.OutboundProxy, number>()
    return OutboundProxies.layer(proxies, (proxy) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (now - (told.get(proxy) ?? Number.NEGATIVE_INFINITY) < 60_000) return Effect.void
        told.set(proxy, now)
        return Effect.logWarning(
          `A request through the proxy ${proxy.shown} got no answer; further ones are logged in a minute`
        )
      })
    )
  })

const logging = (config: ServerConfig.ServerConfig["Type"]) =>
  Layer.merge(
    config.logFormat === "json"
      ? LogLines.layer((lines) => process.stdout.write(lines))
      : Logger.replace(
          Logger.defaultLogger,
          Logger.prettyLogger({ colors: Terminal.of(process.stdout, process.env).hasColours })
        ),
    Logger.minimumLogLevel(config.logLevel)
  )

// One line that an operator can act on, without details of the error, which may hold an endpoint URL.
const reasonOf = (error: unknown): string => {
  if (error instanceof ServerConfig.SettingInvalid) return error.message
  if (error instanceof HttpServerError.ServeError) {
    const { code } = error.cause as NodeJS.ErrnoException
    return code === "EADDRINUSE"
      ? "ASSAY_PORT: another program already listens on this address and port."
      : `ASSAY_HOST: the server cannot listen on this address (${code ?? "unknown reason"}).`
  }
  if (error instanceof Secrets.SecretUnreadable)
    return error.reason === "unknown_key"
      ? `ASSAY_SECRETS_KEY: the database has webhook secrets that another key encrypted (${error.keyId}); give that key too, or restore its file.`
      : `ASSAY_DATABASE: a webhook secret in the database is not what key ${error.keyId} encrypted.`
  return error instanceof StorageError.StorageError
    ? `ASSAY_DATABASE: ${error.detail}`
    : "ASSAY_DATABASE: The database could not be opened."
}

/**
 * The server does not start; `detail` names the setting to change.
 *
 * @since 0.1.0
 * @category errors
 */
export class StartRefused extends Schema.TaggedError<StartRefused>()("StartRefused", { detail: Schema.String }) {}
