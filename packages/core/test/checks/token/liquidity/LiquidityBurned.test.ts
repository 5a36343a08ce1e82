import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liquidityBurned } from "../../../../src/checks/token/liquidity/LiquidityBurned.js"
import type { Pool } from "../../../../src/domain/facts/Pool.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import { address, evidence, pool } from "../Trades.js"

const of = (pools: ReadonlyArray<Pool>) => evidence(liquidityBurned, { pools })

const burned = (amount: number) => pool({ lp_total_supply: Quantity.make(101_000), lp_burned: Quantity.make(amount) })

describe("liquidity.burned", () => {
  it.effect.each([
    [101_000, "confirmed", 10_000],
    [96_000, "confirmed", 9_500],
    [95_999, "refuted", 9_499],
    [1_000, "refuted", 0],
    [0, "refuted", 0]
  ] as const)("of %s of 101000 units is %s", ([amount, state, share]) =>
    Effect.gen(function* () {
      const [item] = yield* of([burned(amount)])
      assert.strictEqual(item?.id, `liquidity.burned:${address("b")}`)
      assert.strictEqual(item?.state, state)
      assert.deepStrictEqual(item?.value, { burned_bps: share, quote: address("c"), reserve_quote: "1000" })
    })
  )

  it.effect("is an item of each pair that holds anything, and of no pool without LP tokens", () =>
    Effect.gen(function* () {
      const items = yield* of([
        burned(101_000),
        pool({ address: address("d"), kind: "uniswap-v3", lp_total_supply: null, lp_burned: null }),
        pool({ address: address("e"), reserve_quote: Quantity.make(0) }),
        { ...burned(0), address: address("f") }
      ])
      assert.deepStrictEqual(
        items.map((item) => [item.id, item.state]),
        [
          [`liquidity.burned:${address("b")}`, "confirmed"],
          [`liquidity.burned:${address("f")}`, "refuted"]
        ]
      )
    })
  )

  it.effect("is unknown where the pair did not say who holds its liquidity", () =>
    Effect.gen(function* () {
      for (const lost of [{ lp_burned: null }, { lp_total_supply: null }]) {
        const [item] = yield* of([pool(lost)])
        assert.strictEqual(item?.state, "unknown")
        assert.strictEqual(item?.id, `liquidity.burned:${address("b")}`)
      }
    })
  )

  it.effect("does not apply without a pool", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of([]), [])
    })
  )
})
