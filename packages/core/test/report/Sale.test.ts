import type { Evidence } from "@assay/core"
import { FastCheck, Option } from "effect"
import { assert, describe, it } from "vitest"
import * as Exit from "../../src/report/Exit.js"
import type * as Findings from "../../src/report/Findings.js"
import * as Accounts from "../../src/report/page/Accounts.js"
import * as Footnotes from "../../src/report/page/Footnotes.js"
import * as Market from "../../src/report/page/Market.js"
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

const shown = (of: Findings.Findings): Market.Shown => ({
  findings: of,
  accounts: Accounts.make([], undefined),
  footnotes: Footnotes.make(
    of.items.map(({ id }) => id),
    of.items
  )
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
          assert.strictEqual(BigInt(receives), paid(sold))
          const slack = quote / 1_000_000n + 10n
          if (sold > 0n) assert.isTrue(paid(sold) + slack >= wanted(sold), `${sold} pays ${paid(sold)}`)
          const more = sold + token / 1_000n
          assert.isTrue(paid(more) <= wanted(more) + slack, `${more} pays ${paid(more)}`)
        }
      })
    )
  })

  it("is a point of the curve that the page draws, with the numbers of the sentence beside it", () => {
    for (const tax of [0, 137, 550, 1_200, 10_000]) {
      const coin = item("token.metadata-readable", "confirmed", { decimals: 18 })
      const found = findings(
        { reserve_token: "123456789012345678901234", reserve_quote: "98765432109876543210" },
        tax,
        [coin]
      )
      const sale = Sale.make(found) ?? assert.fail()
      const { html = "" } = Market.curve(shown(found)) ?? {}
      const line = (/points="([^"]+)"/.exec(html)?.[1] ?? "").split(" ").map((point) => point.split(",").map(Number))
      const dots = [...html.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)] as const)
      const possible = sale.sizes.filter(({ amount }) => amount !== "0")
      assert.lengthOf(dots, possible.length)
      for (const [x, y] of dots) {
        const after = line.findIndex(([end = 0]) => end >= x)
        const [[x0 = 0, y0 = 0] = [], [x1 = 0, y1 = 0] = []] = [line[after - 1], line[after]]
        assert.approximately(y, y0 + ((x - x0) / (x1 - x0)) * (y1 - y0), 0.5, `${tax}: ${x},${y}`)
      }
      for (const { loss_bps } of possible) {
        const [, amount, coins] =
          new RegExp(`([\\d.,]+) for ([\\d.,]+) WETH at a loss of ${loss_bps / 100} %`).exec(sale.text) ?? []
        assert.include(html, `${amount} tokens pay ${coins} WETH, a loss of ${loss_bps / 100} %`)
      }
    }
  })

  it("is drawn without a point where the tax was not measured, as what a sale pays at most", () => {
    const coin = item("token.metadata-readable", "confirmed", { decimals: 18 })
    const { html = "" } = Market.curve(shown(findings({}, null, [coin]))) ?? {}
    assert.include(html, "after the fee; its tax was not measured")
    assert.include(html, "tokens pay at most")
    assert.notInclude(html, "<circle")
  })

  it("is one computation with how far a sale takes the price: that sale is paid less than its worth, and no more than a pair pays", () => {
    const found = findings({}, 300, [item("token.metadata-readable", "confirmed", { decimals: 18 })])
    // 54,173 of 1,000,000 tokens with 3 % less of them arriving, in a pool of 100 WETH with a fee of 0.3 %.
    assert.strictEqual(
      Exit.make(found).depth?.text,
      "About 54,100 tokens (about 4.97 WETH after the fee and a tax of 3 %) can be sold in the Uniswap V2 WETH pool before the price falls by 10 %"
    )
    const market = Option.getOrThrow(Sale.marketOf(found))
    const sold = Number(Sale.untilPriceFalls(market))
    const tokens = Number(market.token)
    assert.approximately(tokens ** 2 / ((tokens + sold) * (tokens + 0.997 * sold)), 0.9, 1e-6)
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
