import { Analyzer, ChainAccess, Chains, Checks, Transport } from "@assay/core"
import { RpcFault, RpcTape } from "@assay/core/testing"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"

const http = Transport.layerHttpClient().pipe(Layer.provide(NodeHttpClient.layerUndici))

/** The engine over a sandbox chain of its own, with a fault injector on the wire between them. */
export const start = () => startOver(http)

/** The same for who asks the same many times: the chain is asked once. */
export const startOnTape = () => startOver(Layer.provide(RpcTape.layer, http))

const startOver = async (transport: Layer.Layer<Transport.Transport>) => {
  const sandbox = await Sandbox.start()
  const chain = Chains.make({
    id: Sandbox.chainId,
    name: "sandbox",
    endpoints: [sandbox.url],
    explorer: Option.none(),
    addressBook: 1
  })
  const engine = Analyzer.layer(Checks.all).pipe(
    // Neither rests, waits nor remembers, so that each analysis asks everything and no fault outlives its own.
    Layer.provide(
      ChainAccess.layerTransport({ restAfterFailure: 0, retryDelay: 0, headTtl: 0, probeTtl: 0, probeFailureTtl: 0 })
    ),
    Layer.provideMerge(Layer.provide(RpcFault.layer, transport))
  )
  const run = <A, E>(effect: Effect.Effect<A, E, Analyzer.Analyzer | RpcFault.RpcFault>) =>
    Effect.runPromise(Effect.provide(effect, engine))
  return { sandbox, chain, run }
}

export type World = Awaited<ReturnType<typeof start>>
