import { parseArgs } from "node:util"
import { Analyzer, ChainAccess, Checks } from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Layer, ManagedRuntime } from "effect"
import { median } from "../scripts/quantiles.mjs"
import { sandboxChain } from "../scripts/sandboxChain.mjs"

/** What the second analysis of the same codes costs, beside the first one: main.mjs says what the figures mean. */
export const repeated = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: "string", default: "15" },
      target: { type: "string", multiple: true, default: ["plain", "usdc"] }
    }
  })
  const sandbox = await Sandbox.start()
  const chain = sandboxChain(sandbox)
  // An engine keeps what it read of codes; each round has one of its own, on the same chain access.
  const access = ManagedRuntime.make(
    ChainAccess.layerJsonRpc({ headTtl: "1 hour" }).pipe(Layer.provide(NodeHttpClient.layerUndici))
  )
  const measure = async (runtime, { address, kind }) => {
    const analyzer = await runtime.runPromise(Analyzer.Analyzer)
    const cpu = process.cpuUsage()
    await runtime.runPromise(analyzer.analyze({ kind, address, chain }))
    const { system, user } = process.cpuUsage(cpu)
    return (system + user) / 1_000
  }
  try {
    const chains = await access.runPromise(ChainAccess.ChainAccess)
    const round = async (target) => {
      const runtime = ManagedRuntime.make(
        Layer.provide(Analyzer.layer(Checks.all), Layer.succeed(ChainAccess.ChainAccess, chains))
      )
      const first = await measure(runtime, target)
      const second = await measure(runtime, target)
      await runtime.dispose()
      return { first, second }
    }
    console.log(`repeated: ${values.rounds} engines each, CPU of the first analysis and of the second, medians\n`)
    for (const name of values.target) {
      const target = sandbox.targets[name]
      // A server runs compiled code.
      for (let run = 0; run < 20; run++) await round(target)
      const rounds = []
      for (let run = 0; run < Number(values.rounds); run++) rounds.push(await round(target))
      const [first, second, share] = [(one) => one.first, (one) => one.second, (one) => one.second / one.first].map(
        (figure) => median(rounds.map(figure))
      )
      console.log(
        `  ${name.padEnd(9)} first ${first.toFixed(1)} ms, second ${second.toFixed(1)} ms, × ${share.toFixed(2)}`
      )
    }
  } finally {
    await access.dispose()
    await sandbox.stop()
  }
}
