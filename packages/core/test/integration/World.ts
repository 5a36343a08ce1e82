import { type Analyzer, Chains, Checks, Transport } from "@assay/core"
import { FaultSweep, RpcFault, RpcTape } from "@assay/core/testing"
import { SharedSandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer, ManagedRuntime, Option } from "effect"

export type Wire = Layer.Layer<Transport.Transport>

/** The way to the chain. */
export const http: Wire = Layer.provide(Transport.layerHttpClient(), NodeHttpClient.layerUndici)

/** The same for repeated reads: each goes to the chain once. */
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

const engineOver = (wire: Wire) => ManagedRuntime.make(Layer.provide(FaultSweep.layer(Checks.all), wire))

/** One engine a wire in this process, so that each code is read once for all tests; of the chain it remembers nothing. */
const engines = new Map<Wire, ReturnType<typeof engineOver>>()

/** The engine over a sandbox chain, with a fault injector on the wire between them. */
export const over = <S extends SharedSandbox.SharedSandbox>(sandbox: S) => {
  const chain = Chains.make({
    id: sandbox.chainId,
    name: "sandbox",
    endpoints: [sandbox.url],
    explorer: Option.none(),
    addressBook: 1
  })
  const runOver =
    (wire: Wire) =>
    <A, E>(effect: Effect.Effect<A, E, Analyzer.Analyzer | RpcFault.RpcFault>): Promise<A> => {
      const engine = engines.get(wire) ?? engineOver(wire)
      engines.set(wire, engine)
      // A test that failed may have left its faults.
      const undisturbed = Effect.flatMap(RpcFault.RpcFault, (faults) => faults.replace([]))
      return engine.runPromise(Effect.zipRight(undisturbed, effect))
    }
  return { sandbox, chain, run: runOver(http), runOver }
}

/** The sandbox chain of this process, as it was built, and the engine over it. */
export const start = async () => over(await SharedSandbox.take())

export type World = Awaited<ReturnType<typeof start>>
