import * as Analyzer from "@assay/core/analysis/Analyzer"
import * as KindGuess from "@assay/core/analysis/KindGuess"
import * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import type * as SecondOpinion from "@assay/core/chain/sources/SecondOpinion"
import type * as SignatureNames from "@assay/core/chain/sources/SignatureNames"
import type * as VerifiedSource from "@assay/core/chain/sources/VerifiedSource"
import type * as Check from "@assay/core/checks/Check"
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
import * as Plan from "@assay/core/keys/Plan"
import * as Secrets from "@assay/core/keys/Secrets"
import * as Quota from "@assay/core/quota/Quota"
import * as RateLimit from "@assay/core/quota/RateLimit"
import type * as Storage from "@assay/core/storage/Storage"
import * as StorageError from "@assay/core/storage/StorageError"
import * as Bell from "@assay/core/watches/Bell"
import * as Retention from "@assay/core/watches/Retention"
import * as RunReaper from "@assay/core/watches/RunReaper"
import * as Scheduler from "@assay/core/watches/Scheduler"
import * as Watches from "@assay/core/watches/Watches"
import type * as HttpClient from "@effect/platform/HttpClient"
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
import * as MeasuredReads from "./telemetry/MeasuredReads.js"
import * as MeasuredStores from "./telemetry/MeasuredStores.js"
import * as Traces from "./telemetry/Traces.js"

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
 * The parts of the service that a program has of its own. What is left out is as the settings say.
 *
 * - `analyzer`: the engine, with checks of the program's own (`analyzer`).
 * - `storage`: all stores. Where it also gives `StorageHealth` and `StorageVersion`, these are used. `ASSAY_DATABASE` is not,
 *   and `ASSAY_SECRETS_KEY` has to be set, because the secrets of webhooks outlive the process.
 * - `chainAccess`: how chains are read.
 * - `httpClient`: how everything else is reached, and by default the chains too.
 *
 * @since 0.1.0
 * @category models
 */
export interface Parts<E, R> {
  readonly analyzer?: Layer.Layer<Analyzer.Analyzer, E, R | ChainAccess.ChainAccess> | undefined
  readonly storage?: Layer.Layer<Storage.Storage, E, R> | undefined
  readonly chainAccess?: Layer.Layer<ChainAccess.ChainAccess, E, R> | undefined
  readonly httpClient?: Layer.Layer<HttpClient.HttpClient, E> | undefined
}

/**
 * What the parts of a program may use: what is below them in the service. An analyzer may use the chain access as well.
 *
 * @since 0.1.0
 * @category models
 */
export type Below =
  | ServerConfig.ServerConfig
  | Chains.Chains
  | HttpClient.HttpClient
  | Entropy.Entropy
  | Secrets.Secrets

/**
 * The use-cases, and the stores and chains that they are over.
 *
 * @since 0.1.0
 * @category models
 */
export type Services =
  | Analyzer.Analyzer
  | KindGuess.KindGuess
  | Keys.Keys
  | Quota.Quota
  | RateLimit.RateLimit
  | Executions.Executions
  | Watches.Watches
  | Events.Events
  | Webhooks.Webhooks
  | HealthCheck.HealthCheck
  | Stores.Provided
  | Chains.Chains
  | ChainAccess.ChainAccess
  | HttpClient.HttpClient
  | Bell.Bell
  | EventBell.EventBell
  | Secrets.Secrets
  | Entropy.Entropy

/**
 * All use-cases with their background work, without a listener, a log or a signal: for a program that calls them itself, or
 * serves them with `Server.webHandler` and `Server.nodeHandler`. Closing it waits for executions, and closes the storage
 * last.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerServices = <E = never, R = never>(
  parts: Parts<E, R> = {}
): Layer.Layer<
  Services,
  E | StorageError.StorageError | Secrets.SecretUnreadable | ServerConfig.SettingInvalid,
  Exclude<R, Below> | ServerConfig.ServerConfig
> =>
  Layer.unwrapEffect(
    Effect.map(ServerConfig.ServerConfig, (config) =>
      services(config, partsOf(parts), Effect.succeed(backgroundGraceSeconds))
    )
  )

/**
 * One process of the whole service over parts of the embedder, configured by its settings. It listens once built. On
 * shutdown it stops listening, then waits for requests in flight, then for executions, and closes the storage last.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOver = <E = never, R = never>(
  parts: Parts<E, R>
): Layer.Layer<
  HttpServer.HttpServer,
  E | StorageError.StorageError | Secrets.SecretUnreadable | ServerConfig.SettingInvalid | HttpServerError.ServeError,
  Exclude<R, Below> | ServerConfig.ServerConfig
> =>
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
        Layer.provide(services(config, partsOf(parts), leftSeconds)),
        Layer.provide(traced(config)),
        Layer.provide(logging(config))
      )
    })
  )

/**
 * The engine with the checks that read the chain, those of the sources in the settings, and further ones. Without further
 * ones it is loaded by the first analysis; with them when it is built, so that a check that cannot run is refused then.
 *
 * @since 0.1.0
 * @category layers
 */
export const analyzer = <const C extends ReadonlyArray<Check.Any> = readonly []>(
  checks?: C
): Layer.Layer<
  Analyzer.Analyzer,
  never,
  | ServerConfig.ServerConfig
  | HttpClient.HttpClient
  | ChainAccess.ChainAccess
  | Exclude<
      Layer.Layer.Context<ReturnType<typeof Analyzer.layer<C>>>,
      VerifiedSource.VerifiedSource | SignatureNames.SignatureNames | SecondOpinion.SecondOpinion
    >
> =>
  Layer.unwrapEffect(
    Effect.map(ServerConfig.ServerConfig, ({ sources }) => {
      const load = Effect.map(
        Effect.promise(() => import("@assay/core/analysis/Sources")),
        (Sources) =>
          Layer.provide(Analyzer.layer([...Sources.checks(sources), ...(checks ?? [])]), Sources.layer(sources))
      )
      return checks === undefined ? Analyzer.layerOnDemand(load) : Layer.unwrapEffect(load)
    })
  )

/**
 * As `layerOver`, with nothing of the embedder's own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = layerOver({})

// What the parts need of the program is in the type of the whole layer. Here it is nobody's concern.
const partsOf = <E, R>(parts: Parts<E, R>): Parts<E, Below> => parts as Parts<E, never>

const services = <E>(
  config: ServerConfig.ServerConfig["Type"],
  parts: Parts<E, Below>,
  graceSeconds: Effect.Effect<number>
): Layer.Layer<
  Services,
  E | StorageError.StorageError | Secrets.SecretUnreadable | ServerConfig.SettingInvalid,
  ServerConfig.ServerConfig
> =>
  Layer.mergeAll(
    scheduling(config),
    Watches.layer({ graceSeconds: backgroundGraceSeconds, plans: plansOf(config) }),
    RunReaper.layer(),
    Retention.layer({ unusedKeyDays: Option.getOrUndefined(config.keys.unusedDays) }),
    Events.layer({ streamsPerKey: Policies.perKey.streams }),
    Webhooks.layer({ perKey: Policies.perKey.webhooks })
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Executions.layerSummarising({
          slotsPerKey: config.limits.concurrencyPerKey,
          abandoned: config.abandoned,
          graceSeconds
        }),
        Relay.layer(),
        Bell.layer
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(MeasuredReads.layerAnalyzer, parts.analyzer ?? analyzer()),
        KindGuess.layer,
        Summaries.layer(config.summaries),
        Keys.layer({ dailyQuota: config.limits.dailyQuota, plans: plansOf(config) }),
        Quota.layer({
          unitsPerSourceDay: Option.some(config.limits.unitsPerSourceDay),
          globalDailyUnits: config.limits.globalDailyUnits
        }),
        Reaper.layer()
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        parts.storage === undefined
          ? Layer.provideMerge(MeasuredStores.layer, Stores.layerSealing(config.database))
          : Layer.provideMerge(MeasuredStores.layer, Stores.layerOf(parts.storage)),
        Layer.provide(
          MeasuredReads.layer,
          parts.chainAccess ??
            ChainAccess.layerJsonRpc({ endpoints: Redacted.value(config.endpoints), onRequest: MeasuredReads.sent })
        ),
        EventBell.layer,
        RateLimit.layer(),
        Layer.provide(
          Destination.layer({ ...config.webhookUrls, ports: Option.getOrUndefined(config.webhookUrls.ports) }),
          Resolver.layer
        )
      )
    ),
    Layer.provideMerge(
      Layer.provideMerge(
        parts.storage === undefined ? SecretsKey.layer(config) : SecretsKey.layerOf(config.secretsKeys),
        Entropy.layer
      )
    ),
    Layer.provideMerge(Chains.layer(Redacted.value(config.chains), { default: config.defaultChain })),
    Layer.provideMerge(parts.httpClient ?? throughProxies(config))
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
const plansOf = ({ keys }: Pick<ServerConfig.ServerConfig["Type"], "keys">): Plan.Plans =>
  Option.getOrElse(keys.plans, () => Plan.none)

const scheduling = ({ basePath, scheduling, ...config }: ServerConfig.ServerConfig["Type"]) =>
  scheduling.state === "off"
    ? HealthCheck.layer
    : Layer.merge(
        Layer.provide(
          HealthCheck.layerScheduling,
          Scheduler.layer({
            concurrency: scheduling.concurrency,
            perKey: scheduling.perKey,
            plans: plansOf(config),
            graceSeconds: backgroundGraceSeconds
          })
        ),
        Layer.provide(Delivery.layer({ graceSeconds: backgroundGraceSeconds, basePath }), WebhookTransport.layer())
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

// Spans cost nothing where nobody receives them. The client is one of its own: what sends traces is not traced.
const traced = (config: ServerConfig.ServerConfig["Type"]) =>
  Option.match(config.traces, {
    onNone: () => Layer.setTracerEnabled(false),
    onSome: (traces) => Layer.provide(Traces.layer(traces), throughProxies(config))
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
    ? // A storage of the embedder has no setting of ours.
      `${/^(?:Sql|Pg)/.test(error.operation) ? "ASSAY_DATABASE" : "The storage"}: ${error.detail}`
    : "ASSAY_DATABASE: The database could not be opened."
}

/**
 * The server does not start; `detail` names the setting to change.
 *
 * @since 0.1.0
 * @category errors
 */
export class StartRefused extends Schema.TaggedError<StartRefused>()("StartRefused", { detail: Schema.String }) {}
