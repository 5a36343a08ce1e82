/** @internal */

import { Option, Schema } from "effect"
import type { Evidence } from "../domain/Evidence.js"
import { Pool } from "../domain/facts/Pool.js"
import * as Quantity from "../domain/Quantity.js"
import type { ReportSale } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/**
 * The largest sales at a loss of 1, 5 and 10 %, in the deepest pool with reserves on one curve. Null where no sale was shown, no
 * such pool was read, or its fee or the tax was not measured.
 *
 * Of a constant product a sale of x gives g·x·Q / (T + g·x), where g is what fee and tax leave of x, and without a loss it
 * would give x·Q / T. So at a loss of l it is at most T · (1/(1 - l) - 1/g), and gives (1 - l) of its worth.
 *
 * @see https://docs.uniswap.org/contracts/v2/concepts/protocol-overview/how-uniswap-works
 */
export const make = (findings: Findings.Findings): ReportSale | null =>
  Option.getOrNull(
    Option.gen(function* () {
      const pools = yield* Option.fromNullable(Findings.inState(findings, "liquidity.pools", "confirmed"))
      const sellable = yield* Option.fromNullable(Findings.inState(findings, "trade.honeypot", "refuted"))
      const taxed = yield* Option.fromNullable(measured(findings))
      const { sell_tax_bps: tax } = yield* Schema.decodeUnknownOption(Rates)(taxed.value)
      const { pools: found } = yield* Schema.decodeUnknownOption(Pools)(pools.value)
      const deepest = yield* Option.fromNullable(deepestOf(byQuote(found)))
      const [token, quote] = [BigInt(deepest.reserve_token), BigInt(deepest.reserve_quote)]
      const sizes = losses.map((loss) => {
        const amount = largest(
          token,
          loss,
          (whole - (deepest.fee_bps === null ? v2Fee : BigInt(deepest.fee_bps))) * (whole - BigInt(tax))
        )
        return {
          loss_bps: Number(loss),
          amount: Quantity.make(amount),
          receives: Quantity.make((amount * quote * (whole - loss)) / (token * whole))
        }
      })
      const metadata = Findings.inState(findings, "token.metadata-readable", "confirmed")
      const coin = metadata !== undefined && Schema.is(Coin)(metadata.value) ? metadata.value.decimals : undefined
      return {
        ...Sentence.of(
          `in the ${deepest.exchange} ${deepest.quote_symbol} pool ${said(deepest, token, sizes, coin)}, ${costs(taxed, tax)}`,
          [
            pools,
            sellable,
            taxed,
            ...(coin === undefined || metadata === undefined || sizes.every(isNone) ? [] : [metadata])
          ]
        ),
        pool: deepest.address,
        exchange: deepest.exchange,
        quote_symbol: deepest.quote_symbol,
        sizes
      }
    })
  )

/** Pools by how much of their quote they hold, the most first. */
export const byQuote = (pools: ReadonlyArray<Pool>): ReadonlyArray<Pool> =>
  [...pools].sort((a, b) => (BigInt(b.reserve_quote) > BigInt(a.reserve_quote) ? 1 : -1))

/** The first of pools by their quote that has its reserves on one curve. */
export const deepestOf = (pools: ReadonlyArray<Pool>): Pool | undefined =>
  pools.find(({ kind, reserve_token }) => kind === "uniswap-v2" && BigInt(reserve_token) > 0n)

const measured = (findings: Findings.Findings): Evidence | undefined => {
  const item = Findings.one(findings, "trade.taxed")
  return item === undefined || item.state === "unknown" ? undefined : item
}

const Pools = Schema.Struct({ pools: Schema.Array(Pool) })

const Coin = Schema.Struct({ decimals: Schema.NonNegativeInt })

const Rates = Schema.Struct({ sell_tax_bps: Schema.Number.pipe(Schema.int(), Schema.between(0, 10_000)) })

const losses = [100n, 500n, 1_000n]

const whole = 10_000n

// The fee of every Uniswap V2 pair: https://docs.uniswap.org/contracts/v2/concepts/advanced-topics/fees
const v2Fee = 30n

/** `kept` is what fee and tax leave, of 10,000 squared. */
const largest = (token: bigint, loss: bigint, kept: bigint): bigint => {
  const square = whole * whole
  const [top, bottom] = [kept * whole - square * (whole - loss), kept * (whole - loss)]
  return top <= 0n || bottom === 0n ? 0n : (token * top) / bottom
}

const said = (pool: Pool, reserve: bigint, sizes: ReportSale["sizes"], decimals: number | undefined): string => {
  const possible = sizes.filter((size) => !isNone(size))
  if (possible.length === 0) return "every sale loses more than 10 %"
  const parts = possible.map(({ amount, loss_bps, receives }) => {
    const sold =
      decimals === undefined
        ? `${Number((BigInt(amount) * 10_000n) / reserve) / 100} % of its tokens`
        : `about ${Sentence.amount(BigInt(amount), decimals)}`
    const paid = pool.quote_symbol === "WETH" ? ` for ${Sentence.amount(BigInt(receives), 18)} WETH` : ""
    return `${sold}${paid} at a loss of ${loss_bps / 100} %`
  })
  return `the largest sale is ${Sentence.list(parts)}`
}

const isNone = ({ amount }: ReportSale["sizes"][number]): boolean => amount === "0"

/** What a loss is made of. */
const costs = ({ state }: Evidence, tax: number): string =>
  state === "confirmed"
    ? "to the price, the fee and its tax"
    : tax === 0
      ? "to the price and the fee"
      : `to the price, the fee and a tax of ${tax / 100} %`
