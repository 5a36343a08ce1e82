import { SharedSandbox } from "@assay/sandbox"
import { FetchHttpClient } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import type { Chain } from "../../src/chain/Chains.js"
import { ChainState } from "../../src/chain/state/ChainState.js"

/** The sandbox of this process, as it was built. */
export class Running extends Context.Tag("@assay/core/test/Running")<Running, SharedSandbox.SharedSandbox>() {}

export const running = Layer.effect(
  Running,
  Effect.promise(() => SharedSandbox.take())
)

export const chainOf = (sandbox: SharedSandbox.SharedSandbox, addressBook = 1): Chain => ({
  id: sandbox.chainId,
  name: "sandbox",
  shortName: "sandbox",
  endpoints: [sandbox.url],
  explorer: Option.none(),
  addressBook
})

/** The newest block of the sandbox, as an analysis would see it. */
export const pinned = (options: { readonly addressBook?: number } = {}) =>
  Layer.scoped(
    ChainState,
    Effect.gen(function* () {
      const sandbox = yield* Running
      const access = yield* ChainAccess.ChainAccess
      return yield* access.pin({ chain: chainOf(sandbox, options.addressBook), block: Option.none(), maxCalls: 400 })
    })
  ).pipe(Layer.provide(ChainAccess.layerJsonRpc().pipe(Layer.provide(FetchHttpClient.layer))))
