import { isIP } from "node:net"
import type * as ChainAccess from "@assay/core/chain/ChainAccess"
import * as Chains from "@assay/core/chain/Chains"
import * as Etherscan from "@assay/core/chain/sources/Etherscan"
import * as FourByte from "@assay/core/chain/sources/FourByte"
import * as GoPlus from "@assay/core/chain/sources/GoPlus"
import * as OpenChain from "@assay/core/chain/sources/OpenChain"
import * as Sourcify from "@assay/core/chain/sources/Sourcify"
import * as Url from "@assay/core/domain/Url"
import * as Secrets from "@assay/core/keys/Secrets"
import * as FileSystem from "@effect/platform/FileSystem"
import { Array as Arr, Config, Context, Effect, Either, Layer, LogLevel, Option, Redacted, Schema } from "effect"
import * as Host from "./Host.js"
import * as Network from "./Network.js"
import * as OutboundProxies from "./OutboundProxies.js"
import * as SettingNames from "./SettingNames.js"

/**
 * The limits of callers; see `GET /api/v1/limits`. `processes` is how many share the limits that each process counts by
 * itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Limits {
  readonly dailyQuota: number
  readonly burstPerMinute: number
  readonly processes: number
  readonly concurrencyPerKey: number
  readonly keysPerSourceHour: number
  readonly keysPerSourceDay: number
  readonly unitsPerSourceDay: number
  readonly globalDailyUnits: Option.Option<number>
}

/**
 * The database. A path is relative to the working directory. The URL of a Postgres database may hold a password;
 * `connections` is how many a server opens to it at most.
 *
 * @since 0.1.0
 * @category models
 */
export type Database =
  | { readonly _tag: "Memory" }
  | { readonly _tag: "Sqlite"; readonly filename: string }
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted<string>; readonly connections: number }

/**
 * The optional external sources, each with its URL; the README lists what each of them receives.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sources {
  readonly sourcify: Option.Option<string>
  readonly etherscan: Option.Option<{ readonly key: Redacted.Redacted<string>; readonly url: string }>
  readonly signatures: Option.Option<string>
  readonly fourByte: Option.Option<string>
  readonly goplus: Option.Option<string>
}

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
export interface Scheduling {
  readonly state: "on" | "off"
  readonly concurrency: number
  readonly perKey: number
}

/**
 * The webhook URLs allowed besides https URLs on the public internet, and the ports of public hosts: without `ports`
 * that of the scheme.
 *
 * @since 0.1.0
 * @category models
 */
export interface WebhookUrls {
  readonly allowPrivate: boolean
  readonly allowHttp: boolean
  readonly ports: Option.Option<ReadonlyArray<number>>
}

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
    readonly sources: Sources
    readonly summaries: Option.Option<Summaries>
    readonly proxies: OutboundProxies.OutboundProxies
    readonly scheduling: Scheduling
    readonly webhookUrls: WebhookUrls
    /** Where `/metrics` is served, if it is. */
    readonly metrics: Option.Option<{ readonly host: string; readonly port: number }>
    readonly trustedProxies: ReadonlyArray<string>
    readonly proxyHeader: Network.ProxyHeader
    readonly perSource: boolean
    readonly allowedHosts: Option.Option<ReadonlyArray<Host.Host>>
    readonly logLevel: LogLevel.LogLevel
    readonly logFormat: "pretty" | "json"
    readonly unknownSettings: ReadonlyArray<string>
    /** What becomes of an analysis when all its callers are gone; no setting. */
    readonly abandoned: "finish" | "stop"
  }
>() {}

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
    const host = yield* setting("ASSAY_HOST", text, "127.0.0.1")
    const port = yield* setting("ASSAY_PORT", parsePort, 8_787)
    const shutdownSeconds = yield* setting("ASSAY_SHUTDOWN_SECONDS", integer(2, 600), 7)
    const metricsHost = yield* setting("ASSAY_METRICS_HOST", text, "127.0.0.1")
    const stored = yield* database
    const explorers = yield* setting("ASSAY_EXPLORER_URLS", parseExplorers, {})
    const endpoints = yield* required(
      "ASSAY_RPC_URLS",
      optionalSecret("ASSAY_RPC_URLS", parseEndpoints),
      "the JSON-RPC endpoints per chain id, such as 1=https://…|https://…,8453=https://…"
    )
    const first = endpoints[0].id
    const chains = Redacted.make(
      endpoints.map(({ id, urls }) =>
        Chains.make({
          id,
          endpoints: urls,
          ...(id === sandboxChain ? { name: "sandbox", addressBook: 1 } : {}),
          ...(explorers[id] === undefined ? {} : { explorer: Option.some(explorers[id]) })
        })
      ) as [Chains.Chain, ...Array<Chains.Chain>]
    )
    const configured = endpoints.map(({ id }) => id)
    const stated = yield* discreet("ASSAY_RPC_LIMITS", parseForEndpoints(endpoints, parseLimits), [])
    const headers = yield* optionalSecret("ASSAY_RPC_HEADERS", parseForEndpoints(endpoints, parseHeaders))
    const settings = new Map<string, ChainAccess.EndpointSettings>(stated.map(([url, limits]) => [url, { limits }]))
    for (const [url, own] of Option.getOrElse(headers, () => []))
      settings.set(url, { ...settings.get(url), headers: own })
    const defaultChain = yield* setting("ASSAY_DEFAULT_CHAIN", oneOf(configured), configured.includes(1) ? 1 : first)
    const limits: Limits = {
      dailyQuota: yield* setting("ASSAY_DAILY_QUOTA", integer(0, 1_000_000_000), 50),
      burstPerMinute: yield* setting("ASSAY_BURST_PER_MINUTE", integer(1, 1_000_000), 60),
      processes: yield* setting("ASSAY_PROCESSES", integer(1, 10_000), 1),
      concurrencyPerKey: yield* setting("ASSAY_CONCURRENCY_PER_KEY", integer(1, 10_000), 3),
      keysPerSourceHour: yield* setting("ASSAY_KEYS_PER_SOURCE_HOUR", integer(0, 1_000_000), 5),
      keysPerSourceDay: yield* setting("ASSAY_KEYS_PER_SOURCE_DAY", integer(0, 1_000_000), 20),
      unitsPerSourceDay: yield* setting("ASSAY_UNITS_PER_SOURCE_DAY", integer(0, 1_000_000_000), 200),
      globalDailyUnits: yield* setting(
        "ASSAY_GLOBAL_DAILY_UNITS",
        (value) => Either.map(integer(0, 1_000_000_000)(value), Option.some),
        Option.none<number>()
      )
    }
    const trustedProxies = yield* setting("ASSAY_TRUSTED_PROXIES", parseNetworks, [])
    return {
      host,
      port,
      shutdownSeconds,
      database: stored,
      secretsKeys: yield* optionalSecret("ASSAY_SECRETS_KEY", parseSecretsKeys),
      chains,
      endpoints: Redacted.make(settings),
      defaultChain,
      limits,
      sources: yield* loadSources,
      summaries: yield* loadSummaries,
      proxies: yield* loadProxies,
      scheduling: {
        state: (yield* setting("ASSAY_SCHEDULER", parseOnOff, true)) ? "on" : "off",
        concurrency: yield* setting("ASSAY_SCHEDULED_CONCURRENCY", integer(1, 10_000), 32),
        perKey: yield* setting("ASSAY_SCHEDULED_PER_KEY", integer(1, 10_000), 2)
      },
      webhookUrls: {
        allowPrivate: yield* setting("ASSAY_WEBHOOKS_ALLOW_PRIVATE", parseOnOff, false),
        allowHttp: yield* setting("ASSAY_WEBHOOKS_ALLOW_HTTP", parseOnOff, false),
        ports: yield* optional("ASSAY_WEBHOOKS_PORTS", parsePorts)
      },
      metrics: Option.map(yield* optional("ASSAY_METRICS_PORT", parsePort), (port) => ({ host: metricsHost, port })),
      trustedProxies,
      proxyHeader: yield* setting("ASSAY_PROXY_HEADER", parseProxyHeader, "x-forwarded-for"),
      perSource: trustedProxies.length > 0 || !Network.isLoopback(host),
      allowedHosts: Option.orElse(yield* optional("ASSAY_ALLOWED_HOSTS", parseHosts), () =>
        Network.isLoopback(host) ? Option.some(loopbackHosts(host)) : Option.none()
      ),
      logLevel: yield* setting("ASSAY_LOG_LEVEL", parseLogLevel, LogLevel.Info),
      logFormat: yield* setting("ASSAY_LOG_FORMAT", parseLogFormat, options.terminal ? "pretty" : "json"),
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
  Effect.all({
    http: ofEitherCase("HTTP_PROXY", (value) => Either.map(OutboundProxies.parse(value), Option.some), Option.none()),
    https: ofEitherCase("HTTPS_PROXY", (value) => Either.map(OutboundProxies.parse(value), Option.some), Option.none()),
    isExcepted: ofEitherCase("NO_PROXY", OutboundProxies.parseExceptions, OutboundProxies.none.isExcepted)
  })
)

const ofEitherCase = <A>(name: string, parse: Parse<A>, fallback: A): Effect.Effect<A, SettingInvalid> =>
  Effect.flatMap(read(name.toLowerCase()), (lower) =>
    discreet(Option.isSome(lower) ? name.toLowerCase() : name, parse, fallback)
  )

// The local chain that `npm start` runs where none is configured; it reuses the address book of chain 1.
const sandboxChain = 31_337

type Parse<A> = (value: string) => Either.Either<A, string>

const read = (name: string): Effect.Effect<Option.Option<string>, SettingInvalid> =>
  Config.option(Config.string(name)).pipe(
    Effect.map(Option.filter((value) => value.trim() !== "")),
    Effect.mapError(() => new SettingInvalid({ setting: name, detail: "could not be read" }))
  )

const setting = <A>(name: string, parse: Parse<A>, fallback: A): Effect.Effect<A, SettingInvalid> =>
  Effect.flatMap(
    read(name),
    Option.match({
      onNone: () => Effect.succeed(fallback),
      onSome: (value) =>
        Effect.mapError(
          parse(value.trim()),
          (expected) =>
            new SettingInvalid({ setting: name, detail: `expected ${expected}, got ${JSON.stringify(value)}` })
        )
    })
  )

// As `setting`, or from the file in `<name>_FILE`; errors never repeat the value.
const optionalSecret = <A>(
  name: string,
  parse: Parse<A>
): Effect.Effect<Option.Option<A>, SettingInvalid, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const file = yield* read(`${name}_FILE`)
    const direct = yield* read(name)
    if (Option.isSome(file) && Option.isSome(direct))
      return yield* new SettingInvalid({ setting: `${name}_FILE`, detail: `${name} is also set; set only one of them` })
    const value = Option.isSome(file)
      ? Option.some(
          yield* Effect.mapError(
            Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file.value)),
            () => new SettingInvalid({ setting: `${name}_FILE`, detail: "the file could not be read" })
          )
        )
      : direct
    return yield* Effect.transposeMapOption(value, (present) =>
      Effect.mapError(
        parse(present.trim()),
        (expected) =>
          new SettingInvalid({ setting: Option.isSome(file) ? `${name}_FILE` : name, detail: `expected ${expected}` })
      )
    )
  })

// As `setting`, for a value that may hold a secret by mistake: errors never repeat it.
const discreet = <A>(name: string, parse: Parse<A>, fallback: A): Effect.Effect<A, SettingInvalid> =>
  Effect.flatMap(
    read(name),
    Option.match({
      onNone: () => Effect.succeed(fallback),
      onSome: (value) =>
        Effect.mapError(
          parse(value.trim()),
          (expected) => new SettingInvalid({ setting: name, detail: `expected ${expected}` })
        )
    })
  )

const optional = <A>(name: string, parse: Parse<A>): Effect.Effect<Option.Option<A>, SettingInvalid> =>
  setting(name, (value) => Either.map(parse(value), Option.some), Option.none<A>())

const required = <A, R>(
  name: string,
  value: Effect.Effect<Option.Option<A>, SettingInvalid, R>,
  what: string
): Effect.Effect<A, SettingInvalid, R> =>
  Effect.flatMap(
    value,
    Option.match({
      onNone: () => new SettingInvalid({ setting: name, detail: `not set; set it to ${what}` }),
      onSome: Effect.succeed
    })
  )

const loadSources = Effect.gen(function* () {
  const key = yield* optionalSecret("ASSAY_ETHERSCAN_API_KEY", parseKey)
  const url = yield* discreet("ASSAY_ETHERSCAN_URL", parseShownUrl, Etherscan.publicUrl)
  return {
    sourcify: yield* discreet("ASSAY_SOURCIFY_URL", parseSwitch(Sourcify.publicUrl), Option.none()),
    etherscan: Option.map(key, (present) => ({ key: present, url })),
    signatures: yield* discreet("ASSAY_SIGNATURES_URL", parseSwitch(OpenChain.publicUrl), Option.none()),
    fourByte: yield* discreet("ASSAY_FOURBYTE_URL", parseSwitch(FourByte.publicUrl), Option.none()),
    goplus: yield* discreet("ASSAY_GOPLUS_URL", parseSwitch(GoPlus.publicUrl), Option.none())
  } satisfies Sources
})

const loadSummaries = Effect.gen(function* () {
  const provider = yield* optional("ASSAY_LLM_PROVIDER", parseProvider)
  const model = optional("ASSAY_LLM_MODEL", text)
  const url = yield* discreet(
    "ASSAY_LLM_BASE_URL",
    (value) => Either.map(parseShownUrl(value), Option.some),
    Option.none<string>()
  )
  const key = optionalSecret("ASSAY_LLM_API_KEY", parseKey)
  const limits = {
    timeoutSeconds: yield* setting("ASSAY_LLM_TIMEOUT_SECONDS", integer(1, 120), 20),
    maxOutputTokens: yield* setting("ASSAY_LLM_MAX_OUTPUT_TOKENS", integer(64, 65_536), 1_024),
    tokensPerDay: yield* setting("ASSAY_LLM_TOKENS_PER_DAY", integer(0, 1_000_000_000_000), 1_000_000)
  }
  if (Option.isNone(provider)) {
    const isAnySet = Option.isSome(yield* model) || Option.isSome(url) || Option.isSome(yield* key)
    return isAnySet
      ? yield* new SettingInvalid({
          setting: "ASSAY_LLM_PROVIDER",
          detail: "not set, although a model, URL or key is; set it to openai or anthropic"
        })
      : Option.none<Summaries>()
  }
  return Option.some<Summaries>({
    provider: provider.value,
    model: yield* required("ASSAY_LLM_MODEL", model, "the name of a model"),
    url,
    // A self-hosted server may need no key.
    key: Option.isSome(url)
      ? yield* key
      : Option.some(yield* required("ASSAY_LLM_API_KEY", key, `a key of ${provider.value}`)),
    ...limits
  })
})

const text: Parse<string> = (value) => Either.right(value)

const integer =
  (minimum: number, maximum: number): Parse<number> =>
  (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= minimum && Number(value) <= maximum
      ? Either.right(Number(value))
      : Either.left(`an integer from ${minimum} to ${maximum}`)

const oneOf =
  (values: ReadonlyArray<number>): Parse<number> =>
  (value) =>
    values.map(String).includes(value)
      ? Either.right(Number(value))
      : Either.left(`a chain id of ASSAY_RPC_URLS (${values.join(", ")})`)

const parseDatabase: Parse<Database> = (value) => {
  if (value === "memory:") return Either.right({ _tag: "Memory" })
  const filename = /^sqlite:(.+)$/.exec(value)?.[1]
  if (filename !== undefined) return Either.right({ _tag: "Sqlite", filename })
  return isPostgresUrl(value)
    ? Either.right({ _tag: "Postgres", url: Redacted.make(value), connections: 10 })
    : Either.left("sqlite:<path>, postgres://<user>:<password>@<host>/<database> or memory:")
}

/**
 * The database of `ASSAY_DATABASE`, or of the file that `ASSAY_DATABASE_FILE` names; `./data/assay.db` without them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const database: Effect.Effect<Database, SettingInvalid, FileSystem.FileSystem> = Effect.gen(function* () {
  const given = yield* optionalSecret("ASSAY_DATABASE", parseDatabase)
  const found = Option.getOrElse(given, (): Database => ({ _tag: "Sqlite", filename: "./data/assay.db" }))
  if (found._tag !== "Postgres") return found
  // Of two, one waits in a transaction and another one answers.
  const connections = yield* setting("ASSAY_DATABASE_CONNECTIONS", integer(2, 1_000), found.connections)
  return { ...found, connections }
})

const isPostgresUrl = (value: string): boolean =>
  Option.exists(
    Url.parse(value),
    ({ hostname, pathname, protocol }) => /^postgres(?:ql)?:$/.test(protocol) && hostname !== "" && pathname.length > 1
  )

const parseKey: Parse<Redacted.Redacted<string>> = (value) =>
  /^[\x21-\x7e]+$/.test(value) ? Either.right(Redacted.make(value)) : Either.left("a key without white space")

const parseSecretsKeys: Parse<Arr.NonEmptyReadonlyArray<Redacted.Redacted<Uint8Array>>> = (value) => {
  const texts = value.split(/[\s,]+/)
  const keys = Arr.getSomes(texts.map(Secrets.parseKey))
  return keys.length === texts.length && Arr.isNonEmptyReadonlyArray(keys)
    ? Either.right(keys)
    : Either.left("keys of 32 bytes in base64 or hex, the current one first, as `openssl rand -base64 32` makes them")
}

const parseProvider: Parse<Summaries["provider"]> = (value) =>
  value === "openai" || value === "anthropic" ? Either.right(value) : Either.left("openai or anthropic")

// Evidence and logs show these URLs, so they must not hold a secret.
const parseShownUrl: Parse<string> = (value) => {
  const expected = Either.left("an http(s) URL without user, password, query or fragment")
  if (!isHttpUrl(value)) return expected
  const { hash, password, search, username } = new URL(value)
  return `${username}${password}${search}${hash}` === "" ? Either.right(value) : expected
}

const parseOnOff: Parse<boolean> = (value) =>
  value === "on" || value === "off" ? Either.right(value === "on") : Either.left("on or off")

const parseSwitch =
  (publicUrl: string): Parse<Option.Option<string>> =>
  (value) => {
    if (value === "on") return Either.right(Option.some(publicUrl))
    if (value === "off") return Either.right(Option.none())
    return Either.mapBoth(parseShownUrl(value), { onLeft: (url) => `on, off or ${url}`, onRight: Option.some })
  }

const isHttpUrl = (value: string): boolean =>
  Option.exists(Url.parse(value), ({ protocol }) => /^https?:$/.test(protocol))

const entries = (value: string): ReadonlyArray<readonly [string, string]> =>
  value
    .split(/,(?=\s*\d+\s*=)/)
    .map((entry) => [entry.slice(0, entry.indexOf("=")).trim(), entry.slice(entry.indexOf("=") + 1).trim()] as const)

interface Endpoints {
  readonly id: number
  readonly urls: readonly [string, ...Array<string>]
}

const parseEndpoints: Parse<readonly [Endpoints, ...Array<Endpoints>]> = (value) => {
  const expected = Either.left("chain ids with http(s) endpoints, such as 1=https://…|https://…,8453=https://…")
  const parsed: Array<Endpoints> = []
  for (const [id, urls] of entries(value)) {
    const [first, ...rest] = urls.split("|").map((url) => url.trim())
    if (!/^[1-9]\d{0,15}$/.test(id) || first === undefined || ![first, ...rest].every(isHttpUrl)) return expected
    if (parsed.some((other) => other.id === Number(id)))
      return Either.left(`each chain once, but ${id} is listed twice`)
    parsed.push({ id: Number(id), urls: [first, ...rest] })
  }
  const [first, ...rest] = parsed
  return first === undefined ? expected : Either.right([first, ...rest])
}

/**
 * What is said of endpoints, in the places that they have in `ASSAY_RPC_URLS`: `1=first|second,8453=first`, where nothing
 * is said of a place that is empty.
 */
const parseForEndpoints =
  <A>(endpoints: ReadonlyArray<Endpoints>, parse: Parse<A>): Parse<ReadonlyArray<readonly [url: string, value: A]>> =>
  (value) => {
    const parsed: Array<readonly [string, A]> = []
    for (const [id, places] of entries(value)) {
      const chain = endpoints.find((each) => String(each.id) === id)
      if (chain === undefined) return Either.left("chain ids of ASSAY_RPC_URLS, each with a value for its endpoints")
      const values = places.split("|").map((place) => place.trim())
      if (values.length > chain.urls.length)
        return Either.left(`at most ${chain.urls.length} endpoints of chain ${id}, as in ASSAY_RPC_URLS`)
      for (const [place, url] of chain.urls.entries()) {
        const own = values[place] ?? ""
        if (own === "") continue
        const read = parse(own)
        if (Either.isLeft(read)) return Either.left(read.left)
        parsed.push([url, read.right])
      }
    }
    return Either.right(parsed)
  }

type EndpointLimits = NonNullable<ChainAccess.EndpointSettings["limits"]>

const limitNames: { readonly [name: string]: keyof EndpointLimits } = {
  calls: "callsPerSecond",
  requests: "requestsPerSecond",
  batch: "batch",
  logs: "logBlocks"
}

const parseLimits: Parse<EndpointLimits> = (value) => {
  const parsed: { -readonly [Name in keyof EndpointLimits]: EndpointLimits[Name] } = {}
  for (const part of value.split(/\s+/)) {
    const [, word = "", number = ""] = /^([a-z]+):(\d{1,9})$/.exec(part) ?? []
    const name = limitNames[word]
    if (name === undefined || parsed[name] !== undefined || Number(number) < 1)
      return Either.left("limits of at least 1 such as 1=calls:25 requests:10 batch:10 logs:500, each at most once")
    parsed[name] = Number(number)
  }
  return Either.right(parsed)
}

// https://www.rfc-editor.org/rfc/rfc9110#name-tokens, without the headers that belong to the message itself.
const headerName =
  /^(?!(?:host|connection|content-(?:length|type|encoding)|transfer-encoding)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i

const parseHeaders: Parse<NonNullable<ChainAccess.EndpointSettings["headers"]>> = (value) => {
  const parsed: { [name: string]: Redacted.Redacted<string> } = {}
  for (const part of value.split(";")) {
    const [name = "", ...rest] = part.split(":")
    const text = rest.join(":").trim()
    if (!headerName.test(name.trim()) || !/^[\x20-\x7e]+$/.test(text))
      return Either.left("headers such as 1=x-api-key: …, those of one endpoint with ; between them")
    parsed[name.trim().toLowerCase()] = Redacted.make(text)
  }
  return Either.right(parsed)
}

const parseExplorers: Parse<{ readonly [chainId: number]: string }> = (value) => {
  const parsed = entries(value)
  return parsed.every(([id, url]) => /^[1-9]\d{0,15}$/.test(id) && isHttpUrl(url))
    ? Either.right(Object.fromEntries(parsed))
    : Either.left("chain ids with one explorer URL each, such as 31337=http://…")
}

const parseNetworks: Parse<ReadonlyArray<string>> = (value) => {
  const networks = value
    .split(",")
    .map((network) => network.trim())
    .filter((network) => network !== "")
  return networks.every(isNetwork) ? Either.right(networks) : Either.left("CIDR ranges, such as 10.0.0.0/8,fd00::/8")
}

const parseProxyHeader: Parse<Network.ProxyHeader> = (value) => {
  const name = value.toLowerCase()
  return name === "x-forwarded-for" || name === "forwarded"
    ? Either.right(name)
    : Either.left("X-Forwarded-For or Forwarded")
}

const isNetwork = (network: string): boolean => {
  const [address = "", prefix, ...more] = network.split("/")
  const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : undefined
  return (
    bits !== undefined &&
    more.length === 0 &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  )
}

const parsePort: Parse<number> = (value) =>
  Either.mapLeft(integer(0, 65_535)(value), (expected) =>
    // https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    /^(?:tcp|udp|sctp):\/\//.test(value)
      ? `${expected} (Kubernetes sets this variable for a service of the same name: rename the service, or set enableServiceLinks to false)`
      : expected
  )

const parsePorts: Parse<ReadonlyArray<number>> = (value) =>
  Either.mapLeft(
    Either.all(value.split(",").map((port) => integer(1, 65_535)(port.trim()))),
    () => "ports from 1 to 65535, such as 443,8443"
  )

const parseHosts: Parse<ReadonlyArray<Host.Host>> = (value) => {
  const texts = value.split(",").map((host) => host.trim())
  const hosts = Arr.getSomes(texts.map(Host.parse))
  return hosts.length === texts.length
    ? Either.right(hosts)
    : Either.left("host names or addresses, each with a port or without, such as assay.example,10.0.0.5:8787,[::1]")
}

// Any address of 127.0.0.0/8 is loopback too.
const loopbackHosts = (host: string): ReadonlyArray<Host.Host> => [
  ...Host.loopback,
  ...Option.toArray(Host.parse(host.includes(":") ? `[${host}]` : host))
]

const logLevels: { readonly [name: string]: LogLevel.LogLevel } = {
  trace: LogLevel.Trace,
  debug: LogLevel.Debug,
  info: LogLevel.Info,
  warning: LogLevel.Warning,
  error: LogLevel.Error,
  none: LogLevel.None
}

const parseLogLevel: Parse<LogLevel.LogLevel> = (value) =>
  Either.fromNullable(logLevels[value.toLowerCase()], () => `one of ${Object.keys(logLevels).join(", ")}`)

const parseLogFormat: Parse<"pretty" | "json"> = (value) =>
  value === "pretty" || value === "json" ? Either.right(value) : Either.left("pretty or json")

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
