/*
 * Looks at targets on which nothing happens, again and again, while blocks go by, and tells every change that is found:
 * first over a good endpoint, then over one that fails every tenth call at random. Ends with 1 where there is one that
 * an owner of a watch would be told of.
 *
 *   npm run quiet [-- --checks 1000] [--failing 0.1] [--seed 1]
 */
import { parseArgs } from "node:util"
import {
  Address,
  Analyzer,
  ChainAccess,
  Chains,
  Checks,
  Entropy,
  Executions,
  Keys,
  Quota,
  Storage,
  Transport
} from "@assay/core"
import { RpcFault } from "@assay/core/testing"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"

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
const chain = Chains.make({
  id: sandbox.chainId,
  name: "sandbox",
  endpoints: [sandbox.url],
  addressBook: 1,
  explorer: Option.none()
})
const runtime = ManagedRuntime.make(
  Executions.layer().pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Keys.layer({ dailyQuota: 1_000_000 }),
        Quota.layer(),
        Analyzer.layer(Checks.all).pipe(
          // No retry, so that each failed call is a lost answer.
          Layer.provide(
            ChainAccess.layerTransport({ restAfterFailure: 0, retryDelay: 0, headTtl: 0, probeFailureTtl: 0 })
          ),
          Layer.provideMerge(
            RpcFault.layer.pipe(Layer.provide(Transport.layerHttpClient()), Layer.provide(NodeHttpClient.layerUndici))
          )
        )
      )
    ),
    Layer.provideMerge(Layer.mergeAll(Storage.layerMemory, Entropy.layer))
  )
)
const caller = await runtime.runPromise(
  Effect.gen(function* () {
    const keys = yield* Keys.Keys
    const { key } = yield* keys.create({ label: "quiet", expiresInSeconds: Option.none(), source: Option.none() })
    return yield* keys.authenticate(Redacted.make(key))
  })
)
const look = ({ address, kind }) =>
  runtime.runPromise(
    Effect.either(
      Effect.flatMap(Executions.Executions, (executions) =>
        executions.run({
          caller,
          kind,
          address: Address.checksum(address),
          chain,
          summary: "not_requested",
          compareTo: Option.none()
        })
      )
    )
  )
const replace = (faults) => runtime.runPromise(Effect.flatMap(RpcFault.RpcFault, (service) => service.replace(faults)))

const names = ["plain", "safeOwned", "uups", "usdc", "taxable", "approver", "safeWallet", "safe", "timelock", "diamond"]
const found = { told: 0 }
try {
  for (const [title, faults] of [
    ["a good endpoint", []],
    [`an endpoint that fails ${failing} of its calls`, [{ when: () => random() < failing, kind: "timeout" }]]
  ]) {
    const sum = { checks: 0, failed: 0, unchanged: 0, sight: 0, told: 0 }
    for (const name of names) {
      await replace([])
      await look(sandbox.targets[name])
      await replace(faults)
      for (let check = 0; check < checks / names.length; check++) {
        await sandbox.rpc.call("anvil_mine", ["0x1"])
        const result = await look(sandbox.targets[name])
        sum.checks++
        if (result._tag === "Left") {
          sum.failed++
          continue
        }
        const { changes, text } = result.right.change_report
        if (changes.length === 0) sum.unchanged++
        else if (changes.every((change) => change.kind.startsWith("visibility_"))) sum.sight++
        else {
          sum.told++
          console.log(`${name}, check ${check}: ${text}`)
        }
      }
    }
    console.log(
      `${title}: ${sum.checks} checks, ${sum.unchanged} unchanged, ${sum.sight} out of or in sight only, ${sum.failed} failed, ${sum.told} told a change`
    )
    found.told += sum.told
  }
} finally {
  await runtime.dispose()
  await sandbox.stop()
}
process.exitCode = found.told === 0 ? 0 : 1
