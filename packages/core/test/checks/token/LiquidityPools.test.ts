import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liquidityPools } from "../../../src/checks/token/LiquidityPools.js"
import { address, evidence, pool } from "./Trades.js"

describe("liquidity.pools", () => {
  it.effect("lists the pools with what they hold, deepest first", () =>
    Effect.gen(function* () {
      const pools = [pool(), pool({ address: address("d"), kind: "uniswap-v3", fee_bps: 30 })]
      const [item] = yield* evidence(liquidityPools, { pools })
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, { pools })
    })
  )

  it.effect("is refuted where there are none", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(liquidityPools, {})
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { pools: [] })
    })
  )

  it.effect("does not apply without a covered exchange, nor to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* evidence(liquidityPools, { covered: false }), [])
      assert.deepStrictEqual(yield* evidence(liquidityPools, { standard: "erc721", pools: [pool()] }), [])
    })
  )
})
