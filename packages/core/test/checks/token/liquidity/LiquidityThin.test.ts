import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { liquidityThin } from "../../../../src/checks/token/liquidity/LiquidityThin.js"
import type { PoolPositions } from "../../../../src/facts/market/LiquidityPositions.js"
import type * as Pools from "../../../../src/facts/market/Pools.js"
import type { ReferencePool } from "../../../../src/facts/venue/MarketReference.js"
import { evidence, inspected, lost, said, weth } from "../Markets.js"
import { address, pool, vault } from "../Trades.js"

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
      assert.deepStrictEqual(item?.value, { complete: true, depth_usd: 90_000, market_value_usd: 9_090_000, pools: 1 })
      assert.deepStrictEqual(
        yield* said(liquidityThin, { inspected: [inspected(1n, 34n * ether)], reference, supply: 101n }),
        ["refuted"]
      )
    })
  )

  it.effect("is not confirmed where a tenth as much of the token lies in a vault of pools that are not read", () =>
    Effect.gen(function* () {
      const thin = { inspected: [inspected(500n, 3n * ether)], reference, supply: 1_000n }
      assert.deepStrictEqual(yield* said(liquidityThin, { ...thin, vaults: [vault(50n)] }), ["confirmed medium"])
      assert.deepStrictEqual(yield* said(liquidityThin, { ...thin, vaults: [vault(51n)] }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* said(liquidityThin, { ...thin, vaults: [vault(null)] }), ["unknown: inconclusive"])
      const deep = { ...thin, inspected: [inspected(500n, 4n * ether)] }
      assert.deepStrictEqual(yield* said(liquidityThin, { ...deep, vaults: [vault(500n)] }), ["refuted"])
      assert.deepStrictEqual(yield* said(liquidityThin, { reference, vaults: [vault(1n)] }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* said(liquidityThin, { reference }), ["confirmed high"])
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

  describe("of a pool of Uniswap V3", () => {
    // At a price of one, four ether of liquidity are four ether of either side.
    const base = inspected(500n, 100n * ether)
    const holding = (liquidity: bigint): Pools.Inspected => ({
      ...base,
      pool: { ...base.pool, kind: "uniswap-v3" },
      price: Option.some(1n << 96n),
      liquidity: Option.some(liquidity)
    })
    const positions = (depth: Option.Option<bigint>): PoolPositions => ({
      pool: pool().address,
      total: 100n * ether,
      depth,
      burned: 0n,
      held: [],
      locks: [],
      unrecorded: [],
      insidersGap: null,
      locksGap: null
    })

    it.effect("counts what it pays near its price, and nothing that is parked beside it", () =>
      Effect.gen(function* () {
        for (const [depth, says] of [
          [3n * ether, "confirmed medium"],
          [4n * ether, "refuted"]
        ] as const)
          assert.deepStrictEqual(
            yield* said(liquidityThin, {
              inspected: [holding(ether)],
              positions: [positions(Option.some(depth))],
              reference
            }),
            [says]
          )
      })
    )

    it.effect("is unknown where what lies beside the price would decide and was not found", () =>
      Effect.gen(function* () {
        for (const missing of [[], [positions(Option.none())], lost("rate_limited")] as const)
          assert.deepStrictEqual(
            yield* said(liquidityThin, { inspected: [holding(3n * ether)], positions: missing, reference }),
            [Array.isArray(missing) ? "unknown: inconclusive" : "unknown: rate_limited"]
          )
      })
    )
  })

  it.effect("weighs as much without a pool as with an empty one, unless a vault has what was not read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(liquidityThin, { reference }), ["confirmed high"])
      assert.deepStrictEqual(yield* said(liquidityThin, { reference, inspected: [inspected(0n, 0n)] }), [
        "confirmed high"
      ])
      assert.deepStrictEqual(yield* said(liquidityThin, { reference, vaults: [vault(1n)] }), ["unknown: inconclusive"])
    })
  )

  it.effect("is unknown without known exchanges or dollars, and does not apply to a collection", () =>
    Effect.gen(function* () {
      const some = [inspected(500n, ether)]
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: some }), ["unknown: inconclusive"])
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: some, reference, covered: false }), [
        "unknown: inconclusive"
      ])
      assert.deepStrictEqual(yield* said(liquidityThin, { inspected: some, reference, standard: "erc721" }), [])
      assert.strictEqual(weth, some[0]?.pool.quote)
    })
  )
})
