import type { Evidence } from "@assay/core"
import { FastCheck } from "effect"
import { assert, describe, it } from "vitest"
import * as Sale from "../../src/report/Sale.js"

const item = (id: string, state: Evidence.Evidence["state"], value: unknown) =>
  ({ id, state, value, detail: "", title: id }) as unknown as Evidence.Evidence

const findings = (pool: object, tax: number | null, items: ReadonlyArray<Evidence.Evidence> = []) => ({
  items: [
    item("liquidity.pools", "confirmed", {
      pools: [
        {
          address: "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc",
          exchange: "Uniswap V2",
          kind: "uniswap-v2",
          fee_bps: null,
          quote: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
          quote_symbol: "WETH",
          reserve_token: "1000000000000000000000000",
          reserve_quote: "100000000000000000000",
          lp_total_supply: "1",
          lp_burned: "0",
          ...pool
        }
      ]
    }),
    item("trade.honeypot", "refuted", {}),
    item("trade.taxed", "refuted", { sell_tax_bps: tax }),
    ...items
  ],
  points: new Map<string, number>(),
  undecided: new Set<string>()
})

describe("The largest sale", () => {
  it("gives back its worth less the loss, and one unit more of a thousandth of the pool gives less", () => {
    const reserve = FastCheck.bigInt({ min: 10n ** 9n, max: 10n ** 30n })
    FastCheck.assert(
      FastCheck.property(reserve, reserve, FastCheck.integer({ min: 0, max: 2_000 }), (token, quote, tax) => {
        const sale = Sale.make(findings({ reserve_token: `${token}`, reserve_quote: `${quote}` }, tax))
        for (const { amount, loss_bps, receives } of sale?.sizes ?? []) {
          const sold = BigInt(amount)
          // What a pair pays: https://docs.uniswap.org/contracts/v2/reference/smart-contracts/library#getamountout
          const paid = (sale: bigint): bigint => {
            const arrived = (sale * BigInt(10_000 - tax)) / 10_000n
            return (arrived * 9_970n * quote) / (token * 10_000n + arrived * 9_970n)
          }
          const wanted = (sale: bigint): bigint => (sale * quote * BigInt(10_000 - loss_bps)) / (token * 10_000n)
          assert.strictEqual(BigInt(receives), wanted(sold))
          const slack = quote / 1_000_000n + 10n
          if (sold > 0n) assert.isTrue(paid(sold) + slack >= wanted(sold), `${sold} pays ${paid(sold)}`)
          const more = sold + token / 1_000n
          assert.isTrue(paid(more) <= wanted(more) + slack, `${more} pays ${paid(more)}`)
        }
      })
    )
  })

  it("is in the reader's words, with what the loss is made of", () => {
    assert.strictEqual(
      Sale.make(findings({}, 0, [item("token.metadata-readable", "confirmed", { decimals: 18 })]))?.text,
      "In the Uniswap V2 WETH pool the largest sale is about 7,090 for 0.702 WETH at a loss of 1 %, about 49,600 for 4.71 WETH at a loss of 5 % and about 108,000 for 9.72 WETH at a loss of 10 %, to the price and the fee"
    )
    assert.match(
      Sale.make(findings({}, 300))?.text ?? "",
      /pool the largest sale is 1.86 % .+ at a loss of 5 % .+ and a tax of 3 %$/
    )
  })

  it("is none where fee and tax alone cost more, and says so", () => {
    const sale = Sale.make(findings({}, 5_000))
    assert.deepStrictEqual(
      sale?.sizes.map(({ amount, receives }) => [amount, receives]),
      [
        ["0", "0"],
        ["0", "0"],
        ["0", "0"]
      ]
    )
    assert.match(sale?.text ?? "", /every sale loses more than 10 %/)
  })

  it("is not said of a token that was not sold, of a tax that was not measured, or of a pool without one curve", () => {
    const whole = findings({}, 0)
    assert.isNotNull(Sale.make(whole))
    for (const [at, state] of [
      ["trade.honeypot", "unknown"],
      ["trade.honeypot", "confirmed"],
      ["trade.taxed", "unknown"],
      ["liquidity.pools", "unknown"]
    ] as const)
      assert.isNull(
        Sale.make({ ...whole, items: whole.items.map((each) => (each.id === at ? { ...each, state } : each)) }),
        `${at} ${state}`
      )
    assert.isNull(Sale.make(findings({}, null)))
    assert.isNull(Sale.make(findings({ kind: "uniswap-v3" }, 0)))
    assert.isNull(Sale.make(findings({ reserve_token: "0" }, 0)))
  })
})
