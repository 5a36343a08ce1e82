import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { liquidityWithdrawn } from "../../../../src/checks/token/liquidity/LiquidityWithdrawn.js"
import type { PoolShares } from "../../../../src/facts/market/Liquidity.js"
import { evidence, shares } from "../Markets.js"
import { address, pool } from "../Trades.js"

const of = (pools: ReadonlyArray<PoolShares>) => evidence(liquidityWithdrawn, { shares: pools })

const emptied = (withdrawn: number, fields: Partial<PoolShares> = {}) => shares({ total: 0n, withdrawn, ...fields })

describe("liquidity.withdrawn", () => {
  it.effect.each([
    [10_000, "confirmed"],
    [5_000, "confirmed"],
    [4_999, "unknown"],
    [0, "unknown"]
  ] as const)("of a pair that everybody left, with %s basis points by insiders, is %s", ([withdrawn, state]) =>
    Effect.gen(function* () {
      const [item] = yield* of([emptied(withdrawn)])
      assert.deepStrictEqual([item?.id, item?.state], [`liquidity.withdrawn:${address("b")}`, state])
      assert.strictEqual(item?.severity, "critical")
    })
  )

  it.effect("is unknown where not every event of the pair was read", () =>
    Effect.gen(function* () {
      const [item] = yield* of([emptied(10_000, { insidersGap: "log_range_limited" })])
      assert.deepStrictEqual([item?.state, item?.reason], ["unknown", "log_range_limited"])
    })
  )

  it.effect("does not apply while another pool has liquidity, nor where none was emptied", () =>
    Effect.gen(function* () {
      const other = shares({ pool: pool({ address: address("d") }) })
      assert.deepStrictEqual(yield* of([emptied(10_000), other]), [])
      assert.deepStrictEqual(yield* of([other]), [])
      assert.deepStrictEqual(yield* of([]), [])
    })
  )
})
