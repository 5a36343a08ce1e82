import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainState } from "../../src/chain/state/ChainState.js"
import * as Checks from "../../src/checks/Checks.js"
import type { Address } from "../../src/domain/Address.js"
import * as Evmole from "../../src/evm/bytecode/Evmole.js"
import { pinned, Running, running } from "../facts/SandboxState.js"
import * as Facts from "./Facts.js"
import * as Levels from "./Levels.js"

// A scan of events takes a level more where the newest blocks may have such an event, as the sandbox's do: these are read again
// by their hashes.
layer(running)("the dependent levels of an analysis", (it) => {
  const levelsOf = (name: keyof Running["Type"]["targets"]) =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const target = sandbox.targets[name]
      yield* Evmole.load
      const { levels, state } = Levels.counted(yield* ChainState)
      const evidence = yield* Facts.evaluate(Checks.all, {
        kind: target.kind,
        address: target.address as Address,
        chain: { id: sandbox.chainId, name: "sandbox" }
      }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, Layer.succeed(ChainState, state))))
      assert.isAbove(evidence.length, 5)
      return levels()
    }).pipe(Effect.provide(pinned()))

  it.effect("are two for a token that is no proxy, and five with scans of its owner and of those who sign for it", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* levelsOf("plain"), 2)
      assert.strictEqual(yield* levelsOf("safeOwned"), 5)
    })
  )

  it.effect("are at most three for a token behind a proxy or with roles", () =>
    Effect.gen(function* () {
      for (const name of ["uups", "transparent", "usdc", "mintable"] as const) {
        assert.isAtMost(yield* levelsOf(name), 3, name)
      }
      // The code behind a beacon is a hop further, and what it lets its owner do is tried after it was read.
      assert.isAtMost(yield* levelsOf("beacon"), 4, "beacon")
    })
  )

  it.effect("are at most six for a wallet, with a scan of its approvals and a transfer of what it holds", () =>
    Effect.gen(function* () {
      const wallets = [
        "approver",
        "holder",
        "unused",
        "permitted",
        "collector",
        "poisoned",
        "delegated",
        "swept",
        "safeWallet"
      ] as const
      for (const name of wallets) assert.isAtMost(yield* levelsOf(name), 6, name)
      assert.isAtMost(yield* levelsOf("exposed"), 6, "exposed")
    })
  )
})
