/*
 * Looks at targets on which nothing happens, again and again, while blocks go by, and prints every change that is
 * found: first over a good endpoint, then over one that fails every tenth call at random. Ends with 1 where there is
 * one that would be reported to an owner of a watch.
 *
 *   npm run quiet [-- --checks 1000] [--failing 0.1] [--seed 1]
 */
import { parseArgs } from "node:util"
import { Address, Analyzer, ChainAccess, Checks, Transport } from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Sandbox } from "@assay/sandbox"
import { Lookout } from "@assay/worlds"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime } from "effect"
import { sandboxChain } from "./sandboxChain.mjs"

const { values } = parseArgs({
  options: {
    checks: { type: "string", default: "1000" },
    failing: { type: "string", default: "0.1" },
    seed: { type: "string", default: "1" }
  }
})
const [checks, failing] = [Number(values.checks), Number(values.failing)]

// mulberry32: small, seeded, good enough to choose calls.
let state = Number(values.seed) >>> 0
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0
  let t = Math.imul(state ^ (state >>> 15), state | 1)
  t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

const sandbox = await Sandbox.start()
const chain = sandboxChain(sandbox)
const runtime = ManagedRuntime.make(
  Lookout.layer(chain).pipe(
    Layer.provide(Analyzer.layer(Checks.all)),
    // Nothing is waited for, and no failure is remembered.
    Layer.provide(ChainAccess.layerTransport({ restAfterFailure: 0, retryDelay: 0, headTtl: 0, probeFailureTtl: 0 })),
    Layer.provideMerge(RpcFault.layer),
    Layer.provide(Transport.layerHttpClient()),
    Layer.provide(NodeHttpClient.layerUndici)
  )
)
const replace = (faults) => Effect.flatMap(RpcFault.RpcFault, (service) => service.replace(faults))

const names = ["plain", "safeOwned", "uups", "usdc", "taxable", "approver", "safeWallet", "safe", "timelock", "diamond"]
const found = { told: 0 }
try {
  for (const [title, faults] of [
    ["a good endpoint", []],
    [`an endpoint that fails ${failing} of its calls`, [{ when: () => random() < failing, kind: "timeout" }]]
  ]) {
    const sum = { looks: 0, unchanged: 0, hidden: 0, failed: 0, told: 0 }
    // The first look at a target is undisturbed, so that there is something to compare with.
    const meanwhile = Effect.zipRight(
      replace(faults),
      Effect.promise(() => sandbox.rpc.call("anvil_mine", ["0x1"]))
    )
    for (const name of names) {
      const { address, kind } = sandbox.targets[name]
      const target = { kind, address: Address.checksum(address) }
      const looks = Math.ceil(checks / names.length)
      const { told, ...rest } = await runtime.runPromise(
        Effect.zipRight(replace([]), Lookout.quiet(target, { looks, meanwhile }))
      )
      for (const [figure, count] of Object.entries(rest)) sum[figure] += count
      sum.told += told.length
      for (const text of told) console.log(`${name}: ${text}`)
    }
    console.log(
      `${title}: ${sum.looks} checks, ${sum.unchanged} unchanged, ${sum.hidden} out of or in sight only, ${sum.failed} failed, ${sum.told} told a change`
    )
    found.told += sum.told
  }
} finally {
  await runtime.dispose()
  await sandbox.stop()
}
process.exitCode = found.told === 0 ? 0 : 1
