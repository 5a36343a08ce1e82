import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Analyzer, ChainAccess, Checks } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { traced } from "../packages/core/dist/runtime/Traced.js"
import * as Traces from "../packages/server/dist/telemetry/Traces.js"
import { median } from "../scripts/quantiles.mjs"
import { sandboxChain } from "../scripts/sandboxChain.mjs"
import { started } from "./server-process.mjs"

export const tracing = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "25" },
      target: { type: "string", default: "plain" },
      tree: { type: "boolean", default: false }
    }
  })
  const sandbox = await Sandbox.start()
  try {
    await (values.tree ? tree(sandbox, values.target) : cost(sandbox, values.target, Number(values.runs)))
  } finally {
    await sandbox.stop()
  }
}

/** A tracer of the server with a collector that takes everything at once and counts it. */
const counting = () => {
  const counted = { spans: 0, bytes: 0, flagged: 0 }
  const collector = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) =>
      Effect.sync(() => {
        const text = new TextDecoder().decode(request.body.body)
        counted.bytes += text.length
        for (const { attributes, name } of JSON.parse(text).resourceSpans[0].scopeSpans[0].spans) {
          counted.spans++
          if (
            /^(?:Endpoint\.request|ChainState\.send)$/.test(name) ||
            attributes.some(({ key }) => key === "assay.part")
          )
            counted.flagged++
        }
        return HttpClientResponse.fromWeb(request, new Response("{}"))
      })
    )
  )
  const layerOf = (sampler) =>
    Layer.provide(
      Traces.layer({ url: Redacted.make("http://127.0.0.1/v1/traces"), headers: {}, resource: {}, sampler }),
      collector
    )
  return { counted, layerOf }
}

const cost = async (sandbox, name, runs) => {
  const chain = sandboxChain(sandbox)
  const { address, kind } = sandbox.targets[name]
  const engine = Analyzer.layer(Checks.all).pipe(
    Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 hour" })),
    Layer.provide(NodeHttpClient.layerUndici)
  )
  const { counted, layerOf } = counting()
  const modes = {
    "no endpoint is set": Layer.setTracerEnabled(false),
    "none is sampled": layerOf(() => false),
    "all are recorded": layerOf(() => true)
  }
  const made = Object.entries(modes).map(([mode, layer]) => ({
    mode,
    runtime: ManagedRuntime.make(Layer.provideMerge(engine, layer)),
    cpu: []
  }))
  const one = Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze({ kind, address, chain })).pipe(
    Effect.withSpan("GET /", { kind: "server", root: true })
  )
  let recorded = 0
  for (let run = -3; run < runs; run++)
    for (const { cpu, mode, runtime } of made) {
      const before = process.cpuUsage()
      await runtime.runPromise(one)
      const { system, user } = process.cpuUsage(before)
      if (run < 0) continue
      cpu.push((system + user) / 1000)
      if (mode === "all are recorded") recorded++
    }
  for (const { runtime } of made) await runtime.dispose()
  const base = made[0].cpu
  const spans = counted.spans / (recorded + 3)
  console.log(
    `${name}: ${Math.round(spans)} spans and ${Math.round(counted.bytes / (recorded + 3) / 1000)} kB in a trace`
  )
  for (const { cpu, mode } of made) {
    const ratios = cpu.map((millis, run) => millis / base[run])
    console.log(`${mode}: CPU ${median(cpu).toFixed(1)} ms, × ${median(ratios).toFixed(3)} of the first`)
  }

  // What is left of a span that nobody records.
  const times = 200_000
  const off = ManagedRuntime.make(Layer.setTracerEnabled(false))
  const timed = async (effect) => {
    const loop = Effect.gen(function* () {
      for (let count = 0; count < times; count++) yield* effect
    })
    const began = performance.now()
    await off.runPromise(loop)
    return ((performance.now() - began) * 1000) / times
  }
  const attributes = { part: "check" }
  const bare = Effect.suspend(() => Effect.void)
  const forms = {
    "by its flag": traced("a", () => ({ attributes }))(bare),
    "by Effect.fn and withSpan": Effect.withSpan(bare, "a", { captureStackTrace: false, attributes })
  }
  const flagged = counted.flagged / (recorded + 3)
  for (const [form, spanned] of Object.entries(forms)) {
    const each = []
    for (let round = -1; round < 5; round++) {
      const more = (await timed(spanned)) - (await timed(bare))
      if (round >= 0) each.push(more)
    }
    const count = form === "by its flag" ? flagged : spans - flagged
    const share = (median(each) * count) / 1000 / median(base)
    console.log(
      `not made, ${form}: ${median(each).toFixed(2)} µs a span; ${Math.round(count)} of them: ${(share * 100).toFixed(2)} % of the CPU of the analysis`
    )
  }
  await off.dispose()
}

/** Prints the trace of one analysis by a server, with the times at which each span began and how long it took. */
const tree = async (sandbox, name) => {
  const spans = []
  const collector = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text) => {
      body += text
    })
    request.on("end", () => {
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
      response.end("{}")
    })
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => collector.once("listening", resolve))
  const directory = mkdtempSync(join(tmpdir(), "assay-tracing-"))
  const bin = fileURLToPath(new URL("../packages/server/bin/assay.js", import.meta.url))
  const server = await started([bin, "serve"], directory, {
    ASSAY_PORT: "0",
    ASSAY_DATABASE: "memory:",
    ASSAY_RPC_URLS: `31337=${sandbox.url}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`
  })
  try {
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"label":"tracing"}' }
    const { key } = await (await fetch(`${server.origin}/api/v1/keys`, json)).json()
    const { address, kind } = sandbox.targets[name]
    const analyse = () =>
      fetch(`${server.origin}/api/v1/${kind}/${address}`, { headers: { authorization: `Bearer ${key}` } })
    // The first one loads the engine and probes the endpoint.
    await (await analyse()).text()
    await (await analyse()).text()
  } finally {
    await server.stop()
    collector.closeAllConnections()
    collector.close()
    rmSync(directory, { recursive: true, force: true })
  }
  const roots = spans.filter(({ name, parentSpanId }) => parentSpanId === undefined && name.includes(":address"))
  const root = roots.sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano))).at(-1)
  const trace = spans.filter(({ traceId }) => traceId === root.traceId)
  const at = ({ startTimeUnixNano }) => Number(BigInt(startTimeUnixNano) - BigInt(root.startTimeUnixNano)) / 1e6
  const took = ({ endTimeUnixNano, startTimeUnixNano }) =>
    Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
  const value = ({ attributes }, key) => Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0]
  const sends = (span) =>
    span.name === "Endpoint.request" || trace.some((each) => each.parentSpanId === span.spanId && sends(each))
  const print = (span, depth) => {
    const said = ["assay.calls", "assay.methods", "http.response.status_code"]
      .flatMap((key) => value(span, key) ?? [])
      .join(" ")
    const line = `${"  ".repeat(depth)}${span.name}${said === "" ? "" : ` (${said})`}`
    console.log(`${at(span).toFixed(1).padStart(8)} ${took(span).toFixed(1).padStart(8)}  ${line}`)
    const below = trace.filter(({ parentSpanId }) => parentSpanId === span.spanId).sort((a, b) => at(a) - at(b))
    // Those that sent nothing are many: the three that took longest stand for them.
    const silent = below.filter((each) => !sends(each)).sort((a, b) => took(b) - took(a))
    const hidden = silent.slice(3)
    for (const each of below) if (!hidden.includes(each)) print(each, depth + 1)
    if (hidden.length > 0)
      console.log(`${" ".repeat(19)}${"  ".repeat(depth + 1)}and ${hidden.length} more that took less and sent nothing`)
  }
  console.log("at (ms) took (ms)")
  print(root, 0)
  console.log(`${trace.length} spans, ${trace.filter(({ name }) => name === "Endpoint.request").length} requests`)
}
