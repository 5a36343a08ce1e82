/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { UnknownReason } from "../Evidence.js"
import { Quantity } from "../Quantity.js"
import { Timestamp } from "../Timestamp.js"

/**
 * Which way of simulating gave an answer: blocks from a true EOA (`eth_simulateV1`), a contract put at an address by
 * override, or a constructor run by a plain call. In a pool of Uniswap V4 the constructor trades by a contract that it makes, since the
 * manager calls back whoever trades: there it is not quite an account without code.
 */
export const TradeMethod = Schema.Literal("simulate_v1", "override", "constructor").annotations({
  identifier: "TradeMethod"
})

export type TradeMethod = typeof TradeMethod.Type

/**
 * One leg of a trade: whether it went through (`no_effect`: the call succeeded and nothing moved; `underpaid`: the pool
 * refused since less reached it than was promised, as of a token with a tax; `worthless`: it failed, and the pool had so
 * little that nothing would have come of it either had the token let it through, so that nothing is shown), the tax
 * measured on balances in basis points, and the token's own words when it did not (cut and stripped).
 */
export const TradeLeg = Schema.Struct({
  state: Schema.Literal("ok", "reverted", "no_effect", "underpaid", "worthless", "not_reached"),
  tax_bps: Schema.NullOr(Schema.Number),
  gas: Schema.NullOr(Schema.NonNegativeInt),
  error: Schema.NullOr(Schema.String)
}).annotations({ identifier: "TradeLeg" })

export interface TradeLeg extends Schema.Schema.Type<typeof TradeLeg> {}

/**
 * What a token can recognise a simulation by, besides the trader: when the trade begins (`in_a_month` and `in_a_year`
 * also after as many trades as a month may bring, as far as the token counts them), how long after the purchase it is
 * sold (`at_once`: in the same block; later than that, as many blocks have gone by for the token as the chain makes in
 * that time; `at_a_moment`: at the time `at`, right before or after a moment that the code compares a clock with), and
 * whether gas has a price and the block a base fee and a fee recipient (`paid`) or none of them (`none`, the default of
 * a call).
 */
export const TradeEnvironment = Schema.Struct({
  method: TradeMethod,
  begins: Schema.Literal("now", "in_a_month", "in_a_year"),
  sells: Schema.Literal("at_once", "in_hours", "in_a_day", "in_a_month", "in_a_year", "at_a_moment"),
  at: Schema.optional(Timestamp),
  fees: Schema.Literal("paid", "none")
}).annotations({ identifier: "TradeEnvironment" })

export interface TradeEnvironment extends Schema.Schema.Type<typeof TradeEnvironment> {}

/**
 * Whether an environment is what a person meets: a true account, fees, and a sale in a later block than the purchase.
 */
export const isOrdinary = ({ fees, method, sells }: TradeEnvironment): boolean =>
  method === "simulate_v1" && fees === "paid" && sells !== "at_once"

/**
 * A simulated round trip in one environment, beside a control token through the same router.
 *
 * - `sender` is a fresh account, `spent` the native coin that it traded, in wei.
 * - `sold_bps` is the greatest part of what it held that could be sold at once, `refused_bps` the greatest that could
 *   not, in ten-thousandths of its balance; null where no sale of a known part was tried, or none of that kind was.
 * - `sell_again` is a second sale in a later block, null where none was tried.
 */
export const TradeRun = Schema.Struct({
  environment: TradeEnvironment,
  sender: Address,
  spent: Quantity,
  buy: TradeLeg,
  transfer: TradeLeg,
  sell: TradeLeg,
  sold_bps: Schema.NullOr(Schema.NonNegativeInt),
  refused_bps: Schema.NullOr(Schema.NonNegativeInt),
  sell_again: Schema.NullOr(TradeLeg),
  control: Schema.Literal("ok", "failed", "unavailable")
}).annotations({ identifier: "TradeRun" })

export interface TradeRun extends Schema.Schema.Type<typeof TradeRun> {}

/**
 * What happened when the token was bought, moved and sold in simulation, best method first.
 *
 * - Each tax is the highest that the best method measured which measured any, in basis points, null where none did.
 *   Trades without fees and sales in the block of their purchase are not in it where there are others.
 * - `router` is `simulated` where the trades went by a contract that the simulation puts there, since no router of the exchange
 *   trades in the pool, or none is known; left out where they went by the exchange's own.
 * - `owner_receives` says whether the pool can send the token to the account that it names as its owner, null where
 *   there is none to try.
 * - `unavailable` are the environments that gave no run, and why.
 */
export const TradeOutcome = Schema.Struct({
  pool: Address,
  quote: Address,
  router: Schema.optional(Schema.Literal("simulated")),
  buy_tax_bps: Schema.NullOr(Schema.Number),
  sell_tax_bps: Schema.NullOr(Schema.Number),
  transfer_tax_bps: Schema.NullOr(Schema.Number),
  owner_receives: Schema.NullOr(Schema.Boolean),
  runs: Schema.Array(TradeRun),
  unavailable: Schema.Array(
    Schema.Struct({
      method: TradeMethod,
      begins: TradeEnvironment.fields.begins,
      reason: UnknownReason,
      detail: Schema.String
    })
  )
}).annotations({ identifier: "TradeOutcome" })

export interface TradeOutcome extends Schema.Schema.Type<typeof TradeOutcome> {}
