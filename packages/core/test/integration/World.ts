import { type Analyzer, Chains, Checks, Transport } from "@assay/core"
import { FaultSweep, type RpcFault, RpcTape } from "@assay/core/testing"
import { Sandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, Option } from "effect"

export type Wire = Layer.Layer<Transport.Transport>

/** The way to the chain. */
export const http: Wire = Layer.provide(Transport.layerHttpClient(), NodeHttpClient.layerUndici)

/** The same for who asks the same many times: the chain is asked once. */
export const tape: Wire = Layer.provide(RpcTape.layer, http)

/** The same to an endpoint that takes one call a request. */
export const single: Wire = Layer.provide(
  Layer.effect(
    Transport.Transport,
    Effect.map(Transport.Transport, ({ post }) => ({
      post: (url: string, body: string) =>
        body.startsWith("[")
          ? Effect.succeed({ status: 400, headers: {}, body: '{"error":"batch requests are not supported"}' })
          : post(url, body)
    }))
  ),
  http
)

/** A sandbox chain of its own, and the engine over it with a fault injector on the wire between them. */
export const start = async (options?: Sandbox.Options) => {
  const sandbox = await Sandbox.start(options)
  const chain = Chains.make({
    id: Sandbox.chainId,
    name: "sandbox",
    endpoints: [sandbox.url],
    explorer: Option.none(),
    addressBook: 1
  })
  const runOver =
    (wire: Wire) =>
    <A, E>(effect: Effect.Effect<A, E, Analyzer.Analyzer | RpcFault.RpcFault>) =>
      Effect.runPromise(Effect.provide(effect, Layer.provide(FaultSweep.layer(Checks.all), wire)))
  return { sandbox, chain, run: runOver(http), runOver }
}

export type World = Awaited<ReturnType<typeof start>>
