/** @internal */

import { Option, Schema } from "effect"
import * as Count from "../domain/Count.js"
import type { Evidence } from "../domain/Evidence.js"
import { Pool } from "../domain/facts/Pool.js"
import type { ReportExit, ReportSentence } from "../domain/RiskReport.js"
import * as Doubt from "./Doubt.js"
import * as Findings from "./Findings.js"
import * as Sale from "./Sale.js"
import * as Sentence from "./Sentence.js"

/** Whether a token can be sold, and what becomes of its price and its pool. */
export const make = (findings: Findings.Findings): ReportExit => ({
  sale: sale(findings),
  taxes: taxes(findings),
  depth: depth(findings),
  liquidity: liquidity(findings)
})

const mostOfDetail = 110

const gist = ({ detail }: Evidence): string => Sentence.clip(Sentence.gist(detail), mostOfDetail)

const sale = (findings: Findings.Findings): ReportSentence | null => {
  const item = Findings.one(findings, "trade.honeypot")
  if (item === undefined) return null
  if (item.state === "unknown") return Doubt.sentence([item])
  if (item.state === "confirmed") return Sentence.of(`it cannot be sold: ${gist(item)}`, [item])
  const limits = ["trade.sell-limited", "trade.holders-blocked", "trade.environment-dependent"].flatMap((check) => {
    const limit = Findings.one(findings, check)
    return limit === undefined || limit.state === "refuted" ? [] : [limit]
  })
  const buts = limits.map((limit) =>
    limit.state === "confirmed"
      ? `but ${Doubt.claimOf(limit)}`
      : `but we could not check whether ${Doubt.questionOf(limit)}, so treat that as unsafe`
  )
  // Code with free transfers says nothing about a pool to sell in.
  const route = Findings.one(findings, "trade.route")
  const nowhere = route?.state === "confirmed" ? undefined : route
  const where =
    nowhere === undefined
      ? []
      : [nowhere.state === "refuted" ? `but there is nowhere to sell it: ${gist(nowhere)}` : `but ${gist(nowhere)}`]
  return Sentence.of([`${Findings.saleShown(item)}: ${gist(item)}`, ...where, ...buts].join("; "), [
    item,
    ...(nowhere === undefined ? [] : [nowhere]),
    ...limits
  ])
}

const Rates = Schema.Struct({
  buy_tax_bps: Schema.NullOr(Schema.Number),
  sell_tax_bps: Schema.NullOr(Schema.Number),
  transfer_tax_bps: Schema.NullOr(Schema.Number),
  simulated_pool: Schema.optional(Schema.Boolean)
})

const percent = (bps: number | null): string => (bps === null ? "not measured" : `${bps / 100} %`)

const taxes = (findings: Findings.Findings): ReportSentence | null => {
  const item = Findings.one(findings, "trade.taxed")
  if (item === undefined) return null
  const sold = Findings.inState(findings, "trade.honeypot", "unknown")
  if (item.state === "unknown") {
    const { evidence_ids, text } =
      sold !== undefined && Doubt.isOneCause(sold, item)
        ? Sentence.of("we could not check the tax on a trade either, for the same cause; treat as unsafe", [item, sold])
        : Doubt.sentence([item])
    const paid = item.detail.split("; ").filter((part) => part.startsWith("contracts that sold"))
    return Sentence.of(
      [text, ...paid].join("; "),
      evidence_ids.map((id) => ({ id }))
    )
  }
  const { value } = item
  if (!Schema.is(Rates)(value)) return Sentence.of(gist(item), [item])
  const rates = `purchase ${percent(value.buy_tax_bps)}, sale ${percent(value.sell_tax_bps)}, transfer ${percent(value.transfer_tax_bps)}`
  const where = value.simulated_pool === true ? ", in a simulated pool that does not exist" : ""
  return Sentence.of(`${item.state === "confirmed" ? "taxed" : "tax"}: ${rates}${where}`, [item])
}

const Pools = Schema.Struct({ pools: Schema.Array(Pool) })

const Metadata = Schema.Struct({ decimals: Schema.NonNegativeInt })

const depth = (findings: Findings.Findings): ReportSentence | null => {
  const item = Findings.inState(findings, "liquidity.pools", "confirmed")
  const sellable = Findings.inState(findings, "trade.honeypot", "refuted")
  if (item === undefined || sellable === undefined) return null
  const market = Sale.marketOf(findings)
  if (Option.isNone(market)) {
    const { pools } = Option.getOrElse(Schema.decodeUnknownOption(Pools)(item.value), () => ({ pools: [] }))
    return pools.length === 0 ? null : unread(Sale.byQuote(pools)[0], [item, sellable])
  }
  const { pool, taxed, token } = market.value
  const metadata = Findings.inState(findings, "token.metadata-readable", "confirmed")
  const unit = metadata !== undefined && Schema.is(Metadata)(metadata.value) ? metadata.value.decimals : undefined
  const sold = Sale.untilPriceFalls(market.value)
  const amount =
    unit === undefined
      ? `${Number((sold * 1_000n) / token) / 10} % of the tokens in the pool`
      : `about ${Sentence.amount(sold, unit)} tokens`
  const quoted = quoteOf(pool, Sale.paid(market.value, sold))
  const paid = quoted === null ? "" : ` (about ${quoted} after ${Sale.takenOf(market.value)})`
  return Sentence.of(
    `${amount}${paid} can be sold in the ${pool.exchange} ${pool.quote_symbol} pool before the price falls by 10 %`,
    [
      item,
      sellable,
      ...(unit === undefined || metadata === undefined ? [] : [metadata]),
      ...(quoted === null || taxed === undefined ? [] : [taxed])
    ]
  )
}

/**
 * What is known without the depth of a pool: its liquidity may lie anywhere, but it cannot pay out more than it holds. That
 * is a bound of any sale, and none of how far one takes the price.
 */
const unread = (deepest: Pool | undefined, items: ReadonlyArray<Evidence>): ReportSentence => {
  const isV3 = deepest?.kind === "uniswap-v3"
  const cause = isV3
    ? `the liquidity around the price of the ${deepest.exchange} ${deepest.quote_symbol} pool was not read`
    : "no pool was found to hold any of it"
  const most = isV3 ? quoteOf(deepest, BigInt(deepest.reserve_quote)) : null
  const bound = most === null ? "" : `; any sale there pays at most the ${most} that it holds`
  return Sentence.of(
    `we could not check how much can be sold before the price falls by 10 % because ${cause}${bound}; treat as unsafe until a sale of that size is quoted`,
    items
  )
}

/** An amount of a pool's quote; null for other tokens than WETH: their decimals differ from chain to chain. */
const quoteOf = ({ quote_symbol }: Pool, amount: bigint): string | null =>
  quote_symbol === "WETH" ? `${Sentence.amount(amount, 18)} WETH` : null

const mostPools = 2

const liquidity = (findings: Findings.Findings): ReportSentence | null => {
  const withdrawable = Findings.all(findings, "liquidity.held-by-insiders")
  const known = [
    ...withdrawable.filter(({ state }) => state === "confirmed"),
    ...withdrawable.filter(({ state }) => state === "refuted")
  ]
  const kept = ["liquidity.burned", "liquidity.locked"].flatMap((check) =>
    Findings.all(findings, check).filter(({ state }) => state === "confirmed")
  )
  const unknown = withdrawable.filter(({ state }) => state === "unknown")
  if (known.length + kept.length === 0) return unknown.length === 0 ? null : Doubt.sentence(unknown)
  const others = (state: Evidence["state"]): number =>
    known.slice(mostPools).filter((item) => item.state === state).length
  return Sentence.of(
    [
      ...withdrawals(known.slice(0, mostPools), "confirmed"),
      ...withdrawals(known.slice(0, mostPools), "refuted"),
      ...kept.slice(0, mostPools).map(gist),
      ...(others("confirmed") > 0 ? [`the same is true of ${Count.of(others("confirmed"), "more pool")}`] : []),
      ...(others("refuted") > 0 ? [`${Count.of(others("refuted"), "more pool")} within the same limit`] : []),
      ...(kept.length > mostPools ? [`${kept.length - mostPools} more claims about burned or locked liquidity`] : []),
      ...(unknown.length > 0 ? [`of ${unknown.length} more that could not be checked; treat as unsafe`] : [])
    ].join("; "),
    [...known, ...kept, ...unknown]
  )
}

const withdrawal = /^insiders or one account can withdraw (.+)$/

/** What can be taken out of each pool, in one clause where the details begin alike. */
const withdrawals = (
  known: ReadonlyArray<Evidence>,
  state: Exclude<Evidence["state"], "unknown">
): ReadonlyArray<string> => {
  const items = known.filter((item) => item.state === state)
  const parts = items.flatMap((item) => withdrawal.exec(gist(item))?.[1] ?? [])
  const nothing = "0 % of "
  if (
    state === "refuted" &&
    parts.length === items.length &&
    parts.length > 0 &&
    parts.every((part) => part.startsWith(nothing))
  )
    return [
      `insiders or one account can withdraw less than 0.01 % of ${Sentence.list(parts.map((part) => part.slice(nothing.length)))}`
    ]
  const only = state === "refuted" ? "only " : ""
  return parts.length === items.length && parts.length > 0
    ? [`insiders or one account can withdraw ${only}${Sentence.list(parts)}`]
    : items.map((item) => `${state === "refuted" ? "within the limits: " : ""}${gist(item)}`)
}
