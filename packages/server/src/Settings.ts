/** @internal The table of all settings. What reads, lists, documents or explains them takes them from here. */
import * as Etherscan from "@assay/core/chain/sources/Etherscan"
import * as FourByte from "@assay/core/chain/sources/FourByte"
import * as GoPlus from "@assay/core/chain/sources/GoPlus"
import * as OpenChain from "@assay/core/chain/sources/OpenChain"
import * as Sourcify from "@assay/core/chain/sources/Sourcify"
import { Either, Option } from "effect"
import * as OutboundProxies from "./OutboundProxies.js"
import * as Value from "./SettingValue.js"
import * as Sampling from "./telemetry/Sampling.js"

/**
 * One setting. `initial` is its value where it is not set, `shown` says the same in Markdown, as `meaning` says what it does.
 * `exposure` is what may be known of its value: an error repeats one that is `open`, and none that is `discreet`, as it may
 * hold a secret by mistake. A `secret` is not repeated either, and can be in the file that `<name>_FILE` names.
 */
export interface Setting<out A, in In = unknown, out E extends Exposure = Exposure> {
  readonly name: string
  readonly exposure: E
  readonly parse: Value.Parse<A, In>
  readonly initial: A
  readonly shown: string
  readonly meaning: string
}

/** What may be known of the value of a setting. */
export type Exposure = "open" | "discreet" | "secret"

/** The value that a setting has. */
export type ValueOf<S> = S extends Setting<infer A, never> ? A : never

/** The values of the settings of a group. */
export type ValuesOf<Group> = { readonly [Name in keyof Group]: ValueOf<Group[Name]> }

/** What it means that a setting without a default is not set. */
interface Unset {
  readonly unset: string
}

const unset = (text: string): Unset => ({ unset: text })

/** A row of the table. The default is written as in the environment. */
interface Define<E extends Exposure> {
  <A>(name: string, initial: string, parse: Value.Parse<A>, meaning: string): Setting<A, unknown, E>
  <A, In>(name: string, initial: Unset, parse: Value.Parse<A, In>, meaning: string): Setting<Option.Option<A>, In, E>
}

const define = <E extends Exposure>(exposure: E): Define<E> =>
  ((name: string, initial: string | Unset, parse: Value.Parse<unknown>, meaning: string) =>
    typeof initial === "string"
      ? { name, exposure, parse, initial: Either.getOrThrow(parse(initial, {})), shown: `\`${initial}\``, meaning }
      : {
          ...{ name, exposure, initial: Option.none(), shown: initial.unset, meaning },
          parse: (value: string, given: unknown) => Either.map(parse(value, given), Option.some)
        }) as Define<E>

const open = define("open")
const discreet = define("discreet")
const secret = define("secret")

const units = Value.integer(0, 1_000_000_000)
const keysOfSource = Value.integer(0, 1_000_000)
const concurrency = Value.integer(1, 10_000)

/** All settings, in the groups that are read together: name, default, values, meaning. */
// biome-ignore format: a row of the table is one line, or a second one with the meaning
export const settings = {
  chains: {
    endpoints: secret("ASSAY_RPC_URLS", unset("none, required"), Value.endpoints,
      "`1=https://…|https://…,8453=https://…`: chain id, then its endpoints in order of preference"),
    limits: discreet("ASSAY_RPC_LIMITS", unset("found out"), Value.ofEndpoints(Value.endpointLimits),
      "`1=calls:25 requests:10 batch:10 logs:500|calls:300`: known limits of these endpoints, in the same order: calls and requests a second, calls in a batch, blocks in a log query"),
    headers: secret("ASSAY_RPC_HEADERS", unset("none"), Value.ofEndpoints(Value.headers),
      "`1=x-api-key: …; x-app: …|authorization: Bearer …`: headers that these endpoints require, in the same order"),
    defaultChain: open("ASSAY_DEFAULT_CHAIN", unset("`1`, or the first configured"), Value.chainOf,
      "the chain of requests without one"),
    explorers: open("ASSAY_EXPLORER_URLS", unset("known explorers"), Value.explorers,
      "`31337=http://…`: the explorer that links point to")
  },
  database: {
    place: secret("ASSAY_DATABASE", "sqlite:./data/assay.db", Value.database,
      "`sqlite:<path>`; `postgres://user:password@host/database`, which processes of several machines share; or `memory:` to store nothing on disk"),
    // Of two, one waits in a transaction and another one answers.
    connections: open("ASSAY_DATABASE_CONNECTIONS", "10", Value.integer(2, 1_000),
      "connections that a server opens to Postgres at most; commands open two"),
    secretsKeys: secret("ASSAY_SECRETS_KEY", unset("a file beside the SQLite database; required with Postgres"), Value.secretsKeys,
      "encrypts the secrets of webhooks: 32 bytes in base64 or hex (`openssl rand -base64 32`). Several, separated by commas or lines: the first encrypts, the others still decrypt")
  },
  listener: {
    host: open("ASSAY_HOST", "127.0.0.1", Value.text, "the address on which the server listens"),
    port: open("ASSAY_PORT", "8787", Value.port, "the port on which it listens"),
    trustedProxies: open("ASSAY_TRUSTED_PROXIES", unset("none"), Value.networks,
      "CIDRs of proxies that are believed who their client is, such as `10.0.0.5/32`: of proxies only, because a client in them may claim any address"),
    proxyHeader: open("ASSAY_PROXY_HEADER", "X-Forwarded-For", Value.proxyHeader,
      "the header in which these proxies name their client, on every request: `X-Forwarded-For` or `Forwarded`. Every other one is the client's own word, and ignored"),
    allowedHosts: open("ASSAY_ALLOWED_HOSTS", unset("on a loopback listener `localhost`, `127.0.0.1`, `[::1]`; else all"), Value.hosts,
      "what the `Host` header may say: names or addresses, with a port or for every port. Others get 421 `misdirected_request`; health checks are answered for any host"),
    shutdownSeconds: open("ASSAY_SHUTDOWN_SECONDS", "7", Value.integer(2, 600),
      "how long requests in flight may run after SIGTERM, from 2 to 600; keep it three seconds below the time after which your supervisor kills the process, which often is 10")
  },
  limits: {
    dailyQuota: open("ASSAY_DAILY_QUOTA", "50", units, "units of a new key per UTC day"),
    burstPerMinute: open("ASSAY_BURST_PER_MINUTE", "60", Value.integer(1, 1_000_000),
      "metered requests per key; ten times as many for other requests"),
    processes: open("ASSAY_PROCESSES", "1", Value.integer(1, 10_000),
      "how many processes of the same database answer requests: each grants its share of `ASSAY_BURST_PER_MINUTE` and `ASSAY_KEYS_PER_SOURCE_…`, rounded up"),
    concurrencyPerKey: open("ASSAY_CONCURRENCY_PER_KEY", "3", concurrency, "concurrent analyses per key"),
    keysPerSourceHour: open("ASSAY_KEYS_PER_SOURCE_HOUR", "5", keysOfSource,
      "keys created by one IPv4 address or IPv6 /64 per hour"),
    keysPerSourceDay: open("ASSAY_KEYS_PER_SOURCE_DAY", "20", keysOfSource, "the same per day"),
    unitsPerSourceDay: open("ASSAY_UNITS_PER_SOURCE_DAY", "200", units,
      "units per day of all keys that one source created, without those that an invitation made or that have a plan"),
    globalDailyUnits: open("ASSAY_GLOBAL_DAILY_UNITS", unset("unset"), units,
      "units per day of all keys; set it for a public deployment")
  },
  keys: {
    creation: open("ASSAY_KEYS", "open", Value.oneOf("open", "invite", "closed"),
      "`open`: anybody may create a key with `POST /api/v1/keys`; `invite`: this takes an `invitation` that `assay keys invite` made; `closed`: it is refused with `key_creation_closed`, and keys come from `assay keys create`"),
    plans: open("ASSAY_PLANS", unset("none"), Value.plans,
      "`team:500,desk:5000`: the units per UTC day of keys with these plans, in place of their own; `assay keys plan` and `assay keys invite --plan` give a key its plan"),
    unusedDays: open("ASSAY_UNUSED_KEY_DAYS", unset("off: all are kept"), Value.integer(1, 36_500),
      "days after which a key that was never used and has no watch, webhook or execution is removed; 90 for a public server")
  },
  proxies: {
    http: discreet("HTTP_PROXY", unset("unset"), OutboundProxies.parse,
      "the HTTP proxy of requests to `http://` URLs; see [below](#through-a-proxy)"),
    https: discreet("HTTPS_PROXY", unset("unset"), OutboundProxies.parse,
      "the HTTP proxy of requests to `https://` URLs"),
    isExcepted: discreet("NO_PROXY", unset("unset"), OutboundProxies.parseExceptions,
      "the hosts that are reached directly")
  },
  scheduling: {
    state: open("ASSAY_SCHEDULER", "on", Value.oneOf("on", "off"),
      "`off`: this process starts no scheduled check and sends no webhook"),
    concurrency: open("ASSAY_SCHEDULED_CONCURRENCY", "32", concurrency, "concurrent watch checks"),
    perKey: open("ASSAY_SCHEDULED_PER_KEY", "2", concurrency, "of these, per key")
  },
  webhookUrls: {
    allowHttp: open("ASSAY_WEBHOOKS_ALLOW_HTTP", "off", Value.onOff, "`on`: webhooks may also use http"),
    allowPrivate: open("ASSAY_WEBHOOKS_ALLOW_PRIVATE", "off", Value.onOff,
      "`on`: webhooks may also go to hosts of the local network, for home labs; never to link-local addresses or the metadata services of clouds"),
    ports: open("ASSAY_WEBHOOKS_PORTS", unset("that of the scheme"), Value.ports,
      "ports that webhooks on the public internet may use, such as `443,8443`; hosts of the local network may use any")
  },
  sources: {
    sourcify: discreet("ASSAY_SOURCIFY_URL", "off", Value.source(Sourcify.publicUrl),
      "`on` for the public server, or a URL: whether a contract's source is published, and who created it"),
    etherscanKey: secret("ASSAY_ETHERSCAN_API_KEY", unset("unset"), Value.key, "reads both from Etherscan as well"),
    etherscanUrl: discreet("ASSAY_ETHERSCAN_URL", Etherscan.publicUrl, Value.shownUrl, "another API of the same kind"),
    signatures: discreet("ASSAY_SIGNATURES_URL", "off", Value.source(OpenChain.publicUrl),
      "`on` for the public database, or a URL: function names"),
    fourByte: discreet("ASSAY_FOURBYTE_URL", "off", Value.source(FourByte.publicUrl),
      "`on` for 4byte.directory, or a URL: names where the database above has none, has several, or is unavailable"),
    goplus: discreet("ASSAY_GOPLUS_URL", "off", Value.source(GoPlus.publicUrl),
      "`on` for the public API, or a URL: a second opinion")
  },
  summaries: {
    provider: open("ASSAY_LLM_PROVIDER", unset("unset: no summaries"), Value.oneOf("openai", "anthropic"),
      "`openai` or `anthropic`"),
    model: open("ASSAY_LLM_MODEL", unset("none, required with a provider"), Value.text, "the name of the model"),
    key: secret("ASSAY_LLM_API_KEY", unset("none, required without a base URL"), Value.key, "a key of the provider"),
    url: discreet("ASSAY_LLM_BASE_URL", unset("the provider's own API"), Value.shownUrl,
      "with `openai`, any server with `/chat/completions`, such as `http://127.0.0.1:11434/v1`"),
    timeoutSeconds: open("ASSAY_LLM_TIMEOUT_SECONDS", "20", Value.integer(1, 120),
      "time limit for a summary; after it, the result is stored without one"),
    maxOutputTokens: open("ASSAY_LLM_MAX_OUTPUT_TOKENS", "1024", Value.integer(64, 65_536),
      "maximum length of a summary"),
    tokensPerDay: open("ASSAY_LLM_TOKENS_PER_DAY", "1000000", Value.integer(0, 1_000_000_000_000),
      "tokens of this process per UTC day, input and output")
  },
  metrics: {
    port: open("ASSAY_METRICS_PORT", unset("unset"), Value.port,
      "serves `GET /metrics` for Prometheus on this port, without a key"),
    host: open("ASSAY_METRICS_HOST", "127.0.0.1", Value.text,
      "the address of that port, whatever `ASSAY_HOST` is: anybody who reaches it can read the metrics")
  },
  traces: {
    isDisabled: open("OTEL_SDK_DISABLED", "false", Value.trueFalse, "`true`: no traces, whatever else is set"),
    exporter: open("OTEL_TRACES_EXPORTER", "otlp", Value.oneOf("otlp", "none"), "`none`: no traces either"),
    endpoint: discreet("OTEL_EXPORTER_OTLP_ENDPOINT", unset("unset: no traces"), Value.collector,
      "a collector of OpenTelemetry, such as `http://127.0.0.1:4318`, that takes traces at `/v1/traces`"),
    tracesEndpoint: discreet("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", unset("that of the collector"), Value.collector,
      "the whole URL that takes traces"),
    protocol: open("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", Value.oneOf("http/json"),
      "how traces are sent: JSON over HTTP only, which collectors take on the port of `http/protobuf`"),
    serviceName: open("OTEL_SERVICE_NAME", "assay", Value.text, "what this process is called in traces"),
    resource: open("OTEL_RESOURCE_ATTRIBUTES", unset("none"), Value.pairs,
      "what else is said of it: `deployment.environment.name=live`"),
    sampler: open("OTEL_TRACES_SAMPLER", "parentbased_always_on", Value.oneOf(...Sampling.names),
      "which traces are recorded: `always_on`, `always_off` or `traceidratio`, with or without `parentbased_`, which changes nothing here"),
    share: open("OTEL_TRACES_SAMPLER_ARG", "1", Value.share, "the share of traces that `traceidratio` records, from 0 to 1"),
    headers: secret("OTEL_EXPORTER_OTLP_HEADERS", unset("none"), Value.secretPairs,
      "`api-key=…,other=…`: headers that the collector requires")
  },
  log: {
    level: open("ASSAY_LOG_LEVEL", "info", Value.logLevel, "`trace`, `debug`, `info`, `warning`, `error`, `none`"),
    format: open("ASSAY_LOG_FORMAT", unset("`pretty` on a terminal, else `json`"), Value.oneOf("pretty", "json"),
      "`pretty` or `json`")
  }
}

/** Every setting, in the order of the table. */
export const all: ReadonlyArray<Setting<unknown, never>> = Object.values(settings).flatMap(
  (group): ReadonlyArray<Setting<unknown, never>> => Object.values(group)
)

/** The table of the README. */
export const markdown = (): string =>
  [
    ["Setting", "Default", "Meaning"],
    ["---", "---", "---"],
    ...all.map(({ exposure, meaning, name, shown }) => [
      `\`${name}\`${exposure === "secret" ? " ¹" : ""}`,
      shown,
      meaning
    ])
  ]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("")

/** The name of each setting with what it does, in plain sentences. */
export const sentences = (): ReadonlyArray<readonly [name: string, text: string]> =>
  all.map(({ exposure, meaning, name, shown }) => {
    const file = exposure === "secret" ? ` Or put it into the file that ${name}_FILE names.` : ""
    // A value at the beginning is written as it is set.
    const said = plain(`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}`)
    return [name, `${said}. Default: ${plain(shown)}.${file}`]
  })

const plain = (text: string): string => text.replace(/; see \[.*?\]\(.*?\)/g, "").replaceAll("`", "")
