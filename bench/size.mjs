import { parseArgs } from "node:util"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { Analyzer, ChainAccess, Checks, Executions, Id, Quota, RecipeSet, ResultView, Storage } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { sandboxChain } from "../scripts/sandboxChain.mjs"

/** How large results are: main.mjs says what the figures mean. */
export const size = async (args) => {
  const { values } = parseArgs({
    args,
    options: { target: { type: "string", multiple: true, default: ["plain", "usdc", "approver"] } }
  })
  const sandbox = await Sandbox.start()
  const engine = Executions.layer().pipe(
    Layer.provide([Analyzer.layer(Checks.all), Quota.layer()]),
    Layer.provide([ChainAccess.layerJsonRpc(), Storage.layerMemory]),
    Layer.provide(NodeHttpClient.layerUndici)
  )
  const runtime = ManagedRuntime.make(engine)
  try {
    const chain = sandboxChain(sandbox)
    const caller = { id: await Effect.runPromise(Id.make("key")), dailyQuota: 1_000, source: Option.none() }
    console.log("size: bytes of JSON as it is served, gzip, brotli (both at level 6 or 5, as the server compresses)")
    for (const name of values.target) {
      const { address, kind } = sandbox.targets[name]
      const request = { caller, kind, address, chain, summary: "not_requested", compareTo: Option.none() }
      const full = await runtime.runPromise(Effect.flatMap(Executions.Executions, (use) => use.run(request)))
      console.log(`${name} (${kind})`)
      print("light", ResultView.light(full))
      print("full", full)
      print("recipes", RecipeSet.make(full.recipes))
    }
  } finally {
    await runtime.dispose()
    await sandbox.stop()
  }
}

const print = (label, document) => {
  const bytes = Buffer.from(JSON.stringify(document))
  const figures = [bytes, gzipSync(bytes, { level: 6 }), brotliCompressSync(bytes, quality)]
  console.log(`  ${label.padEnd(8)}${figures.map(({ length }) => String(length).padStart(9)).join("")}`)
}

// BROTLI_PARAM_QUALITY is 1.
const quality = { params: { 1: 5 } }
