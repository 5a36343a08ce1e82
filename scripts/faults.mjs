/*
 * Fails every JSON-RPC call of every sandbox target in turn, in eight ways, and holds the outcome against the law that a
 * fault only ever takes away (FaultLaw). Prints a line a target and each breach; ends with 1 where there is one.
 *
 *   npm run faults [-- --target honeypot --target usdc] [--kind timeout] [--part 1/4]
 *
 * A part takes every n-th target, so that several processes can share the work. The chain stands still and is asked once
 * (RpcTape), so that what is measured is the engine.
 */
import { parseArgs } from "node:util"
import { Analyzer, ChainAccess, Chains, Checks, Transport } from "@assay/core"
import { FaultLaw, RpcFault, RpcTape } from "@assay/core/testing"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Either, Layer, ManagedRuntime, Option } from "effect"

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    kind: { type: "string", multiple: true, default: [...RpcFault.typical] },
    part: { type: "string", default: "1/1" }
  }
})

const sandbox = await Sandbox.start()
const chain = Chains.make({
  id: sandbox.chainId,
  name: "sandbox",
  endpoints: [sandbox.url],
  addressBook: 1,
  explorer: Option.none()
})
const wire = RpcFault.layer.pipe(
  Layer.provide(RpcTape.layer),
  Layer.provide(Transport.layerHttpClient()),
  Layer.provide(NodeHttpClient.layerUndici)
)
const runtime = ManagedRuntime.make(
  Analyzer.layer(Checks.all).pipe(
    // Neither rests, waits nor remembers, so that each analysis asks everything and no fault outlives its own.
    Layer.provide(
      ChainAccess.layerTransport({ restAfterFailure: 0, retryDelay: 0, headTtl: 0, probeTtl: 0, probeFailureTtl: 0 })
    ),
    Layer.provideMerge(wire)
  )
)

const faultsOf = ({ address, kind }) =>
  Effect.gen(function* () {
    const analyzer = yield* Analyzer.Analyzer
    const faults = yield* RpcFault.RpcFault
    const analyze = Effect.either(analyzer.analyze({ kind, address, chain }))
    yield* faults.replace([])
    yield* faults.forget
    const whole = Either.getOrThrow(yield* analyze)
    const methods = new Map((yield* faults.seen).map((call) => [call.key, call.method]))
    const found = { calls: methods.size, tried: 0, noticed: 0, refused: 0, breaches: [] }
    for (const fault of values.kind) {
      for (const [key, method] of methods) {
        if (!RpcFault.befalls(fault, method)) continue
        yield* faults.replace([{ when: (call) => call.key === key, kind: fault }])
        yield* faults.forget
        const outcome = yield* analyze
        found.tried++
        if (Either.isLeft(outcome)) {
          found.refused++
          if (outcome.left._tag !== "UpstreamUnavailable")
            found.breaches.push(`${fault} of ${key}: ${outcome.left._tag}`)
          continue
        }
        if (outcome.right.content_hash !== whole.content_hash) found.noticed++
        for (const breach of FaultLaw.violations(whole, outcome.right))
          found.breaches.push(`${fault} of ${key.slice(0, 240)}: ${breach}`)
      }
    }
    return found
  })

const [part, parts] = values.part.split("/").map(Number)
const targets = Object.values(sandbox.targets)
  .filter(({ name }) => values.target === undefined || values.target.includes(name))
  .filter((_, index) => index % parts === part - 1)
const sum = { targets: 0, calls: 0, tried: 0, noticed: 0, refused: 0, breaches: 0 }
console.log("target                     calls   tried  noticed  refused  breaches")
try {
  for (const target of targets) {
    const found = await runtime.runPromise(faultsOf(target))
    sum.targets++
    for (const name of ["calls", "tried", "noticed", "refused"]) sum[name] += found[name]
    sum.breaches += found.breaches.length
    const row = [found.calls, found.tried, found.noticed, found.refused, found.breaches.length]
    console.log(`${target.name.padEnd(24)}${row.map((figure) => String(figure).padStart(8)).join(" ")}`)
    for (const breach of found.breaches) console.log(`  ${breach}`)
  }
} finally {
  await runtime.dispose()
  await sandbox.stop()
}
console.log(
  `${sum.targets} targets, ${sum.tried} analyses with one call failed: ${sum.noticed} said less, ${sum.refused} refused, ${sum.breaches} breaches`
)
process.exitCode = sum.breaches === 0 ? 0 : 1
