import { connect } from "node:net"
import {
  type Address,
  type AnalysisResult,
  Analyzer,
  Bell,
  Chains,
  type ChangeReport,
  Destination,
  Entropy,
  EventBell,
  Events,
  Executions,
  Id,
  Keys,
  KindGuess,
  ObservedEvidence,
  Quota,
  RateLimit,
  RecipeSet,
  Relay,
  Resolver,
  Scheduler,
  Secrets,
  Storage,
  StorageError,
  StorageVersion,
  Timestamp,
  Watches,
  Webhooks
} from "@assay/core"
import { StorageFault } from "@assay/core/testing"
import { Front, HealthCheck, NodeServer, OutboundProxies, Server, ServerConfig } from "@assay/server"
import { HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { Clock, Effect, Layer, LogLevel, Option, Redacted } from "effect"
import * as Contract from "./Contract.js"

export const chain = Chains.make({ id: 31_337, name: "sandbox", endpoints: ["http://127.0.0.1:1/secret-path"] })

export const config: ServerConfig.ServerConfig["Type"] = {
  host: "127.0.0.1",
  port: 0,
  shutdownSeconds: 7,
  database: { _tag: "Memory" },
  endpoints: Redacted.make(new Map()),
  chains: Redacted.make([chain]),
  defaultChain: 31_337,
  limits: {
    dailyQuota: 50,
    burstPerMinute: 60,
    processes: 1,
    concurrencyPerKey: 3,
    keysPerSourceHour: 5,
    keysPerSourceDay: 20,
    unitsPerSourceDay: 200,
    globalDailyUnits: Option.none()
  },
  keys: { creation: "open", plans: Option.none(), unusedDays: Option.none() },
  sources: {
    sourcify: Option.none(),
    etherscan: Option.none(),
    signatures: Option.none(),
    fourByte: Option.none(),
    goplus: Option.none()
  },
  summaries: Option.none(),
  proxies: OutboundProxies.none,
  scheduling: { state: "off", concurrency: 32, perKey: 2 },
  metrics: Option.none(),
  traces: Option.none(),
  webhookUrls: { allowPrivate: false, allowHttp: false, ports: Option.none() },
  trustedProxies: [],
  proxyHeader: "x-forwarded-for",
  perSource: false,
  allowedHosts: Option.none(),
  logLevel: LogLevel.None,
  logFormat: "json",
  secretsKeys: Option.none(),
  unknownSettings: [],
  abandoned: "finish"
}

export const target = {
  works: "0x1000000000000000000000000000000000000001",
  mismatch: "0x1000000000000000000000000000000000000002",
  unreadable: "0x1000000000000000000000000000000000000003",
  slow: "0x1000000000000000000000000000000000000004",
  defect: "0x1000000000000000000000000000000000000005",
  busy: "0x1000000000000000000000000000000000000006",
  exhausted: "0x1000000000000000000000000000000000000007",
  draining: "0x1000000000000000000000000000000000000008",
  failed: "0x1000000000000000000000000000000000000009",
  unstored: "0x100000000000000000000000000000000000000a",
  wallet: "0x100000000000000000000000000000000000000b",
  lost: "0x100000000000000000000000000000000000000c",
  overdue: "0x100000000000000000000000000000000000000d"
} as const

const at = Timestamp.fromMillis(0)
export const executionId = "exe_01JD0000000000000000000000" as Id.ExecutionId
export const contentHash = "sha256:00"

export const result = (
  request: {
    readonly kind: AnalysisResult.AnalysisResult["target"]
    readonly address: Address.Address
  },
  id: Id.ExecutionId
): AnalysisResult.AnalysisResult => ({
  execution_id: id,
  target: request.kind,
  address: request.address,
  chain: { id: chain.id, name: chain.name },
  status: "complete",
  error: null,
  created_at: at,
  completed_at: at,
  progress: null,
  block: { number: 1, hash: "0x01", timestamp: at },
  engine_version: "0",
  ruleset_version: "0",
  content_hash: contentHash,
  evidence: [
    {
      state: "refuted",
      source_url: `eip155:31337:${request.address}?block=1`,
      id: `token.pausable:${request.address}`,
      version: 1,
      category: "control",
      title: "Transfers can be paused",
      detail: "",
      value: null,
      polarity: "risk",
      severity: "high",
      verified: true,
      reason: null,
      controller: null,
      observation: { method: "eth_call", params_hash: "0x02", block_hash: "0x01", answer_hash: "0x03" }
    }
  ],
  facts: {
    risk: null,
    account: null,
    token: null,
    proxy: null,
    control: null,
    pools: null,
    trade: null,
    counterfactuals: null,
    allowances: null,
    permit2: null,
    portfolio: null,
    safe: null,
    unread: {}
  },
  recipes: [{ method: "eth_call", params_hash: "0x02", params: [{ to: request.address }, { blockHash: "0x01" }] }],
  summary: null,
  summary_status: "never_configured",
  summary_reason: null,
  sources: [],
  change_report: null,
  units: 1,
  warnings: []
})

export const report: ChangeReport.ChangeReport = {
  format_version: "1.0",
  status: "baseline",
  reason: null,
  base: null,
  head: {
    execution_id: executionId,
    completed_at: at,
    block: { number: 1, hash: "0x01", timestamp: at },
    ruleset_version: "0"
  },
  max_severity: null,
  counts: { critical: 0, high: 0, medium: 0, low: 0, info: 0, suppressed: 0 },
  risk: null,
  changes: [],
  ruleset_changes: [],
  suppressed: [],
  text: "Nothing to compare with."
}

/** Executions with an outcome that the address selects. */
export const executions: Layer.Layer<Executions.Executions> = Layer.sync(Executions.Executions, () => {
  const kept = new Map<string, AnalysisResult.AnalysisResult>()
  const find = (owner: string, id: Id.ExecutionId) =>
    Effect.mapError(Effect.fromNullable(kept.get(`${owner} ${id}`)), () => new Executions.ExecutionNotFound({ id }))
  return {
    run: (request) =>
      Effect.gen(function* () {
        const id = yield* Id.make("exe")
        switch (request.address.toLowerCase()) {
          case target.mismatch:
            yield* request.onMismatch ?? Effect.void
            return yield* new Analyzer.TargetMismatch({
              detected: "eoa",
              target: { ...request, chain: { id: chain.id, name: chain.name } }
            })
          case target.unreadable:
            return yield* new Analyzer.UpstreamUnavailable({ sources_failed: [{ name: "rpc", reason: "rpc_error" }] })
          case target.slow:
            return yield* new Executions.DeadlineExceeded({ execution_id: id })
          case target.defect:
            return yield* Effect.die(new Error(`SELECT secret FROM ${chain.endpoints[0]}`))
          case target.busy:
            return yield* new Executions.ConcurrencyExceeded({ limit: 3 })
          case target.exhausted:
            return yield* new Quota.QuotaExceeded({
              bucket: "key",
              limit: 50,
              resets_at: Timestamp.fromMillis(Timestamp.nextDay(yield* Clock.currentTimeMillis))
            })
          case target.unstored:
            return yield* new StorageError.StorageError({
              reason: "unavailable",
              operation: "x",
              detail: "SELECT secret"
            })
          case target.draining:
            return yield* new Executions.Draining()
          case target.lost:
            return yield* new Executions.ExecutionFailed({
              execution_id: id,
              failure: { code: "lease_lost", detail: "its process did not come back" }
            })
          case target.overdue:
            return yield* new Executions.ExecutionFailed({
              execution_id: id,
              failure: { code: "deadline_exceeded", detail: "it did not end in time" }
            })
          case target.failed:
            return yield* new Executions.ExecutionFailed({
              execution_id: id,
              failure: { code: "internal_error", detail: "it stopped" }
            })
        }
        const finished = result(request, id)
        kept.set(`${request.caller.id} ${id}`, finished)
        return finished
      }),
    get: (caller, id) => find(caller.id, id),
    contentHash: (caller, id) => Effect.map(find(caller.id, id), ({ content_hash }) => content_hash),
    document: (caller, id) =>
      Effect.map(find(caller.id, id), (found) => ({
        status: found.status,
        contentHash: found.content_hash,
        text: JSON.stringify(found)
      })),
    recipes: (caller, id) => Effect.map(find(caller.id, id), ({ recipes }) => RecipeSet.make(recipes)),
    evidence: (caller, id, evidence_id) =>
      Effect.flatMap(find(caller.id, id), (found) =>
        Effect.mapError(
          ObservedEvidence.find(found, evidence_id),
          () => new Executions.EvidenceNotFound({ id, evidence_id })
        )
      ),
    list: (caller, filter, page) =>
      Option.isSome(page.cursor)
        ? new Executions.BadCursor()
        : Effect.succeed({
            data: [...kept]
              .filter(
                ([key, { target: kind }]) =>
                  key.startsWith(caller.id) && Option.getOrElse(filter.kind, () => kind) === kind
              )
              .slice(0, page.limit)
              .map(([, stored]) => ({
                execution_id: stored.execution_id,
                target: stored.target,
                address: stored.address,
                chain: stored.chain,
                status: stored.status,
                created_at: stored.created_at,
                completed_at: stored.completed_at,
                score: null,
                level: null,
                watch_id: null,
                content_hash: stored.content_hash
              })),
            next_cursor: null
          }),
    check: () => Effect.die("not scripted"),
    changes: (caller, id) =>
      Effect.map(find(caller.id, id), () => ({ ...report, head: { ...report.head, execution_id: id } }))
  }
})

export const analyzer = Layer.succeed(Analyzer.Analyzer, {
  analyze: () => Effect.die("not scripted"),
  analyzeMany: () => Effect.die("not scripted"),
  verify: () => Effect.die("not scripted"),
  ruleset: Effect.succeed({ rules: [], optional: [], version: "0" }),
  engineVersion: "0"
})

/** Analyses that end at once, where the address is a target. */
export const atOnce = Layer.succeed(Analyzer.Analyzer, {
  analyzeMany: () => Effect.die("not scripted"),
  verify: () => Effect.die("not scripted"),
  analyze: (request) => {
    const subject = { kind: request.kind, address: request.address, chain: { id: chain.id, name: chain.name } }
    if (request.address.toLowerCase() === target.mismatch)
      return new Analyzer.TargetMismatch({ detected: "empty", target: subject })
    const { engine_version, evidence, facts, recipes, ruleset_version, sources, warnings } = result(
      request,
      executionId
    )
    const { block } = report.head
    return Effect.succeed({
      target: subject,
      status: "complete" as const,
      block,
      content_hash: contentHash,
      engine_version,
      ruleset_version,
      evidence,
      facts,
      recipes,
      sources,
      warnings
    })
  },
  ruleset: Effect.succeed({ rules: [], optional: [], version: "0" }),
  engineVersion: "0"
})

/** What is distinguished without a chain: one wallet, one address that cannot be read, and tokens. */
const guesses = Layer.succeed(KindGuess.KindGuess, {
  of: (address) =>
    address.toLowerCase() === target.unreadable
      ? new Analyzer.UpstreamUnavailable({ sources_failed: [{ name: "sandbox JSON-RPC", reason: "rpc_error" }] })
      : Effect.succeed(address.toLowerCase() === target.wallet ? "wallet" : "token")
})

export const healthy = Layer.succeed(
  HealthCheck.HealthCheck,
  HealthCheck.HealthCheck.of({
    ready: Effect.succeed({
      status: "ok" as const,
      checks: { storage: "ok" as const, scheduler: "off" as const, upstream: "ok" as const },
      cause: null
    })
  })
)

/** Names of the public internet, of the network behind it, and of nobody. */
const resolver = Layer.succeed(Resolver.Resolver, {
  resolve: (host) => {
    if (host.endsWith(".nowhere.example")) return new Resolver.HostUnresolved()
    return Effect.succeed([host.endsWith(".inside.example") ? "10.0.0.7" : "93.184.215.14"])
  }
})

/** Stores in memory, the calls of which can be broken. */
const storage = Layer.provide(StorageFault.layer, Storage.layerMemory)

/** The API on a real socket, over real keys, quotas, watches and events in memory and the given executions. */
export const over = <E, R>(
  useCases: Layer.Layer<Executions.Executions | Analyzer.Analyzer, E, R>,
  options: Partial<ServerConfig.ServerConfig["Type"]> = {}
) => overStores(useCases, Layer.merge(storage, StorageVersion.layerUnknown), options)

/** The same over the given stores. */
export const overStores = <S, E, R, E2>(
  useCases: Layer.Layer<Executions.Executions | Analyzer.Analyzer, E, R>,
  stores: Layer.Layer<S | Storage.Storage | StorageVersion.StorageVersion, E2>,
  options: Partial<ServerConfig.ServerConfig["Type"]> = {}
) => {
  const settings = { ...config, ...options }
  const front = Front.Front.defaultValue()
  return Server.layer.pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(
        () => NodeServer.make({ graceMillis: 1_000, front, requestId: () => "req_01JD0000000000000000000000" }),
        { port: 0, host: "127.0.0.1" }
      )
    ),
    Layer.provideMerge(Layer.succeed(Front.Front, front)),
    Layer.provide(healthy),
    Layer.provide(
      Layer.mergeAll(
        Events.layer(),
        Webhooks.layer(),
        Watches.layer(),
        settings.scheduling.state === "on" ? Scheduler.layer() : Layer.empty
      )
    ),
    Layer.provide(Layer.mergeAll(useCases, guesses, Relay.layer(), Bell.layer)),
    Layer.provide(Keys.layer({ dailyQuota: settings.limits.dailyQuota })),
    Layer.provide(Quota.layer()),
    Layer.provide(RateLimit.layer()),
    Layer.provide(
      Layer.provide(
        Destination.layer({ ...settings.webhookUrls, ports: Option.getOrUndefined(settings.webhookUrls.ports) }),
        resolver
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(Layer.provideMerge(Secrets.layerEphemeral, Entropy.layer), EventBell.layer, stores)
    ),
    Layer.provide(Chains.layer([chain])),
    Layer.provide(Layer.succeed(ServerConfig.ServerConfig, settings))
  )
}

/** The API over scripted executions. */
export const layer = (options: Partial<ServerConfig.ServerConfig["Type"]> = {}) =>
  over(Layer.merge(executions, analyzer), options)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents of any shape.
  readonly json: any
}

export const base = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "TcpAddress" ? `http://127.0.0.1:${address.port}` : ""
)

/** Sends a request and reads the whole answer, which has to be what the OpenAPI document says. */
export const send = (path: string, init: RequestInit & { readonly key?: string | undefined } = {}) =>
  Effect.flatMap(base, (origin) =>
    Effect.promise(async (): Promise<Answer> => {
      // As it is, unless a test says otherwise: fetch requests a compressed body by itself.
      const headers = new Headers({ "accept-encoding": "identity" })
      new Headers(init.headers).forEach((value, name) => {
        headers.set(name, value)
      })
      if (init.key !== undefined) headers.set("authorization", `Bearer ${init.key}`)
      const response = await fetch(`${origin}${path}`, { ...init, headers, redirect: "manual" })
      const text = await response.text()
      Contract.check(init.method ?? "GET", path, { status: response.status, headers: response.headers, text })
      const json = text !== "" && /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, json }
    })
  )

/** Sends bytes as they are and reads until the server closes. */
export const sendRaw = (bytes: string | Buffer) =>
  Effect.flatMap(base, (origin) =>
    Effect.async<Answer>((resume) => {
      const socket = connect(Number(new URL(origin).port), "127.0.0.1")
      const chunks: Array<Buffer> = []
      socket.on("data", (chunk) => chunks.push(chunk))
      socket.on("error", () => {})
      socket.on("close", () => {
        const [head = "", ...rest] = Buffer.concat(chunks).toString().split("\r\n\r\n")
        const [line = "", ...fields] = head.split("\r\n")
        const text = rest.join("\r\n\r\n")
        const headers = new Headers(
          fields
            .map((field) => [field.slice(0, field.indexOf(":")), field.slice(field.indexOf(":") + 1).trim()] as const)
            .map(([name, value]) => [name, value] as [string, string])
        )
        const json = /json/.test(headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
        resume(Effect.succeed({ status: Number(line.split(" ")[1]), headers, text, json }))
      })
      socket.write(bytes)
    })
  )

/** Makes a key over HTTP. */
export const createKey = Effect.map(
  send("/api/v1/keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ label: "test" })
  }),
  ({ json }): string => json.key
)
