import { Schema } from "effect"
import { Address } from "../Address.js"
import { UnknownReason } from "../Evidence.js"
import { Quantity } from "../Quantity.js"

/**
 * Which way of simulating gave an answer: blocks from a true EOA (`eth_simulateV1`), a contract put at an address by
 * override, or a constructor run by a plain call.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeMethod = Schema.Literal("simulate_v1", "override", "constructor").annotations({
  identifier: "TradeMethod"
})

/**
 * @since 0.1.0
 * @category models
 */
export type TradeMethod = typeof TradeMethod.Type

/**
 * One leg of a trade: whether it went through (`no_effect`: the call succeeded and nothing moved; `underpaid`: the pool
 * refused since less reached it than was promised, as of a token with a tax), the tax measured on balances in basis
 * points, and the token's own words when it did not (cut and stripped).
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeLeg = Schema.Struct({
  state: Schema.Literal("ok", "reverted", "no_effect", "underpaid", "not_reached"),
  tax_bps: Schema.NullOr(Schema.Number),
  gas: Schema.NullOr(Schema.NonNegativeInt),
  error: Schema.NullOr(Schema.String)
}).annotations({ identifier: "TradeLeg" })

/**
 * @since 0.1.0
 * @category models
 */
export interface TradeLeg extends Schema.Schema.Type<typeof TradeLeg> {}

/**
 * A simulated round trip by one method, beside a control token through the same router. `sender` is a fresh account,
 * `spent` the native coin that it traded, in wei.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeRun = Schema.Struct({
  method: TradeMethod,
  sender: Address,
  spent: Quantity,
  buy: TradeLeg,
  transfer: TradeLeg,
  sell: TradeLeg,
  control: Schema.Literal("ok", "failed", "unavailable")
}).annotations({ identifier: "TradeRun" })

/**
 * @since 0.1.0
 * @category models
 */
export interface TradeRun extends Schema.Schema.Type<typeof TradeRun> {}

/**
 * What happened when the token was bought, moved and sold in simulation, best method first. Each tax is the highest
 * that the best method measured which measured any, in basis points, null where none did. `unavailable` are the
 * methods that gave no run, and why.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeOutcome = Schema.Struct({
  pool: Address,
  quote: Address,
  buy_tax_bps: Schema.NullOr(Schema.Number),
  sell_tax_bps: Schema.NullOr(Schema.Number),
  transfer_tax_bps: Schema.NullOr(Schema.Number),
  runs: Schema.Array(TradeRun),
  unavailable: Schema.Array(Schema.Struct({ method: TradeMethod, reason: UnknownReason, detail: Schema.String }))
}).annotations({ identifier: "TradeOutcome" })

/**
 * @since 0.1.0
 * @category models
 */
export interface TradeOutcome extends Schema.Schema.Type<typeof TradeOutcome> {}
