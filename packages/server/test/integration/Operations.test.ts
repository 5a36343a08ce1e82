import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as Families from "../../src/telemetry/Families.js"
import * as Series from "../operations/Series.js"
import { Collector, type Span } from "../telemetry/Collector.js"
import * as Scrape from "../telemetry/Scrape.js"
import { forward, RpcProxy, secret } from "./RpcProxy.js"
import { eventually, ServerProcess } from "./ServerProcess.js"
import { WebhookReceiver } from "./WebhookReceiver.js"

const json = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

describe.runIf(Tier.landing)("what an operator sees", () => {
  let directory: string
  let sandbox: SharedSandbox.SharedSandbox
  let dead: RpcProxy
  let proxy: RpcProxy
  let receiver: WebhookReceiver
  let collector: Collector
  let server: ServerProcess
  let key: string

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "assay-operations-"))
    sandbox = await SharedSandbox.take()
    proxy = await RpcProxy.start(forward(sandbox.url))
    dead = await RpcProxy.start(async () => ({ status: 503, body: "" }))
    receiver = await WebhookReceiver.start()
    collector = await Collector.start()
    server = await ServerProcess.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "Api-Key=swordfish%20%3D",
      OTEL_SERVICE_NAME: "assay-of-a-test",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=a%20test",
      ASSAY_DATABASE: `sqlite:${join(directory, "operations.db")}`,
      ASSAY_RPC_URLS: `31337=${dead.url}|${proxy.url}`,
      ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
      ASSAY_WEBHOOKS_ALLOW_HTTP: "on",
      ASSAY_DAILY_QUOTA: "4",
      ASSAY_METRICS_PORT: "0"
    })
    key = await server.createKey()
  })

  afterAll(async () => {
    await server?.kill()
    proxy?.stop()
    dead?.stop()
    receiver?.stop()
    collector?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const scrape = () => Scrape.of(/http:\/\/[^ "]+\/metrics/.exec(server.log)?.[0] ?? "")

  it("every metric is documented with its type and labels, counts what happened, and names nobody", async () => {
    const { address, kind } = sandbox.targets.honeypot
    assert.strictEqual((await server.send(`${kind}/${address}`, { key })).status, 200)
    const mismatch = await server.send(`token/${sandbox.targets.approver.address}`, { key })
    assert.strictEqual(mismatch.json.code, "target_mismatch")
    const webhook = await server.send("webhooks", { key, ...json({ url: `${receiver.origin}/hook` }) })
    assert.strictEqual(webhook.status, 201, webhook.text)
    await server.send(`webhooks/${webhook.json.id}/test`, { key, method: "POST" })
    const watch = await server.send("watches", { key, ...json({ target: kind, address, label: "a label of mine" }) })
    assert.strictEqual(watch.status, 201, watch.text)
    await eventually(
      () => server.send(`watches/${watch.json.id}`, { key }),
      (answer) => answer.json.counts.checks === 1
    )
    const spent = async () => (await server.send(`wallet/0x${"52".repeat(20)}`, { key })).json.code
    await spent()
    await spent()
    assert.strictEqual(await spent(), "quota_exceeded")
    await fetch(`${server.origin}/no/such/route`, { method: "PROPFIND" })
    const samples = await eventually(
      scrape,
      (found) => Scrape.sum(found, "assay_deliveries_total", { outcome: "delivered" }) > 0
    )

    const known = new Map(Families.all.map((family) => [family.name, family]))
    for (const { labels, name, type } of Scrape.families(samples)) {
      assert.strictEqual(type, known.get(name)?.type, name)
      assert.deepStrictEqual(labels, [...(known.get(name)?.labels ?? [])].sort(), name)
    }
    // The others are of Postgres, or appear with the first defect.
    const shown = new Set(Scrape.families(samples).map(({ name }) => name))
    assert.deepStrictEqual(
      [...known.keys()].filter((name) => !shown.has(name)),
      [
        "assay_internal_errors_total",
        "assay_postgres_connections",
        "assay_postgres_lock_waits",
        "assay_postgres_waiting"
      ]
    )

    const count = (name: string, labels: Record<string, string>) => Scrape.sum(samples, name, labels)
    const token = { kind: "token", trigger: "request" }
    assert.strictEqual(count("assay_analyses_total", { ...token, outcome: "complete" }), 1)
    assert.strictEqual(count("assay_analyses_total", { ...token, outcome: "target_mismatch" }), 1)
    assert.strictEqual(count("assay_analyses_total", { trigger: "watch" }), 1)
    assert.strictEqual(count("assay_analysis_seconds_count", token), 2)
    assert.isAbove(count("assay_analysis_levels_sum", { kind: "token" }), 2)
    assert.strictEqual(count("assay_analyses_running", {}), 0)
    assert.strictEqual(count("assay_units_total", { state: "reserved" }), 5)
    assert.strictEqual(count("assay_units_total", { state: "committed" }), 4)
    assert.strictEqual(count("assay_units_total", { state: "released" }), 1)
    assert.strictEqual(count("assay_units_refused_total", { bucket: "key" }), 1)
    assert.strictEqual(count("assay_watch_claims_total", { trigger: "schedule" }), 1)
    assert.strictEqual(count("assay_watch_changes_total", { status: "baseline" }), 1)
    assert.strictEqual(count("assay_http_requests_total", { method: "other", route: "none", status: "404" }), 1)
    assert.isAbove(count("assay_rpc_requests_total", { endpoint: "1" }), 0)
    assert.strictEqual(count("assay_rpc_requests_total", { endpoint: "1", outcome: "ok" }), 0)
    assert.isAbove(count("assay_rpc_calls_total", { endpoint: "2", method: "eth_call", outcome: "ok" }), 5)
    assert.strictEqual(count("assay_rpc_calls_total", { method: "other" }), 0)
    assert.isAbove(count("assay_event_lag_seconds_count", {}), 0)
    assert.strictEqual(count("assay_build_info", { node: process.versions.node }), 1)

    // What alerts and dashboard read is there, but for the gauges of Postgres, which its package tests.
    const names = new Set(samples.map(({ name }) => name))
    const missing = Series.queries()
      .flatMap(Series.selected)
      .filter(({ series }) => !names.has(series) && !series.startsWith("assay_postgres_"))
    assert.deepStrictEqual(missing, [])

    const text = JSON.stringify(samples)
    for (const private_ of [address, key, secret, "a label of mine", "127.0.0.1", "PROPFIND"])
      assert.notInclude(text, private_)
  })

  const trace = (name: string) =>
    eventually(
      async () => {
        const root = collector.spans.find((span) => span.name === name && span.parentSpanId === undefined)
        return collector.spans.filter(({ traceId }) => traceId === root?.traceId)
      },
      (spans) => spans.some((span) => span.name === name),
      30
    )

  const pathOf = (spans: ReadonlyArray<Span>, span: Span): ReadonlyArray<string> => {
    const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
    return [...(parent === undefined ? [] : pathOf(spans, parent)), span.name]
  }

  it("the trace of an analysis has its request, execution, checks, facts and what was sent to endpoints", async () => {
    const spans = await trace("GET /api/v1/token/:address")
    const [root] = spans.filter(({ parentSpanId }) => parentSpanId === undefined)
    assert.deepInclude(root?.attributes, {
      "http.request.method": "GET",
      "http.route": "/api/v1/token/:address",
      "http.response.status_code": 200
    })
    assert.deepInclude(root?.resource, {
      "service.name": "assay-of-a-test",
      "deployment.environment.name": "a test"
    })
    assert.strictEqual(root?.kind, 2)
    assert.match(root?.traceId ?? "", /^[0-9a-f]{32}$/)
    assert.strictEqual(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)
    for (const span of spans) {
      assert.isTrue(span.start <= span.end, span.name)
      const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
      if (parent === undefined) assert.strictEqual(span, root)
      else assert.isTrue(parent.start <= span.start, span.name)
    }
    const execution = spans.find(({ name }) => name === "Execution")
    assert.deepInclude(execution?.attributes, { "assay.kind": "token", "assay.chain": "sandbox" })
    assert.match(String(execution?.attributes["assay.execution_id"]), /^exe_/)
    const checks = spans.filter(({ attributes }) => attributes["assay.part"] === "check")
    assert.isTrue(checks.some(({ name }) => name === "token.mintable"))
    for (const check of checks)
      assert.deepStrictEqual(
        pathOf(spans, check).filter((name) => /^(?:GET|Exec|Analyzer)/.test(name)),
        ["GET /api/v1/token/:address", "Executions.run", "Execution", "Analyzer.analyze"]
      )
    const sent = spans.filter(({ name }) => name === "Endpoint.request")
    for (const span of sent) {
      assert.strictEqual(span.kind, 3)
      assert.isAbove(Number(span.attributes["assay.calls"]), 0)
      assert.include(pathOf(spans, span), "Execution")
    }
    // The first endpoint is down, the second one answers.
    assert.deepStrictEqual(new Set(sent.map(({ attributes }) => attributes["assay.endpoint"])), new Set([1, 2]))
    assert.isTrue(spans.some((span) => /^(?:Code|Token|Proxy)\.of$/.test(span.name)))
  })

  it("checks of watches and messages to webhooks are traces of their own, and what runs by itself is none", async () => {
    const [check] = (await trace("Executions.check")).filter(({ parentSpanId }) => parentSpanId === undefined)
    assert.strictEqual(check?.name, "Executions.check")
    await trace("Delivery.send")
    const roots = new Set(collector.spans.flatMap((span) => (span.parentSpanId === undefined ? [span.name] : [])))
    for (const name of roots) assert.match(name, /^(?:GET|POST|other) |^Executions\.check$|^Delivery\.send$/)
  })

  it("no trace holds a key, a URL, an address, a label or a header", () => {
    for (const { "api-key": sent } of collector.headers) assert.strictEqual(sent, "swordfish =")
    assert.deepStrictEqual([...new Set(collector.paths)], ["/v1/traces"])
    const text = collector.bodies.join("\n")
    const { address } = sandbox.targets.honeypot
    for (const hidden of [key, key.slice(4), secret, "swordfish", address, address.toLowerCase(), "a label of mine"])
      assert.notInclude(text, hidden)
    assert.notMatch(text, /https?:|127\.0\.0\.1|SELECT|INSERT|authorization|stacktrace/)
  })

  it("the lines of the log that belong to a trace name it, with the execution and the request", async () => {
    const spans = await trace("GET /api/v1/token/:address")
    const lines = server.log
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line))
      .filter(({ annotations }) => annotations.trace_id === spans[0]?.traceId)
    const execution = spans.find(({ name }) => name === "Execution")?.attributes["assay.execution_id"]
    const requestId = spans.find(({ parentSpanId }) => parentSpanId === undefined)?.attributes["assay.request_id"]
    assert.deepStrictEqual(
      lines
        .filter(({ logLevel }) => logLevel === "INFO")
        .map(({ annotations, message }) => [message, annotations.request_id]),
      [
        ["execution", requestId],
        ["request", requestId]
      ]
    )
    assert.deepInclude(lines.find(({ message }) => message === "execution")?.annotations, {
      execution_id: execution,
      kind: "token",
      outcome: "complete"
    })
    for (const { annotations } of lines) assert.isTrue(spans.some(({ spanId }) => spanId === annotations.span_id))
  })

  it("while endpoints and collector are dead the log gets a bounded number of lines", async () => {
    collector.status = 503
    proxy.behaviour = async () => ({ status: 503, body: "" })
    const own = await server.createKey()
    const before = server.log.length
    const ask = async () => (await server.send(`wallet/0x${"53".repeat(20)}`, { key: own })).json.code
    for (let count = 0; count < 8; count++) assert.strictEqual(await ask(), "upstream_unavailable")
    await eventually(scrape, (found) => Scrape.sum(found, "assay_trace_spans_total", { outcome: "dropped" }) > 0, 30)
    const written = async () =>
      server.log
        .slice(before)
        .split("\n")
        .filter((line) => line.startsWith("{") && line.endsWith("}"))
        .map((line) => JSON.parse(line))
        // That of the key may come late.
        .filter(({ annotations, logLevel }) => logLevel !== "DEBUG" && annotations.route !== "/api/v1/keys")
    // The line of a request is written after its answer was sent.
    const lines = await eventually(written, (found) => found.length >= 18)
    const of = (message: string) => lines.filter((line) => String(line.message).includes(message)).length
    // A line for each request and each execution, and one for each of what is dead.
    assert.strictEqual(lines.filter(({ annotations }) => annotations.route === "/api/v1/wallet/:address").length, 8)
    assert.strictEqual(lines.filter(({ message }) => message === "execution").length, 8)
    assert.strictEqual(of("Nothing could be read of the chain"), 1)
    assert.strictEqual(of("Traces could not be sent"), 1)
    assert.strictEqual(lines.length, 18)
    const samples = await scrape()
    assert.strictEqual(Scrape.sum(samples, "assay_analyses_total", { outcome: "upstream_unavailable" }), 8)
    assert.notInclude(server.log, secret)
    assert.notInclude(server.log, collector.origin)
  })
})
