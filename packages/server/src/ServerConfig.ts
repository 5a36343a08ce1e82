import type { Sources } from "@assay/core/analysis/Sources"
import * as Version from "@assay/core/analysis/Version"
import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as FileSystem from "@effect/platform/FileSystem"
import { Array as Arr, Config, Context, Effect, Layer, type LogLevel, Option, Record, Redacted, Schema } from "effect"
import * as BasePath from "./BasePath.js"
import * as Host from "./Host.js"
import * as Network from "./Network.js"
import * as OutboundProxies from "./OutboundProxies.js"
import * as SettingNames from "./SettingNames.js"
import { type Setting, settings, type ValuesOf } from "./Settings.js"
import type * as SettingValue from "./SettingValue.js"
import * as Sampling from "./telemetry/Sampling.js"
import type * as Traces from "./telemetry/Traces.js"

/**
 * The limits of callers; see `GET /api/v1/limits`. `processes` is how many share the limits that each process counts by
 * itself.
 *
 * @since 0.1.0
 * @category models
 */
export type Limits = ValuesOf<typeof settings.limits>

/**
 * How keys are created and kept.
 *
 * @since 0.1.0
 * @category models
 */
export type KeySettings = ValuesOf<typeof settings.keys>

/**
 * The database. A path is relative to the working directory. The URL of a Postgres database may hold a password;
 * `connections` is how many a server opens to it at most.
 *
 * @since 0.1.0
 * @category models
 */
export type Database =
  | Exclude<SettingValue.Database, { readonly _tag: "Postgres" }>
  | (Extract<SettingValue.Database, { readonly _tag: "Postgres" }> & { readonly connections: number })

/**
 * The model that writes summaries, with its timeout and token limits. Without a `url` it is the provider's own API.
 *
 * @since 0.1.0
 * @category models
 */
export interface Summaries {
  readonly provider: "openai" | "anthropic"
  readonly model: string
  readonly url: Option.Option<string>
  readonly key: Option.Option<Redacted.Redacted<string>>
  readonly timeoutSeconds: number
  readonly maxOutputTokens: number
  readonly tokensPerDay: number
}

/**
 * The scheduling of watches in this process. `off`: it runs no checks and sends no webhooks.
 *
 * @since 0.1.0
 * @category models
 */
export type Scheduling = ValuesOf<typeof settings.scheduling>

/**
 * The webhook URLs allowed besides https URLs on the public internet, and the ports of public hosts: without `ports`
 * that of the scheme.
 *
 * @since 0.1.0
 * @category models
 */
export type WebhookUrls = ValuesOf<typeof settings.webhookUrls>

/**
 * All settings of an operator. `chains` is redacted because endpoint URLs are secrets. `perSource` is whether the
 * limits per source are on: they are off where the server listens on loopback only and trusts no proxy.
 * `allowedHosts` is what the Host header may say; none means anything. `unknownSettings` are names of the environment
 * that nothing reads.
 *
 * @since 0.1.0
 * @category services
 */
export class ServerConfig extends Context.Tag("@assay/server/ServerConfig")<
  ServerConfig,
  {
    readonly host: string
    readonly port: number
    /** How many seconds requests in flight may run after the stop signal. */
    readonly shutdownSeconds: number
    readonly database: Database
    readonly secretsKeys: Option.Option<Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>>
    readonly chains: Redacted.Redacted<readonly [Chains.Chain, ...Array<Chains.Chain>]>
    /** What is known of single endpoints, by their URL. */
    readonly endpoints: Redacted.Redacted<ReadonlyMap<string, ChainAccess.EndpointSettings>>
    readonly defaultChain: number
    readonly limits: Limits
    readonly keys: KeySettings
    readonly sources: Sources
    readonly summaries: Option.Option<Summaries>
    readonly proxies: OutboundProxies.OutboundProxies
    readonly scheduling: Scheduling
    readonly webhookUrls: WebhookUrls
    /** Where `/metrics` is served, if it is. */
    readonly metrics: Option.Option<{ readonly host: string; readonly port: number }>
    /** Where traces are sent, if they are. */
    readonly traces: Option.Option<Traces.Options>
    readonly trustedProxies: ReadonlyArray<string>
    readonly proxyHeader: Network.ProxyHeader
    readonly perSource: boolean
    readonly allowedHosts: Option.Option<ReadonlyArray<Host.Host>>
    readonly logLevel: LogLevel.LogLevel
    readonly logFormat: "pretty" | "json"
    readonly unknownSettings: ReadonlyArray<string>
    /** The path below which another program serves the API, such as `/risk`; from the root without it, and no setting. */
    readonly basePath?: string | undefined
    /** What becomes of an analysis when all its callers are gone; no setting. */
    readonly abandoned: "finish" | "stop"
  }
>() {}

/**
 * The settings as a program gives them, without an environment. What is left out is as where its setting is not set, but
 * for `database`, which is in memory, and `allowedHosts`, which are all. What only a process of its own has (where it
 * listens, its log, its metrics and its traces) is no option.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly chains: Arr.NonEmptyReadonlyArray<Chains.Chain>
  readonly endpoints?: ReadonlyMap<string, ChainAccess.EndpointSettings> | undefined
  /** The id of one of the chains; 1 without it, or the first. */
  readonly defaultChain?: number | undefined
  /** The path below which the API is served, such as `/risk`; from the root without it. */
  readonly basePath?: string | undefined
  readonly database?: Database | undefined
  /** Encrypt the secrets of webhooks; required where the stores are the program's own, as these outlive the process. */
  readonly secretsKeys?: Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>> | undefined
  readonly limits?: Partial<Limits> | undefined
  readonly keys?: Partial<KeySettings> | undefined
  readonly sources?: Partial<Sources> | undefined
  readonly summaries?: Summaries | undefined
  readonly proxies?: OutboundProxies.OutboundProxies | undefined
  readonly scheduling?: Partial<Scheduling> | undefined
  readonly webhookUrls?: Partial<WebhookUrls> | undefined
  /** Networks of proxies that are believed who their client is. */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  readonly proxyHeader?: Network.ProxyHeader | undefined
  /** Whether limits per source are on, as they are without it. */
  readonly perSource?: boolean | undefined
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /** How long requests in flight may run once the handler or the server is closed; 7. */
  readonly graceSeconds?: number | undefined
  readonly abandoned?: "finish" | "stop" | undefined
}

/**
 * The configuration of these options. The error names the first option that is invalid.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options): Effect.Effect<ServerConfig["Type"], SettingInvalid> =>
  Effect.gen(function* () {
    const { listener, log } = settings
    const ids = options.chains.map(({ id }) => id)
    const defaultChain = options.defaultChain ?? (ids.includes(1) ? 1 : options.chains[0].id)
    if (!ids.includes(defaultChain)) return yield* invalid("defaultChain", `expected one of ${ids.join(", ")}`)
    const basePath = yield* Effect.mapError(BasePath.parse(options.basePath ?? ""), () =>
      invalid("basePath", `expected a path such as /risk, got ${JSON.stringify(options.basePath)}`)
    )
    const networks = yield* given("trustedProxies", listener.trustedProxies, options.trustedProxies?.join(","))
    const allowedHosts = yield* given("allowedHosts", listener.allowedHosts, options.allowedHosts?.join(","))
    return {
      host: listener.host.initial,
      port: listener.port.initial,
      shutdownSeconds: options.graceSeconds ?? listener.shutdownSeconds.initial,
      database: options.database ?? { _tag: "Memory" },
      secretsKeys: Option.fromNullable(options.secretsKeys),
      chains: Redacted.make(options.chains),
      endpoints: Redacted.make(options.endpoints ?? new Map()),
      defaultChain,
      limits: { ...initial(settings.limits), ...options.limits },
      keys: { ...initial(settings.keys), ...options.keys },
      sources: { ...noSources, ...options.sources },
      summaries: Option.fromNullable(options.summaries),
      proxies: options.proxies ?? OutboundProxies.none,
      scheduling: { ...initial(settings.scheduling), ...options.scheduling },
      webhookUrls: { ...initial(settings.webhookUrls), ...options.webhookUrls },
      metrics: Option.none(),
      traces: Option.none(),
      trustedProxies: Option.getOrElse(networks, () => []),
      proxyHeader: options.proxyHeader ?? listener.proxyHeader.initial,
      perSource: options.perSource ?? true,
      allowedHosts,
      logLevel: log.level.initial,
      logFormat: "json",
      unknownSettings: [],
      basePath,
      abandoned: options.abandoned ?? "finish"
    }
  })

const initial = <Group extends { readonly [name: string]: Open<unknown, never> }>(group: Group): ValuesOf<Group> =>
  Record.map(group, (setting) => setting.initial) as ValuesOf<Group>

const given = <A>(option: string, setting: Open<A, unknown>, text: string | undefined) =>
  valueOf({ ...setting, name: option }, option, Option.fromNullable(text), {})

const invalid = (setting: string, detail: string) => new SettingInvalid({ setting, detail })

// The module that has them brings the engine, which a server loads with its first analysis.
const noSources: Sources = {
  sourcify: Option.none(),
  etherscan: Option.none(),
  signatures: Option.none(),
  fourByte: Option.none(),
  goplus: Option.none()
}

/**
 * As `make`, as a service.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerOf = (options: Options): Layer.Layer<ServerConfig, SettingInvalid> =>
  Layer.effect(ServerConfig, make(options))

/**
 * Reads the settings from the environment; `terminal` is whether the log goes to a terminal, `names` are the names of
 * the environment. The error names the first setting that is misspelled or invalid, and the expected value; it never
 * repeats a secret.
 *
 * @since 0.1.0
 * @category constructors
 */
export const load = (options: {
  readonly terminal: boolean
  readonly names: ReadonlyArray<string>
}): Effect.Effect<ServerConfig["Type"], SettingInvalid, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const { misspelled, unknown } = SettingNames.review(options.names)
    for (const { meant, name } of misspelled)
      return yield* new SettingInvalid({ setting: name, detail: `there is no such setting; ${meant} is one` })
    const { allowedHosts, host, trustedProxies, ...listener } = yield* readAll(settings.listener)
    const trusted = Option.getOrElse(trustedProxies, () => [])
    const metrics = yield* readAll(settings.metrics)
    const { format, level } = yield* readAll(settings.log)
    return {
      ...listener,
      host,
      database: yield* database,
      secretsKeys: yield* readSecret(settings.database.secretsKeys),
      ...(yield* loadChains),
      limits: yield* readAll(settings.limits),
      keys: yield* readAll(settings.keys),
      sources: yield* loadSources,
      summaries: yield* loadSummaries,
      proxies: yield* loadProxies,
      scheduling: yield* readAll(settings.scheduling),
      webhookUrls: yield* readAll(settings.webhookUrls),
      metrics: Option.map(metrics.port, (port) => ({ host: metrics.host, port })),
      traces: yield* loadTraces,
      trustedProxies: trusted,
      perSource: trusted.length > 0 || !Network.isLoopback(host),
      allowedHosts: Option.orElse(allowedHosts, () =>
        Network.isLoopback(host) ? Option.some(loopbackHosts(host)) : Option.none()
      ),
      logLevel: level,
      logFormat: Option.getOrElse(format, () => (options.terminal ? "pretty" : "json")),
      unknownSettings: unknown,
      // An HTTP client can fetch the result later by its id.
      abandoned: "finish"
    }
  })

/**
 * The settings of the environment as a service.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: {
  readonly terminal: boolean
  readonly names: ReadonlyArray<string>
}): Layer.Layer<ServerConfig, SettingInvalid, FileSystem.FileSystem> => Layer.effect(ServerConfig, load(options))

/**
 * The HTTP proxies of the environment. Other programs read the same variables, in lower case too, which comes first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const loadProxies: Effect.Effect<OutboundProxies.OutboundProxies, SettingInvalid> = Effect.suspend(() =>
  Effect.map(
    Effect.all({
      http: readEitherCase(settings.proxies.http),
      https: readEitherCase(settings.proxies.https),
      isExcepted: readEitherCase(settings.proxies.isExcepted)
    }),
    (read) => ({ ...read, isExcepted: Option.getOrElse(read.isExcepted, () => OutboundProxies.none.isExcepted) })
  )
)

/**
 * The database of `ASSAY_DATABASE`, or of the file that `ASSAY_DATABASE_FILE` names; `./data/assay.db` without them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const database: Effect.Effect<Database, SettingInvalid, FileSystem.FileSystem> = Effect.suspend(() =>
  Effect.flatMap(
    readSecret(settings.database.place),
    (place): Effect.Effect<Database, SettingInvalid> =>
      place._tag === "Postgres"
        ? Effect.map(read(settings.database.connections), (connections) => ({ ...place, connections }))
        : Effect.succeed(place)
  )
)

const loadChains = Effect.gen(function* () {
  const { chains } = settings
  const endpoints = yield* required(
    chains.endpoints,
    yield* readSecret(chains.endpoints),
    "the JSON-RPC endpoints per chain id, such as 1=https://…|https://…,8453=https://…"
  )
  const explorers = Option.getOrElse(yield* read(chains.explorers), (): { readonly [id: number]: string } => ({}))
  const own = new Map<string, ChainAccess.EndpointSettings>()
  for (const [url, limits] of Option.getOrElse(yield* read(chains.limits, endpoints), () => []))
    own.set(url, { limits })
  for (const [url, headers] of Option.getOrElse(yield* readSecret(chains.headers, endpoints), () => []))
    own.set(url, { ...own.get(url), headers })
  return {
    chains: Redacted.make(
      Arr.map(endpoints, ({ id, urls }) =>
        Chains.make({
          id,
          endpoints: urls,
          ...(id === sandboxChain ? { name: "sandbox", addressBook: 1 } : {}),
          ...(explorers[id] === undefined ? {} : { explorer: Option.some(explorers[id]) })
        })
      )
    ),
    endpoints: Redacted.make(own),
    defaultChain: Option.getOrElse(yield* read(chains.defaultChain, endpoints), () =>
      endpoints.some(({ id }) => id === 1) ? 1 : endpoints[0].id
    )
  }
})

// The local chain that `npm start` runs where none is configured; it reuses the address book of chain 1.
const sandboxChain = 31_337

const loadSources = Effect.gen(function* () {
  const { etherscanKey, etherscanUrl, ...others } = settings.sources
  const key = yield* readSecret(etherscanKey)
  const url = yield* read(etherscanUrl)
  return { ...(yield* readAll(others)), etherscan: Option.map(key, (present) => ({ key: present, url })) }
})

const loadSummaries = Effect.gen(function* () {
  const { key, ...others } = settings.summaries
  const { model, provider, url, ...limits } = yield* readAll(others)
  const given = yield* readSecret(key)
  if (Option.isNone(provider))
    return [model, url, given].some((each) => Option.isSome<unknown>(each))
      ? yield* new SettingInvalid({
          setting: others.provider.name,
          detail: "not set, although a model, URL or key is; set it to openai or anthropic"
        })
      : Option.none()
  const named = yield* required(others.model, model, "the name of a model")
  // A self-hosted server may need no key.
  if (Option.isNone(url)) yield* required(key, given, `a key of ${provider.value}`)
  return Option.some({ provider: provider.value, model: named, url, key: given, ...limits })
})

const loadTraces = Effect.gen(function* () {
  const { headers, ...others } = settings.traces
  const read = yield* readAll(others)
  const url = Option.orElse(read.tracesEndpoint, () =>
    Option.map(read.endpoint, (base) => Redacted.make(`${Redacted.value(base).replace(/\/+$/, "")}/v1/traces`))
  )
  const given = yield* readSecret(headers)
  if (read.isDisabled || read.exporter === "none") return Option.none()
  return Option.map(
    url,
    (at): Traces.Options => ({
      url: at,
      headers: Option.getOrElse(given, () => ({})),
      resource: {
        "service.version": Version.engine,
        ...Option.getOrElse(read.resource, () => ({})),
        "service.name": read.serviceName
      },
      sampler: Sampling.of(read.sampler, read.share)
    })
  )
})

// Any address of 127.0.0.0/8 is loopback too.
const loopbackHosts = (host: string): ReadonlyArray<Host.Host> => [
  ...Host.loopback,
  ...Option.toArray(Host.parse(host.includes(":") ? `[${host}]` : host))
]

type Open<A, In> = Setting<A, In, "open" | "discreet">

const read: {
  <A>(setting: Open<A, unknown>): Effect.Effect<A, SettingInvalid>
  <A, In>(setting: Open<A, In>, given: In): Effect.Effect<A, SettingInvalid>
} = <A, In>(setting: Open<A, In>, given?: In) =>
  Effect.flatMap(textOf(setting.name), (text) => valueOf(setting, setting.name, text, given as In))

// The secrets of a group are read one by one, as reading them takes the file system.
const readAll = <Group extends { readonly [name: string]: Open<unknown, unknown> }>(
  group: Group
): Effect.Effect<ValuesOf<Group>, SettingInvalid> =>
  Effect.all(Record.map(group, (setting) => read(setting))) as Effect.Effect<ValuesOf<Group>, SettingInvalid>

const readEitherCase = <A>(setting: Open<A, unknown>): Effect.Effect<A, SettingInvalid> =>
  Effect.flatMap(textOf(setting.name.toLowerCase()), (lower) =>
    read(Option.isSome(lower) ? { ...setting, name: setting.name.toLowerCase() } : setting)
  )

type Secret<A, In> = Setting<A, In, "secret">

const readSecret: {
  <A>(setting: Secret<A, unknown>): Effect.Effect<A, SettingInvalid, FileSystem.FileSystem>
  <A, In>(setting: Secret<A, In>, given: In): Effect.Effect<A, SettingInvalid, FileSystem.FileSystem>
} = <A, In>(setting: Secret<A, In>, given?: In) =>
  Effect.gen(function* () {
    const { name } = setting
    const file = yield* textOf(`${name}_FILE`)
    const direct = yield* textOf(name)
    if (Option.isNone(file)) return yield* valueOf(setting, name, direct, given as In)
    const invalid = (detail: string) => new SettingInvalid({ setting: `${name}_FILE`, detail })
    if (Option.isSome(direct)) return yield* invalid(`${name} is also set; set only one of them`)
    const content = yield* Effect.mapError(
      Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file.value)),
      () => invalid("the file could not be read")
    )
    return yield* valueOf(setting, `${name}_FILE`, Option.some(content), given as In)
  })

const textOf = (name: string): Effect.Effect<Option.Option<string>, SettingInvalid> =>
  Config.option(Config.string(name)).pipe(
    Effect.map(Option.filter((value) => value.trim() !== "")),
    Effect.mapError(() => new SettingInvalid({ setting: name, detail: "could not be read" }))
  )

const valueOf = <A, In>(
  { exposure, initial, parse }: Setting<A, In>,
  name: string,
  text: Option.Option<string>,
  given: In
): Effect.Effect<A, SettingInvalid> =>
  Option.match(text, {
    onNone: () => Effect.succeed(initial),
    onSome: (value) =>
      Effect.mapError(parse(value.trim(), given), (expected) => {
        const got = exposure === "open" ? `, got ${JSON.stringify(value)}` : ""
        return new SettingInvalid({ setting: name, detail: `expected ${expected}${got}` })
      })
  })

const required = <A>(
  { name }: { readonly name: string },
  value: Option.Option<A>,
  what: string
): Effect.Effect<A, SettingInvalid> =>
  Effect.mapError(value, () => new SettingInvalid({ setting: name, detail: `not set; set it to ${what}` }))

/**
 * An invalid or missing setting; the server does not start.
 *
 * @since 0.1.0
 * @category errors
 */
export class SettingInvalid extends Schema.TaggedError<SettingInvalid>()("SettingInvalid", {
  setting: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.setting}: ${this.detail}.`
  }
}
