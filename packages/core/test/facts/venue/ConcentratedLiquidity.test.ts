import { assert, describe, it } from "@effect/vitest"
import * as ConcentratedLiquidity from "../../../src/facts/venue/ConcentratedLiquidity.js"

const { asPair, near, sqrtPriceAt } = ConcentratedLiquidity

const price = 1n << 96n
const all = { lower: -887_220, upper: 887_220 }

describe("ConcentratedLiquidity", () => {
  it("rounds the price at a tick as Uniswap does", () => {
    assert.strictEqual(sqrtPriceAt(0), price)
    assert.strictEqual(sqrtPriceAt(-887_272), 4_295_128_739n)
    assert.strictEqual(sqrtPriceAt(887_272), 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n)
    for (const tick of [-200_001, -1, 1, 63, 4_096, 524_288])
      assert.approximately(Number((sqrtPriceAt(tick) * 10n ** 24n) >> 96n) / 1e24 / 1.0001 ** (tick / 2), 1, 1e-6)
  })

  it("takes a position over all prices for the pair that it is", () => {
    for (const sides of ["token-first", "quote-first"] as const)
      assert.deepStrictEqual(near(price, sides, { ...all, liquidity: 10n ** 18n }), {
        quote: 5n * 10n ** 17n,
        token: 5n * 10n ** 17n
      })
    assert.strictEqual(asPair({ quote: 5n * 10n ** 17n, token: 0n }), 10n ** 18n)
  })

  it("counts a position below the price as quote and one above as tokens, whichever comes first in the pool", () => {
    const below = { lower: -6_000, upper: -60, liquidity: 10n ** 18n }
    const above = { lower: 60, upper: 6_000, liquidity: 10n ** 18n }
    const falling = near(price, "token-first", below)
    assert.isAbove(Number(falling.quote), 0)
    assert.strictEqual(falling.token, 0n)
    assert.strictEqual(near(price, "token-first", above).quote, 0n)
    assert.strictEqual(near(price, "quote-first", below).quote, 0n)
    assert.isAbove(Number(near(price, "quote-first", above).quote), 0)
  })

  it("counts nothing that is paid only once the token has lost three quarters of its price", () => {
    assert.deepStrictEqual(near(price, "token-first", { lower: -200_000, upper: -14_000, liquidity: 10n ** 30n }), {
      quote: 0n,
      token: 0n
    })
  })
})
