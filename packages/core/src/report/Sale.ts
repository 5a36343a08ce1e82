/** @internal */

import { Option, Schema } from "effect"
import type { Evidence } from "../domain/Evidence.js"
import { Pool } from "../domain/facts/Pool.js"
import * as Quantity from "../domain/Quantity.js"
import type { ReportSale } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/** The deepest pool of constant product in which a token was sold, and what a sale there costs beside its price. */
export interface Market {
  readonly pool: Pool
  readonly token: bigint
  readonly quote: bigint
  /** Of 10,000, as the tax; null where that was not measured. */
  readonly fee: bigint
  readonly tax: bigint | null
  readonly pools: Evidence
  readonly sellable: Evidence
  /** The item of the tax, where it was measured. */
  readonly taxed: Evidence | undefined
}

/** None where no sale was shown, or no such pool was read. Everything that a report says of the size of a sale is of it. */
export const marketOf = (findings: Findings.Findings): Option.Option<Market> =>
  Option.gen(function* () {
    const pools = yield* Option.fromNullable(Findings.inState(findings, "liquidity.pools", "confirmed"))
    const sellable = yield* Option.fromNullable(Findings.inState(findings, "trade.honeypot", "refuted"))
    const { pools: found } = yield* Schema.decodeUnknownOption(Pools)(pools.value)
    const pool = yield* Option.fromNullable(deepestOf(byQuote(found)))
    const item = measured(findings)
    const tax = Option.map(Schema.decodeUnknownOption(Rates)(item?.value), (rates) => BigInt(rates.sell_tax_bps))
    return {
      pool,
      token: BigInt(pool.reserve_token),
      quote: BigInt(pool.reserve_quote),
      fee: pool.fee_bps === null ? v2Fee : BigInt(pool.fee_bps),
      tax: Option.getOrNull(tax),
      pools,
      sellable,
      taxed: Option.isSome(tax) ? item : undefined
    }
  })

/**
 * What a sale pays: the tax goes first, then the fee, and both are rounded down as a pair does. At most that, where the tax
 * was not measured.
 *
 * @see https://docs.uniswap.org/contracts/v2/reference/smart-contracts/library#getamountout
 */
export const paid = (
  { fee, quote, tax, token }: Pick<Market, "fee" | "quote" | "tax" | "token">,
  sold: bigint
): bigint => {
  const kept = ((sold * (whole - (tax ?? 0n))) / whole) * (whole - fee)
  return (kept * quote) / (token * whole + kept)
}

/**
 * The largest sale at a loss of so many basis points, 0 where fee and tax lose more.
 *
 * Of a constant product a sale of x gives g·x·Q / (T + g·x), where g is what fee and tax leave of x, and without a loss it
 * would give x·Q / T. So at a loss of l it is at most T · (1/(1 - l) - 1/g), and gives (1 - l) of its worth.
 *
 * @see https://docs.uniswap.org/contracts/v2/concepts/protocol-overview/how-uniswap-works
 */
const largest = ({ fee, tax, token }: Market, loss: bigint): bigint => {
  const kept = (whole - fee) * (whole - (tax ?? 0n))
  const square = whole * whole
  const [top, bottom] = [kept * whole - square * (whole - loss), kept * (whole - loss)]
  return top <= 0n || bottom === 0n ? 0n : (token * top) / bottom
}

/**
 * How many tokens bring the price to nine tenths. With the fee f left in the pool, the price is T² / ((T + x)·(T + (1 - f)·x))
 * of what it was.
 */
export const untilPriceFalls = ({ fee, token }: Market): bigint => {
  const kept = Number(whole - fee) / Number(whole)
  if (kept <= 0) return 0n
  const root = Math.sqrt((1 + kept) ** 2 + 4 * kept * (1 / 0.9 - 1))
  return (token * BigInt(Math.floor(((root - 1 - kept) / (2 * kept)) * 1e10))) / 10_000_000_000n
}

/** The largest sales at a loss of 1, 5 and 10 %; none where the tax was not measured. */
export const sizesOf = (market: Market): ReportSale["sizes"] =>
  market.tax === null
    ? []
    : losses.map((loss) => {
        const amount = largest(market, loss)
        return { loss_bps: Number(loss), amount: Quantity.make(amount), receives: Quantity.make(paid(market, amount)) }
      })

/** The largest sales in the market of a token. Null where there is none, or the tax was not measured. */
export const make = (findings: Findings.Findings): ReportSale | null =>
  Option.match(marketOf(findings), {
    onNone: () => null,
    onSome: (market) => {
      const { pool, pools, sellable, tax, taxed, token } = market
      if (tax === null || taxed === undefined) return null
      const sizes = sizesOf(market)
      const metadata = Findings.inState(findings, "token.metadata-readable", "confirmed")
      const coin = metadata !== undefined && Schema.is(Coin)(metadata.value) ? metadata.value.decimals : undefined
      return {
        ...Sentence.of(
          `in the ${pool.exchange} ${pool.quote_symbol} pool ${said(pool, token, sizes, coin)}, to the price${costs(taxed, tax)}`,
          [
            pools,
            sellable,
            taxed,
            ...(coin === undefined || metadata === undefined || sizes.every(isNone) ? [] : [metadata])
          ]
        ),
        pool: pool.address,
        exchange: pool.exchange,
        quote_symbol: pool.quote_symbol,
        sizes
      }
    }
  })

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

/** What a loss is made of beside the price. */
const costs = ({ state }: Evidence, tax: bigint): string =>
  state === "confirmed"
    ? ", the fee and its tax"
    : tax === 0n
      ? " and the fee"
      : `, the fee and a tax of ${Number(tax) / 100} %`

/** What is taken of a sale, after "after": the fee, and the tax as far as it is known. */
export const takenOf = ({ tax, taxed }: Pick<Market, "tax" | "taxed">): string =>
  tax === null || taxed === undefined
    ? "the fee; its tax was not measured"
    : taxed.state === "confirmed"
      ? `the fee and its tax of ${Number(tax) / 100} %`
      : tax === 0n
        ? "the fee"
        : `the fee and a tax of ${Number(tax) / 100} %`
