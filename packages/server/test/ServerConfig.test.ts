import { ServerConfig } from "@assay/server"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, LogLevel, Option, Redacted } from "effect"
import { assert } from "vitest"

const load = (settings: Record<string, string>) =>
  ServerConfig.load({ terminal: false, names: Object.keys(settings) }).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(settings)))),
    Effect.provide(NodeContext.layer)
  )

const endpoint = "https://user:hunter2@rpc.example/v2/token"

describe("ServerConfig", () => {
  it.effect("only the endpoints have to be set", () =>
    Effect.gen(function* () {
      const config = yield* load({ ASSAY_RPC_URLS: `8453=${endpoint}` })
      assert.deepInclude(config, {
        host: "127.0.0.1",
        port: 8787,
        shutdownSeconds: 7,
        database: { _tag: "Sqlite", filename: "./data/assay.db" },
        defaultChain: 8453,
        trustedProxies: [],
        proxyHeader: "x-forwarded-for",
        perSource: false,
        logLevel: LogLevel.Info,
        logFormat: "json"
      })
      assert.deepStrictEqual(config.limits, {
        dailyQuota: 50,
        burstPerMinute: 60,
        processes: 1,
        concurrencyPerKey: 3,
        keysPerSourceHour: 5,
        keysPerSourceDay: 20,
        unitsPerSourceDay: 200,
        globalDailyUnits: Option.none()
      })
      assert.deepStrictEqual(config.scheduling, { state: "on", concurrency: 32, perKey: 2 })
      assert.deepStrictEqual(config.webhookUrls, { allowPrivate: false, allowHttp: false, ports: Option.none() })
    })
  )

  it.effect("plans are names with units", () =>
    Effect.gen(function* () {
      const { keys } = yield* load({ ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_PLANS: "team:500, desk-2:0" })
      const plans = new Map([
        ["team", 500],
        ["desk-2", 0]
      ])
      assert.deepStrictEqual(keys.plans, Option.some(plans))
    })
  )

  it.effect("metrics are for this machine alone, wherever the API listens, unless another address is named", () =>
    Effect.gen(function* () {
      const open = { ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_HOST: "0.0.0.0", ASSAY_METRICS_PORT: "9464" }
      assert.deepStrictEqual((yield* load(open)).metrics, Option.some({ host: "127.0.0.1", port: 9464 }))
      assert.deepStrictEqual(
        (yield* load({ ...open, ASSAY_METRICS_HOST: "10.0.0.5" })).metrics,
        Option.some({ host: "10.0.0.5", port: 9464 })
      )
      assert.deepStrictEqual((yield* load({ ASSAY_RPC_URLS: `1=${endpoint}` })).metrics, Option.none())
    })
  )

  it.effect(
    "traces go where the settings of OpenTelemetry say, and nowhere without them or where they are switched off",
    () =>
      Effect.gen(function* () {
        const without = { ASSAY_RPC_URLS: `1=${endpoint}` }
        const open = {
          ...without,
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.internal:4318/base/",
          OTEL_EXPORTER_OTLP_HEADERS: "Api-Key=sword%20fish,x-app=assay",
          OTEL_RESOURCE_ATTRIBUTES: "service.namespace=risk,service.name=other,deployment.environment.name=a%2Cb",
          OTEL_SERVICE_NAME: "assay-one",
          OTEL_TRACES_SAMPLER: "traceidratio",
          OTEL_TRACES_SAMPLER_ARG: "0.5"
        }
        const { headers, resource, sampler, url } = Option.getOrThrow((yield* load(open)).traces)
        assert.strictEqual(Redacted.value(url), "http://collector.internal:4318/base/v1/traces")
        assert.deepStrictEqual(
          Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)]),
          [
            ["api-key", "sword fish"],
            ["x-app", "assay"]
          ]
        )
        assert.deepInclude(resource, {
          "service.name": "assay-one",
          "service.namespace": "risk",
          "deployment.environment.name": "a,b"
        })
        assert.deepStrictEqual(["0".repeat(32), "f".repeat(32)].map(sampler), [true, false])
        const whole = { ...open, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.internal/in" }
        assert.strictEqual(
          Redacted.value(Option.getOrThrow((yield* load(whole)).traces).url),
          "https://traces.internal/in"
        )
        for (const none of [without, { ...open, OTEL_SDK_DISABLED: "TRUE" }, { ...open, OTEL_TRACES_EXPORTER: "none" }])
          assert.deepStrictEqual((yield* load(none)).traces, Option.none())
      })
  )

  it.effect("checks and messages can be left to other processes, and webhooks opened for a home lab", () =>
    Effect.gen(function* () {
      const config = yield* load({
        ASSAY_RPC_URLS: `1=${endpoint}`,
        ASSAY_SCHEDULER: "off",
        ASSAY_SCHEDULED_CONCURRENCY: "4",
        ASSAY_SCHEDULED_PER_KEY: "1",
        ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
        ASSAY_WEBHOOKS_ALLOW_HTTP: "on",
        ASSAY_WEBHOOKS_PORTS: "443, 8443"
      })
      assert.deepStrictEqual(config.scheduling, { state: "off", concurrency: 4, perKey: 1 })
      assert.deepStrictEqual(config.webhookUrls, {
        allowPrivate: true,
        allowHttp: true,
        ports: Option.some([443, 8443])
      })
    })
  )

  it.effect(
    "several processes can share the limits that each counts, and each opens as many connections as configured",
    () =>
      Effect.gen(function* () {
        const settings = { ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_DATABASE: "postgres://u@db.internal/assay" }
        assert.deepInclude((yield* load(settings)).database, { _tag: "Postgres", connections: 10 })
        const config = yield* load({ ...settings, ASSAY_PROCESSES: "3", ASSAY_DATABASE_CONNECTIONS: "25" })
        assert.deepInclude(config.database, { _tag: "Postgres", connections: 25 })
        assert.strictEqual(config.limits.processes, 3)
      })
  )

  it.effect("several chains with several endpoints each, mainnet the default among them", () =>
    Effect.gen(function* () {
      const config = yield* load({
        ASSAY_RPC_URLS:
          "8453=https://a.example|https://b.example/x,y?z=1, 1=http://c.example,31337=http://127.0.0.1:8545",
        ASSAY_EXPLORER_URLS: "31337=http://127.0.0.1:4000"
      })
      const [base, ethereum, sandbox] = Redacted.value(config.chains)
      assert.deepStrictEqual(base.endpoints, ["https://a.example", "https://b.example/x,y?z=1"])
      assert.deepInclude(base, { id: 8453, name: "base", addressBook: 8453 })
      assert.deepInclude(ethereum, { id: 1, name: "ethereum" })
      assert.deepStrictEqual(ethereum?.explorer, Option.some("https://etherscan.io"))
      assert.deepInclude(sandbox, { id: 31_337, name: "sandbox", addressBook: 1 })
      assert.deepStrictEqual(sandbox?.explorer, Option.some("http://127.0.0.1:4000"))
      assert.strictEqual(config.defaultChain, 1)
    })
  )

  it.effect("limits and headers belong to the endpoints at the same place", () =>
    Effect.gen(function* () {
      const urls = "1=https://a.example|https://b.example|https://c.example,8453=https://d.example"
      const config = yield* load({
        ASSAY_RPC_URLS: urls,
        ASSAY_RPC_LIMITS: "1=calls:25 batch:10||requests:10 logs:500,8453=calls:300",
        ASSAY_RPC_HEADERS: "1=|X-Api-Key: h3ader-s3cret; x-app: assay: one,8453=authorization: Bearer t0ken"
      })
      const settings = Redacted.value(config.endpoints)
      assert.deepStrictEqual([...settings.keys()].sort(), [
        "https://a.example",
        "https://b.example",
        "https://c.example",
        "https://d.example"
      ])
      assert.deepStrictEqual(settings.get("https://a.example"), { limits: { callsPerSecond: 25, batch: 10 } })
      assert.deepStrictEqual(settings.get("https://c.example"), { limits: { requestsPerSecond: 10, logBlocks: 500 } })
      const shown = (url: string) =>
        Object.entries(settings.get(url)?.headers ?? {}).map(([name, value]) => [name, Redacted.value(value)])
      assert.deepStrictEqual(shown("https://b.example"), [
        ["x-api-key", "h3ader-s3cret"],
        ["x-app", "assay: one"]
      ])
      assert.deepStrictEqual(shown("https://d.example"), [["authorization", "Bearer t0ken"]])
      assert.deepStrictEqual(settings.get("https://d.example")?.limits, { callsPerSecond: 300 })
      assert.notInclude(JSON.stringify(config), "s3cret")
      assert.strictEqual(Redacted.value((yield* load({ ASSAY_RPC_URLS: urls })).endpoints).size, 0)
    })
  )

  it.effect("limits that are none, of endpoints that there are not, and headers that are none are refused", () =>
    Effect.gen(function* () {
      const refusal = (settings: Record<string, string>) =>
        Effect.map(Effect.flip(load({ ASSAY_RPC_URLS: `1=${endpoint}`, ...settings })), ({ message }) => message)
      for (const limits of [
        "1=calls:0",
        "1=calls:many",
        "1=speed:3",
        "1=calls:1 calls:2",
        "2=calls:1",
        "1=calls:1|calls:2"
      ])
        assert.match(yield* refusal({ ASSAY_RPC_LIMITS: limits }), /^ASSAY_RPC_LIMITS: expected/, limits)
      for (const headers of ["1=s3cret", "1=na me: s3cret", "1=host: s3cret", "1=x-a:", "2=x-a: s3cret"]) {
        const message = yield* refusal({ ASSAY_RPC_HEADERS: headers })
        assert.match(message, /^ASSAY_RPC_HEADERS: expected/, headers)
        assert.notInclude(message, "s3cret")
      }
    })
  )

  it.effect("headers of endpoints may come from a file", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/headers`
      yield* files.writeFileString(file, "1=x-api-key: s3cret\n")
      const config = yield* load({ ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_RPC_HEADERS_FILE: file })
      const headers = Redacted.value(config.endpoints).get(endpoint)?.headers ?? {}
      assert.strictEqual(headers["x-api-key"] && Redacted.value(headers["x-api-key"]), "s3cret")
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )

  it.effect("a secret may come from a file", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/urls`
      yield* files.writeFileString(file, `1=${endpoint}\n`)
      const config = yield* load({ ASSAY_RPC_URLS_FILE: file })
      assert.deepStrictEqual(Redacted.value(config.chains)[0].endpoints, [endpoint])
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )

  it.effect("limits by network are on as soon as others can call", () =>
    Effect.gen(function* () {
      const settings = { ASSAY_RPC_URLS: `1=${endpoint}` }
      assert.isTrue((yield* load({ ...settings, ASSAY_HOST: "0.0.0.0" })).perSource)
      const behind = { ...settings, ASSAY_TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8" }
      assert.isTrue((yield* load(behind)).perSource)
      assert.strictEqual((yield* load({ ...behind, ASSAY_PROXY_HEADER: "Forwarded" })).proxyHeader, "forwarded")
    })
  )

  it.effect("a server on loopback answers for the names of this machine only, any other for every host", () =>
    Effect.gen(function* () {
      const hosts = (settings: Record<string, string>) =>
        Effect.map(load({ ASSAY_RPC_URLS: `1=${endpoint}`, ...settings }), ({ allowedHosts }) =>
          Option.getOrNull(allowedHosts)?.map(
            ({ name, port }) => name + Option.match(port, { onNone: () => "", onSome: (number) => `:${number}` })
          )
        )
      assert.deepStrictEqual(yield* hosts({ ASSAY_HOST: "127.0.0.2" }), [
        "localhost",
        "127.0.0.1",
        "[::1]",
        "127.0.0.2"
      ])
      assert.isUndefined(yield* hosts({ ASSAY_HOST: "0.0.0.0" }))
      assert.deepStrictEqual(yield* hosts({ ASSAY_HOST: "::", ASSAY_ALLOWED_HOSTS: "Assay.example, [::1]:8787" }), [
        "assay.example",
        "[::1]:8787"
      ])
    })
  )

  it.effect("says why a port is a URL in Kubernetes, and what a misspelled setting may mean", () =>
    Effect.gen(function* () {
      const linked = yield* Effect.flip(load({ ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_PORT: "tcp://10.0.0.1:8787" }))
      assert.include(linked.message, "Kubernetes")
      const misspelled = yield* Effect.flip(load({ ASSAY_RPC_URL: `1=${endpoint}` }))
      assert.strictEqual(misspelled.message, "ASSAY_RPC_URL: there is no such setting; ASSAY_RPC_URLS is one.")
      const { unknownSettings } = yield* load({ ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_COLOUR: "red" })
      assert.deepStrictEqual(unknownSettings, ["ASSAY_COLOUR"])
    })
  )

  it.effect("endpoints do not show when the settings are printed", () =>
    Effect.gen(function* () {
      const config = yield* load({ ASSAY_RPC_URLS: `1=${endpoint}` })
      assert.isFalse(JSON.stringify(config).includes("hunter2"))
      assert.isFalse(String(config.chains).includes("hunter2"))
    })
  )

  it.effect("no source outside the chain and no model is used by default", () =>
    Effect.gen(function* () {
      const { sources, summaries } = yield* load({ ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_SOURCIFY_URL: "off" })
      assert.isTrue(Object.values(sources).every(Option.isNone))
      assert.deepStrictEqual(summaries, Option.none())
    })
  )

  it.effect("sources are public ones, or those at a URL", () =>
    Effect.gen(function* () {
      const { sources } = yield* load({
        ASSAY_RPC_URLS: `1=${endpoint}`,
        ASSAY_SOURCIFY_URL: "on",
        ASSAY_SIGNATURES_URL: "https://names.example/",
        ASSAY_FOURBYTE_URL: "on",
        ASSAY_GOPLUS_URL: "on",
        ASSAY_ETHERSCAN_API_KEY: "hunter2"
      })
      assert.deepInclude(sources, {
        sourcify: Option.some("https://sourcify.dev/server"),
        signatures: Option.some("https://names.example/"),
        fourByte: Option.some("https://www.4byte.directory"),
        goplus: Option.some("https://api.gopluslabs.io")
      })
      const etherscan = Option.getOrThrow(sources.etherscan)
      assert.deepStrictEqual(
        [Redacted.value(etherscan.key), etherscan.url],
        ["hunter2", "https://api.etherscan.io/v2/api"]
      )
      assert.notInclude(JSON.stringify(sources), "hunter2")
    })
  )

  it.effect("a model is a provider's own, or one's own without a key", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const file = `${yield* files.makeTempDirectoryScoped()}/key`
      yield* files.writeFileString(file, "hunter2\n")
      const hosted = yield* load({
        ASSAY_RPC_URLS: `1=${endpoint}`,
        ASSAY_LLM_PROVIDER: "anthropic",
        ASSAY_LLM_MODEL: "a-model",
        ASSAY_LLM_API_KEY_FILE: file,
        ASSAY_LLM_TOKENS_PER_DAY: "5"
      })
      const { key, ...rest } = Option.getOrThrow(hosted.summaries)
      assert.deepStrictEqual(rest, {
        provider: "anthropic",
        model: "a-model",
        url: Option.none(),
        timeoutSeconds: 20,
        maxOutputTokens: 1024,
        tokensPerDay: 5
      })
      assert.strictEqual(Redacted.value(Option.getOrThrow(key)), "hunter2")
      assert.notInclude(JSON.stringify(hosted), "hunter2")
      const own = yield* load({
        ASSAY_RPC_URLS: `1=${endpoint}`,
        ASSAY_LLM_PROVIDER: "openai",
        ASSAY_LLM_MODEL: "a-model",
        ASSAY_LLM_BASE_URL: "http://127.0.0.1:11434/v1"
      })
      assert.deepInclude(Option.getOrThrow(own.summaries), {
        url: Option.some("http://127.0.0.1:11434/v1"),
        key: Option.none()
      })
    }).pipe(Effect.scoped, Effect.provide(NodeContext.layer))
  )

  const invalid: ReadonlyArray<readonly [string, Record<string, string>]> = [
    ["ASSAY_RPC_URLS", {}],
    ["ASSAY_RPC_URLS", { ASSAY_RPC_URLS: "  " }],
    ["ASSAY_RPC_URLS", { ASSAY_RPC_URLS: endpoint }],
    ["ASSAY_RPC_URLS", { ASSAY_RPC_URLS: `one=${endpoint}` }],
    ["ASSAY_RPC_URLS", { ASSAY_RPC_URLS: "1=ws://hunter2.example" }],
    ["ASSAY_RPC_URLS", { ASSAY_RPC_URLS: `1=${endpoint},1=${endpoint}` }],
    ["ASSAY_RPC_URLS", { ASSAY_RPC_URLS: `1=${endpoint}|hunter2` }],
    ["ASSAY_RPC_URLS_FILE", { ASSAY_RPC_URLS_FILE: "/nowhere/at/all" }],
    ["ASSAY_RPC_URLS_FILE", { ASSAY_RPC_URLS: `1=${endpoint}`, ASSAY_RPC_URLS_FILE: "/x" }],
    ["ASSAY_PORT", { ASSAY_PORT: "http" }],
    ["ASSAY_PORT", { ASSAY_PORT: "65536" }],
    ["ASSAY_SHUTDOWN_SECONDS", { ASSAY_SHUTDOWN_SECONDS: "1" }],
    ["ASSAY_PORT", { ASSAY_PORT: "tcp://10.0.0.1:8787" }],
    ["ASSAY_HOTS", { ASSAY_HOTS: "hunter2" }],
    ["ASSAY_PORT", { ASSAY_PORT: "-1" }],
    ["ASSAY_DATABASE", { ASSAY_DATABASE: "mysql://user:hunter2@x" }],
    ["ASSAY_DATABASE", { ASSAY_DATABASE: "postgres://user:hunter2@x" }],
    ["ASSAY_DATABASE", { ASSAY_DATABASE: "postgres:hunter2" }],
    ["ASSAY_DATABASE_CONNECTIONS", { ASSAY_DATABASE: "postgres://u@x/y", ASSAY_DATABASE_CONNECTIONS: "1" }],
    ["ASSAY_PROCESSES", { ASSAY_PROCESSES: "0" }],
    ["ASSAY_SECRETS_KEY", { ASSAY_SECRETS_KEY: "hunter2" }],
    ["ASSAY_SECRETS_KEY", { ASSAY_SECRETS_KEY: `${"ab".repeat(32)},hunter2` }],
    ["ASSAY_DEFAULT_CHAIN", { ASSAY_DEFAULT_CHAIN: "5" }],
    ["ASSAY_DAILY_QUOTA", { ASSAY_DAILY_QUOTA: "50.5" }],
    ["ASSAY_KEYS", { ASSAY_KEYS: "invited" }],
    ["ASSAY_PLANS", { ASSAY_PLANS: "team" }],
    ["ASSAY_PLANS", { ASSAY_PLANS: "team:500,team:50" }],
    ["ASSAY_PLANS", { ASSAY_PLANS: "Team:500" }],
    ["ASSAY_PLANS", { ASSAY_PLANS: "none:500" }],
    ["ASSAY_PLANS", { ASSAY_PLANS: "team:1000000001" }],
    ["ASSAY_PLANS", { ASSAY_PLANS: Array.from({ length: 51 }, (_, plan) => `p${plan}:1`).join() }],
    ["ASSAY_BURST_PER_MINUTE", { ASSAY_BURST_PER_MINUTE: "0" }],
    ["ASSAY_CONCURRENCY_PER_KEY", { ASSAY_CONCURRENCY_PER_KEY: "many" }],
    ["ASSAY_GLOBAL_DAILY_UNITS", { ASSAY_GLOBAL_DAILY_UNITS: "none" }],
    ["ASSAY_EXPLORER_URLS", { ASSAY_EXPLORER_URLS: "etherscan.io" }],
    ["ASSAY_TRUSTED_PROXIES", { ASSAY_TRUSTED_PROXIES: "10.0.0.0/33" }],
    ["ASSAY_TRUSTED_PROXIES", { ASSAY_TRUSTED_PROXIES: "proxy.example" }],
    ["ASSAY_PROXY_HEADER", { ASSAY_PROXY_HEADER: "X-Real-IP" }],
    ["ASSAY_ALLOWED_HOSTS", { ASSAY_ALLOWED_HOSTS: "https://assay.example" }],
    ["ASSAY_ALLOWED_HOSTS", { ASSAY_ALLOWED_HOSTS: "assay.example,,other.example" }],
    ["ASSAY_SOURCIFY_URL", { ASSAY_SOURCIFY_URL: "yes" }],
    ["ASSAY_GOPLUS_URL", { ASSAY_GOPLUS_URL: "ftp://goplus.example" }],
    ["ASSAY_SIGNATURES_URL", { ASSAY_SIGNATURES_URL: "https://names.example/?key=hunter2" }],
    ["ASSAY_ETHERSCAN_URL", { ASSAY_ETHERSCAN_URL: "etherscan" }],
    ["ASSAY_ETHERSCAN_API_KEY", { ASSAY_ETHERSCAN_API_KEY: "hunter2 hunter2" }],
    ["ASSAY_LLM_BASE_URL", { ASSAY_LLM_BASE_URL: "https://user:hunter2@llm.example/v1" }],
    ["ASSAY_LLM_PROVIDER", { ASSAY_LLM_PROVIDER: "clippy" }],
    ["ASSAY_LLM_PROVIDER", { ASSAY_LLM_MODEL: "a-model" }],
    ["ASSAY_LLM_PROVIDER", { ASSAY_LLM_API_KEY: "hunter2" }],
    ["ASSAY_LLM_MODEL", { ASSAY_LLM_PROVIDER: "anthropic", ASSAY_LLM_API_KEY: "hunter2" }],
    ["ASSAY_LLM_API_KEY", { ASSAY_LLM_PROVIDER: "anthropic", ASSAY_LLM_MODEL: "a-model" }],
    ["ASSAY_LLM_API_KEY", { ASSAY_LLM_PROVIDER: "openai", ASSAY_LLM_MODEL: "a-model" }],
    [
      "ASSAY_LLM_API_KEY_FILE",
      { ASSAY_LLM_PROVIDER: "openai", ASSAY_LLM_MODEL: "a-model", ASSAY_LLM_API_KEY_FILE: "/nowhere/at/all" }
    ],
    ["ASSAY_LLM_TIMEOUT_SECONDS", { ASSAY_LLM_TIMEOUT_SECONDS: "0" }],
    ["ASSAY_LLM_MAX_OUTPUT_TOKENS", { ASSAY_LLM_MAX_OUTPUT_TOKENS: "many" }],
    ["ASSAY_LLM_TOKENS_PER_DAY", { ASSAY_LLM_TOKENS_PER_DAY: "-1" }],
    ["ASSAY_SCHEDULER", { ASSAY_SCHEDULER: "true" }],
    ["ASSAY_SCHEDULED_CONCURRENCY", { ASSAY_SCHEDULED_CONCURRENCY: "0" }],
    ["ASSAY_SCHEDULED_PER_KEY", { ASSAY_SCHEDULED_PER_KEY: "none" }],
    ["ASSAY_WEBHOOKS_ALLOW_PRIVATE", { ASSAY_WEBHOOKS_ALLOW_PRIVATE: "1" }],
    ["ASSAY_WEBHOOKS_ALLOW_HTTP", { ASSAY_WEBHOOKS_ALLOW_HTTP: "yes" }],
    ["ASSAY_WEBHOOKS_PORTS", { ASSAY_WEBHOOKS_PORTS: "443,https" }],
    ["ASSAY_WEBHOOKS_PORTS", { ASSAY_WEBHOOKS_PORTS: "0" }],
    ["ASSAY_METRICS_PORT", { ASSAY_METRICS_PORT: "on" }],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" }],
    ["OTEL_EXPORTER_OTLP_HEADERS", { OTEL_EXPORTER_OTLP_HEADERS: "api key" }],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }],
    ["OTEL_RESOURCE_ATTRIBUTES", { OTEL_RESOURCE_ATTRIBUTES: "a=%zz" }],
    ["OTEL_SDK_DISABLED", { OTEL_SDK_DISABLED: "off" }],
    ["OTEL_TRACES_SAMPLER", { OTEL_TRACES_SAMPLER: "jaeger_remote" }],
    ["OTEL_TRACES_SAMPLER_ARG", { OTEL_TRACES_SAMPLER_ARG: "1.5" }],
    ["ASSAY_LOG_LEVEL", { ASSAY_LOG_LEVEL: "loud" }],
    ["ASSAY_LOG_FORMAT", { ASSAY_LOG_FORMAT: "xml" }]
  ]
  for (const [name, settings] of invalid)
    it.effect(`${JSON.stringify(settings)} is refused in one line that names ${name} and no secret`, () =>
      Effect.gen(function* () {
        const needed = name.startsWith("ASSAY_RPC_URLS") ? {} : { ASSAY_RPC_URLS: `1=${endpoint}` }
        const error = yield* Effect.flip(load({ ...needed, ...settings }))
        assert.strictEqual(error.setting, name)
        assert.isTrue(error.message.startsWith(`${name}: `))
        assert.notInclude(error.message, "\n")
        assert.notInclude(error.message, "hunter2")
      })
    )
})
