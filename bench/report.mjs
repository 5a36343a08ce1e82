import { parseArgs } from "node:util"
import {
  Analyzer,
  ChainAccess,
  Checks,
  Executions,
  Id,
  Quota,
  Report,
  ReportHtml,
  ReportMarkdown,
  ReportText,
  ResultView,
  Storage
} from "@assay/core"
import { Sandbox, Targets } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import * as Tools from "../packages/server/dist/mcp/Tools.js"
import { sandboxChain } from "../scripts/sandboxChain.mjs"

/** How large reports are beside their results: main.mjs says what the figures mean. */
export const report = async (args) => {
  const { values } = parseArgs({
    args,
    options: { target: { type: "string", multiple: true, default: [...Targets.documented] } }
  })
  const sandbox = await Sandbox.start()
  const engine = Executions.layer().pipe(
    Layer.provide([Analyzer.layer(Checks.all), Quota.layer()]),
    Layer.provide([ChainAccess.layerJsonRpc({ headTtl: "1 hour" }), Storage.layerMemory]),
    Layer.provide(NodeHttpClient.layerUndici)
  )
  const runtime = ManagedRuntime.make(engine)
  try {
    const chain = sandboxChain(sandbox)
    const caller = { id: await Effect.runPromise(Id.make("key")), dailyQuota: 1_000, source: Option.none() }
    console.log(
      "report: bytes, and tokens at four bytes each, of a report in each form and of the result it is made of"
    )
    console.log(line("", forms))
    const all = forms.map(() => [])
    for (const name of values.target) {
      const { address, kind } = sandbox.targets[name]
      const request = { caller, kind, address, chain, summary: "not_requested", compareTo: Option.none() }
      const full = await runtime.runPromise(Effect.flatMap(Executions.Executions, (use) => use.run(request)))
      const sizes = written(full).map((text) => Buffer.byteLength(text))
      for (const [index, bytes] of sizes.entries()) all[index].push(bytes)
      console.log(line(name, sizes.map(figure)))
    }
    console.log(line("median", all.map(median).map(figure)))
    console.log(line("largest", all.map((sizes) => Math.max(...sizes)).map(figure)))
  } finally {
    await runtime.dispose()
    await sandbox.stop()
  }
}

const forms = ["JSON", "Markdown", "text", "HTML", "MCP result", "MCP full", "light result", "full result"]

const written = (full) => {
  const whole = Option.getOrThrow(Report.ofResult(full))
  const compact = Report.compact(whole)
  const { address, execution_id, target } = full
  const light = ResultView.light(full)
  const tool = Tools.all.find(({ name }) => name === `analyze_${target}`)
  const response = { status: 200, location: `/api/v1/executions/${execution_id}?view=report`, body: compact }
  const answer = (detail, responses) => {
    const { data, texts } = tool.call({ address, detail }).answer(responses)
    return JSON.stringify({ content: texts.map((text) => ({ type: "text", text })), structuredContent: data })
  }
  return [
    JSON.stringify(compact),
    ReportMarkdown.make(whole, { analysis: Report.analyzed(full) }),
    ReportText.plain(whole),
    ReportHtml.make(whole, { analysis: Report.analyzed(full) }),
    answer("report", [response]),
    answer("full", [response, { status: 200, location: null, body: light }]),
    JSON.stringify(light),
    JSON.stringify(full)
  ]
}

const figure = (bytes) => `${bytes} (${Math.ceil(bytes / 4)})`

const median = (sizes) => [...sizes].sort((a, b) => a - b)[Math.floor(sizes.length / 2)]

const line = (name, cells) => `${name.padEnd(14)}${cells.map((cell) => cell.padStart(17)).join("")}`
