import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Address from "../../../src/domain/Address.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as Market from "../../../src/facts/venue/Market.js"
import * as MarketReference from "../../../src/facts/venue/MarketReference.js"
import { book } from "../../EthereumBook.js"
import { pinned, Running, running } from "../SandboxState.js"

describe("MarketReference", () => {
  // https://etherscan.io: the pools of USDC and WETH that everybody knows.
  const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
  const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"

  it("prices a quote by a pool of Uniswap V3 from its square root, whichever token comes first", () => {
    const [uniswap] = Market.of(book).exchanges.filter(({ kind }) => kind === "uniswap-v3")
    if (uniswap === undefined) return assert.fail("no Uniswap V3")
    const quote = { address: usdc, symbol: "USDC", decimals: 6, source: "scripted" } as const
    const pool = { exchange: uniswap, address: Address.zero, fee: 500, quote, reserveWrapped: 1n, reserveQuote: 1n }
    // One of the smallest units of WETH is worth four of the quote's, and the quote's address is the lower one.
    const reference: MarketReference.Reference = {
      wrapped: Option.some(weth),
      dollars: [quote],
      routers: [],
      ours: Option.none(),
      pools: [{ ...pool, price: Option.some((1n << 96n) / 2n) }]
    }
    assert.deepStrictEqual(MarketReference.inWrapped(reference, usdc, 400n), Option.some(100n))
    assert.deepStrictEqual(MarketReference.inQuote(reference, usdc, 100n), Option.some(400n))
    const swapped: MarketReference.Reference = {
      ...reference,
      wrapped: Option.some("0x0000000000000000000000000000000000000001"),
      pools: [{ ...pool, price: Option.some(2n << 96n) }]
    }
    assert.deepStrictEqual(MarketReference.inWrapped(swapped, usdc, 400n), Option.some(100n))
  })

  it("compares dollar tokens at a dollar, whatever a pool says that one of them costs", () => {
    const [uniswap] = Market.of(book).exchanges
    if (uniswap === undefined) return assert.fail("no Uniswap")
    const quote = { address: usdc, symbol: "USDC", decimals: 6, source: "scripted" } as const
    const other = { ...quote, address: "0xdAC17F958D2ee523a2206206994597C13D831ec7", symbol: "USDT" } as const
    const pool = { exchange: uniswap, address: Address.zero, fee: 0, price: Option.none() }
    const reference: MarketReference.Reference = {
      wrapped: Option.some(weth),
      dollars: [quote, other],
      routers: [],
      ours: Option.none(),
      pools: [
        { ...pool, quote, reserveWrapped: 1_000n * 10n ** 18n, reserveQuote: 3_000_000_000_000n },
        { ...pool, quote: other, reserveWrapped: 50n * 10n ** 18n, reserveQuote: 1n }
      ]
    }
    const dollar = Option.some(1_000_000_000n)
    assert.deepStrictEqual(MarketReference.comparable(reference, usdc, 1_000_000n), dollar)
    assert.deepStrictEqual(MarketReference.comparable(reference, other.address, 1_000_000n), dollar)
    assert.deepStrictEqual(MarketReference.comparable(reference, weth, 10n ** 18n), Option.some(3_000_000_000_000n))
    assert.isTrue(
      Option.isNone(MarketReference.comparable(reference, "0x0000000000000000000000000000000000000001", 1n))
    )
    const bare = { ...reference, pools: [] }
    assert.deepStrictEqual(MarketReference.comparable(bare, weth, 7n), Option.some(7n))
    assert.isTrue(Option.isNone(MarketReference.comparable(bare, usdc, 7n)))
  })

  layer(running)("on a chain", (it) => {
    it.effect("price the coin by its deepest pool with a dollar token, and dollars at their word", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const [, { value: reference }] = yield* Effect.flatMap(Pools.Pools, (pools) =>
          pools.inspect(Address.checksum(targets.plain.address))
        )
        const price = Option.getOrThrow(MarketReference.inDollars(reference, weth, 10n ** 18n))
        assert.approximately(price, 3_000, 100)
        assert.deepStrictEqual(MarketReference.inDollars(reference, usdc, 1_500_000n), Option.some(1.5))
        assert.isTrue(Option.isNone(MarketReference.inDollars(reference, targets.plain.address, 1n)))
        const coins = Option.getOrThrow(MarketReference.inWrapped(reference, usdc, 3_000_000_000n))
        assert.approximately(Number(coins) / 1e18, 3_000 / price, 0.001)
        assert.deepStrictEqual(MarketReference.inWrapped(reference, weth, 7n), Option.some(7n))
      }).pipe(Effect.provide(Pools.layer.pipe(Layer.provide(pinned()))))
    )
  })
})
