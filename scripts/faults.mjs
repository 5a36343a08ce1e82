/*
 * Fails every JSON-RPC call of every sandbox target in turn, in eight ways, and holds the outcome against the law that a
 * fault only ever takes away (FaultLaw). Prints a line a target and each breach; ends with 1 where there is one.
 *
 *   npm run faults [-- --target honeypot --target usdc] [--kind timeout] [--part 1/4] [--skip 20] [--lenses]
 *
 *   calls     different calls of the undisturbed analysis
 *   cases     those calls, each way that can befall them
 *   runs      analyses that were made; what fails a whole HTTP request fails all calls in it alike, so that one run
 *             stands for as many cases (FaultSweep)
 *   noticed   cases in which the analysis said something else, refused those in which it said that it could say nothing
 *
 * Each read is a call of its own, so that each is lost alone; with --lenses most reads travel in few calls.
 *
 * A part takes every n-th target, so that several processes can share the work; --skip leaves out the first ones of it,
 * so that one that was stopped can go on. The chain stands still and is read once (RpcTape), so that what is measured
 * is the engine. Half of the time would go into collecting garbage that outlives small nurseries:
 * NODE_OPTIONS=--max-semi-space-size=64 helps.
 */
import { parseArgs } from "node:util"
import { Analyzer, Checks, Transport } from "@assay/core"
import { FaultSweep, RpcFault, RpcTape } from "@assay/core/testing"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime } from "effect"
import { sandboxChain } from "./sandboxChain.mjs"

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    kind: { type: "string", multiple: true, default: [...RpcFault.typical] },
    part: { type: "string", default: "1/1" },
    skip: { type: "string", default: "0" },
    lenses: { type: "boolean", default: false }
  }
})

const sandbox = await Sandbox.start()
const chain = sandboxChain(sandbox)
const runtime = ManagedRuntime.make(
  FaultSweep.layer(Checks.all, { lenses: values.lenses }).pipe(
    Layer.provide(RpcTape.layer),
    Layer.provide(Transport.layerHttpClient()),
    Layer.provide(NodeHttpClient.layerUndici)
  )
)

const sweep = ({ address, kind }) =>
  FaultSweep.of(
    Effect.flatMap(Analyzer.Analyzer, (analyzer) => analyzer.analyze({ kind, address, chain })),
    values.kind
  )

const [part, parts] = values.part.split("/").map(Number)
const targets = Object.values(sandbox.targets)
  .filter(({ name }) => values.target === undefined || values.target.includes(name))
  .filter((_, index) => index % parts === part - 1)
  .slice(Number(values.skip))
const figures = ["calls", "cases", "runs", "noticed", "refused"]
const sum = { targets: 0, breaches: 0, ...Object.fromEntries(figures.map((figure) => [figure, 0])) }
console.log(`target                  ${[...figures, "breaches"].map((figure) => figure.padStart(9)).join("")}`)
try {
  for (const target of targets) {
    const found = await runtime.runPromise(sweep(target))
    sum.targets++
    for (const figure of figures) sum[figure] += found[figure]
    sum.breaches += found.breaches.length
    const row = [...figures.map((figure) => found[figure]), found.breaches.length]
    console.log(`${target.name.padEnd(24)}${row.map((figure) => String(figure).padStart(9)).join("")}`)
    for (const breach of found.breaches) console.log(`  ${breach}`)
  }
} finally {
  await runtime.dispose()
  await sandbox.stop()
}
console.log(
  `${sum.targets} targets, every call, each way: ${sum.runs} runs stand for ${sum.cases} cases, of which ${sum.noticed} said something else and ${sum.refused} refused; ${sum.breaches} breaches`
)
process.exitCode = sum.breaches === 0 ? 0 : 1
