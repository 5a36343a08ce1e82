import { Sandbox } from "@assay/sandbox"
import { FetchHttpClient } from "@effect/platform"
import { Context, Effect, Layer, Option } from "effect"
import * as ChainAccess from "../../src/chain/ChainAccess.js"
import { ChainState } from "../../src/chain/ChainState.js"
import type { Chain } from "../../src/chain/Chains.js"

/** A sandbox of this test file's own, ended with the scope. */
export class Running extends Context.Tag("@assay/core/test/Running")<Running, Sandbox.Sandbox>() {}

export const running = Layer.scoped(
  Running,
  Effect.acquireRelease(
    Effect.promise(() => Sandbox.start()),
    (sandbox) => Effect.promise(() => sandbox.stop())
  )
)

export const chainOf = (sandbox: Sandbox.Sandbox, addressBook = 1): Chain => ({
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
