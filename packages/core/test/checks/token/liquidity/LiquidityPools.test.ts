import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liquidityPools } from "../../../../src/checks/token/liquidity/LiquidityPools.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import { address, evidence, pool, vault } from "../Trades.js"

describe("liquidity.pools", () => {
  it.effect("lists the pools with what they hold, deepest first", () =>
    Effect.gen(function* () {
      const pools = [
        pool({ reserve_quote: Quantity.make(2_000) }),
        pool({ address: address("d"), kind: "uniswap-v3", fee_bps: 30 })
      ]
      const [item] = yield* evidence(liquidityPools, { pools: [...pools].reverse() })
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, { pools, vaults: [] })
    })
  )

  it.effect("is refuted where there are none", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(liquidityPools, {})
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { pools: [], vaults: [] })
    })
  )

  it.effect(
    "is unknown of a token that lies in a vault of pools that are not read alone, or may, and names the vault",
    () =>
      Effect.gen(function* () {
        const [unread] = yield* evidence(liquidityPools, { vaults: [vault(7n)] })
        assert.strictEqual(unread?.state, "unknown")
        assert.include(unread?.detail ?? "", "Uniswap V4 holds 7")
        const [untold] = yield* evidence(liquidityPools, { vaults: [vault(null)] })
        assert.strictEqual(untold?.state, "unknown")
        assert.include(untold?.detail ?? "", "Uniswap V4 may hold some")
        const [both] = yield* evidence(liquidityPools, { pools: [pool()], vaults: [vault(7n)] })
        assert.strictEqual(both?.state, "confirmed")
        assert.deepStrictEqual(both?.value, { pools: [pool()], vaults: [vault(7n)] })
      })
  )

  it.effect("is unknown without a known exchange, and does not apply to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* evidence(liquidityPools, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(liquidityPools, { standard: "erc721", pools: [pool()] }), [])
    })
  )
})
