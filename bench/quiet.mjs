import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { Analyzer, ChainAccess, Checks } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import * as FactSet from "../packages/core/dist/analysis/FactSet.js"
import { sandboxChain } from "../scripts/sandboxChain.mjs"

/** What the analysis of a check costs where nothing happened, beside a full one: main.mjs says what the figures mean. */
export const quiet = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: "string", default: "30" },
      target: { type: "string", multiple: true, default: ["plain", "usdc", "approver"] }
    }
  })
  const runs = Number(values.runs)
  const sandbox = await Sandbox.start()
  const chain = sandboxChain(sandbox)
  try {
    console.log(`quiet: ${runs} runs of each, in turns, at a new block each; load ${loadavg()[0].toFixed(1)}\n`)
    console.log(
      "target        CPU in full   CPU quiet   ratio   requests, calls, levels in full and quiet   quiet   equal"
    )
    for (const name of values.target) {
      const { address, kind } = sandbox.targets[name]
      const [full, again] = [makeEngine(), makeEngine()]
      const rows = []
      let earlier = Option.none()
      for (let run = 0; run < warming + runs; run++) {
        await sandbox.rpc.call("anvil_mine", ["0x1", "0xe10"])
        const request = { address, kind, chain, earlier }
        const row = { full: await measure(full, request), quiet: await measure(again, { ...request, recurring: true }) }
        earlier = Option.some(row.full.analysis)
        if (run >= warming) rows.push(row)
      }
      print(name, rows)
      await full.runtime.dispose()
      await again.runtime.dispose()
    }
    console.log(`\nload when it ended: ${loadavg()[0].toFixed(1)}`)
  } finally {
    await sandbox.stop()
  }
}

// A server runs compiled code.
const warming = 25

const makeEngine = () => {
  const pinned = { state: undefined }
  const access = Layer.effect(
    ChainAccess.ChainAccess,
    Effect.map(ChainAccess.ChainAccess, ({ pin }) => ({
      pin: (options) =>
        Effect.tap(pin(options), (state) => {
          pinned.state = state
        })
    }))
  ).pipe(Layer.provide(ChainAccess.layerJsonRpc({ headTtl: "1 millis" })), Layer.provide(NodeHttpClient.layerUndici))
  return { pinned, runtime: ManagedRuntime.make(Layer.provide(Analyzer.layer(Checks.all), access)) }
}

const measure = async ({ pinned, runtime }, request) => {
  const analyzer = await runtime.runPromise(Analyzer.Analyzer)
  let isQuiet = true
  const build = (fact) => {
    isQuiet = false
    return fact
  }
  const cpu = process.cpuUsage()
  const analysis = await runtime.runPromise(
    Effect.locally(analyzer.analyze(request), FactSet.seam, { call: () => (effect) => effect, build })
  )
  const used = process.cpuUsage(cpu)
  return {
    analysis,
    isQuiet,
    text: JSON.stringify(analysis).replace(/"fetched_at":"[^"]*"/g, ""),
    ms: (used.user + used.system) / 1_000,
    spending: Effect.runSync(pinned.state.spending)
  }
}

const print = (name, rows) => {
  const quiet = rows.filter((row) => row.quiet.isQuiet)
  const [inFull, again] = [median(rows.map((row) => row.full.ms)), median(quiet.map((row) => row.quiet.ms))]
  const spent = ({ calls, levels, requests }) => `${requests}, ${calls}, ${levels}`
  const spending = `${spent(rows.at(-1).full.spending)} and ${quiet.length === 0 ? "none" : spent(quiet.at(-1).quiet.spending)}`
  const equal = rows.filter((row) => row.full.text === row.quiet.text).length
  console.log(
    `${name.padEnd(12)} ${inFull.toFixed(1).padStart(9)} ms ${again.toFixed(1).padStart(8)} ms   ${(again / inFull).toFixed(2)}   ${spending.padEnd(42)} ${quiet.length}/${rows.length}   ${equal}/${rows.length}`
  )
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
