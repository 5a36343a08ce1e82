import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import * as ChainBook from "../../src/chain/ChainBook.js"
import * as Part from "../../src/runtime/Part.js"

describe("ChainBook", () => {
  it.effect("has the addresses of a chain and its listed tokens, found in any case", () =>
    Effect.gen(function* () {
      const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
      const ethereum = yield* ChainBook.of(1)
      const found = Option.getOrThrow(ethereum.addresses)
      assert.strictEqual(found.wrappedNative.symbol, "WETH")
      assert.deepInclude(Option.getOrThrow(ChainBook.findListed(ethereum, usdc)), { chainId: 1, symbol: "USDC" })
      assert.isTrue(ChainBook.isListed(ethereum, usdc.toUpperCase().replace("0X", "0x")))
      assert.isFalse(ChainBook.isListed(yield* ChainBook.of(10), usdc))
    })
  )

  it.effect(
    "is empty of a chain that nothing is known about, and has tokens alone where the address book has no row",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* ChainBook.of(31_337), { addresses: Option.none(), listed: [] })
        const { addresses, listed } = yield* ChainBook.of(42_220)
        assert.isTrue(Option.isNone(addresses))
        assert.isNotEmpty(listed)
      })
  )

  it.effect("that was loaded before takes no turn of the event loop", () =>
    Effect.gen(function* () {
      yield* ChainBook.of(56)
      assert.isTrue(Exit.isSuccess(Effect.runSyncExit(ChainBook.of(56))))
    })
  )

  it.effect("that cannot be loaded is never taken for an empty one", () =>
    Effect.gen(function* () {
      const offline = () => Promise.reject(new Error("offline"))
      const exit = yield* Effect.exit(Effect.provideService(ChainBook.of(1), ChainBook.Loader, offline))
      assert.deepStrictEqual(exit, Exit.die(new Part.PartUnavailable({ part: "what is known about chain 1" })))
    })
  )
})
