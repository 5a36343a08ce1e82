import { ChainAccess, Chains, KindGuess } from "@assay/core"
import { SharedSandbox } from "@assay/sandbox"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, TestClock } from "effect"
import { assert, beforeAll } from "vitest"
import type { Address } from "../../src/domain/Address.js"

const overHttp = KindGuess.layer.pipe(
  Layer.provide(ChainAccess.layerJsonRpc()),
  Layer.provide(NodeHttpClient.layerUndici)
)

describe("KindGuess", () => {
  let sandbox: SharedSandbox.SharedSandbox
  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  const chainAt = (url: string) =>
    Chains.make({ id: sandbox.chainId, name: "sandbox", endpoints: [url], explorer: Option.none() })

  it.live("distinguishes tokens, wallets with and without a delegation, and contracts", () =>
    Effect.gen(function* () {
      const { of } = yield* KindGuess.KindGuess
      const { approver, collectible, diamond, openlyDriven, plain, safe, weth } = sandbox.targets
      const kinds = yield* Effect.forEach(
        [plain, weth, approver, openlyDriven, diamond, collectible, safe],
        ({ address }) => of(address as Address, chainAt(sandbox.url))
      )
      assert.deepStrictEqual(kinds, ["token", "token", "wallet", "wallet", "contract", "contract", "contract"])
    }).pipe(Effect.provide(overHttp))
  )

  it.live("an endpoint that cannot be read is no answer", () =>
    Effect.gen(function* () {
      const { of } = yield* KindGuess.KindGuess
      const failure = yield* Effect.flip(of(sandbox.targets.plain.address as Address, chainAt("http://127.0.0.1:1")))
      assert.deepStrictEqual(
        failure.sources_failed.map(({ name }) => name),
        ["sandbox JSON-RPC"]
      )
    }).pipe(Effect.provide(overHttp))
  )

  it.effect("a chain that hangs is waited for for 30 seconds, by whichever way it is read", () =>
    Effect.gen(function* () {
      const { of } = yield* KindGuess.KindGuess
      const [address, chain] = [sandbox.targets.plain.address as Address, chainAt(sandbox.url)]
      const served = yield* Effect.fork(Effect.flip(of(address, chain)))
      const made = yield* Effect.fork(Effect.flip(KindGuess.make(address, chain, Option.none())))
      yield* TestClock.adjust("30 seconds")
      const errors = [yield* Fiber.join(served), yield* Fiber.join(made)]
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["UpstreamUnavailable", "ChainError"]
      )
      for (const error of errors) assert.strictEqual(error.message, "Endpoint 1 of sandbox did not answer within 30 s.")
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          KindGuess.layer,
          Layer.succeed(ChainAccess.ChainAccess, {
            pin: () => Effect.never
          } as unknown as ChainAccess.ChainAccess["Type"])
        )
      )
    )
  )
})
