import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { liquidityThin } from "../../../src/checks/token/LiquidityThin.js"
import type { ReferencePool } from "../../../src/facts/MarketReference.js"
import { evidence, inspected, lost, said, weth } from "./Markets.js"
import { address } from "./Trades.js"

const usd = { address: address("9"), symbol: "USDC", decimals: 6, source: "scripted" }
const ether = 10n ** 18n

/** A coin of 3,000 dollars. */
const reference = {
  dollars: [usd],
  pools: [
    {
      exchange: inspected(1n, 1n).exchange,
      address: address("8"),
      quote: usd,
      fee: 0,
      reserveWrapped: 1_000n * ether,
      reserveQuote: 3_000_000_000_000n,
      price: Option.none()
    } satisfies ReferencePool
  ]
}

describe("liquidity.thin", () => {
  it.effect.each([
    [3n, "confirmed medium"],
    [4n, "refuted"]
  ] as const)("of %s coins of 3,000 dollars is %s", ([coins, says]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* said(liquidityThin, { inspected: [inspected(500n, coins * ether)], reference, supply: 1_000n }),
        [says]
      )
    })
  )

  it.effect("is low where it is little beside what the supply is worth", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(liquidityThin, {
        inspected: [inspected(1n, 30n * ether)],
        reference,
        supply: 101n
      })
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "low")
      assert.deepStrictEqual(item?.value, { depth_usd: 90_000, market_value_usd: 9_090_000, pools: 1 })
      assert.deepStrictEqual(
        yield* said(liquidityThin, { inspected: [inspected(1n, 34n * ether)], reference, supply: 101n }),
        ["refuted"]
      )
    })
  )

  it.effect("adds up all pools, those with dollars at their word", () =>
    Effect.gen(function* () {
      const dollars = inspected(1n, 6_000_000_000n)
      const [item] = yield* evidence(liquidityThin, {
        inspected: [
          inspected(500n, 2n * ether),
          { ...dollars, pool: { ...dollars.pool, address: address("7"), quote: usd.address } }
        ],
        reference
      })
      assert.strictEqual(item?.state, "refuted")
      assert.deepInclude(item?.value as object, { depth_usd: 12_000, pools: 2 })
    })
  )

  it.effect("is unknown where the coin has no price, unless enough has one", () =>
    Effect.gen(function* () {
      const bare = { dollars: [usd], pools: [] }
      assert.deepStrictEqual(
        yield* said(liquidityThin, { inspected: [inspected(500n, 100n * ether)], reference: bare }),
        ["unknown: inconclusive"]
      )
      const rich = inspected(1n, 10_000_000_000_000n)
      assert.deepStrictEqual(
        yield* said(liquidityThin, {
          inspected: [
            inspected(500n, 100n * ether),
            { ...rich, pool: { ...rich.pool, address: address("7"), quote: usd.address } }
          ],
          reference: bare
        }),
        ["refuted"]
      )
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: lost("rpc_error"), reference }), [
        "unknown: rpc_error"
      ])
    })
  )

  it.effect("does not apply without a pool, without known exchanges or dollars, or to a collection", () =>
    Effect.gen(function* () {
      const some = [inspected(500n, ether)]
      assert.deepStrictEqual(yield* said(liquidityThin, { reference }), [])
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: some }), [])
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: some, reference, covered: false }), [])
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: some, reference, standard: "erc721" }), [])
      assert.strictEqual(weth, some[0]?.pool.quote)
    })
  )
})
