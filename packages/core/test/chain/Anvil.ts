import { Anvil, JsonRpc } from "@assay/sandbox"
import { Effect } from "effect"

/** A fresh local node without any contract, stopped with the scope: its URL and a way to call it that is not the engine's. */
export const anvil = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => Anvil.start()),
    ({ stop }) => Effect.promise(stop)
  ),
  ({ url }) => ({ url, rpc: JsonRpc.make(url).call })
)
