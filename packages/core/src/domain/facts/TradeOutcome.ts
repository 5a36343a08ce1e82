import { Schema } from "effect"
import { Address } from "../Address.js"

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
 * One leg of a trade: whether it went through, the tax measured on balances in basis points, and the token's own
 * words when it did not (cut and stripped).
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeLeg = Schema.Struct({
  state: Schema.Literal("ok", "reverted", "not_reached"),
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
 * A simulated round trip by one method, beside a control token on the same route.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TradeRun = Schema.Struct({
  method: TradeMethod,
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
 * What happened when the token was bought, moved and sold in simulation, best method first; taxes are those of the
 * best method that completed, in basis points, null where none did.
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
  runs: Schema.Array(TradeRun)
}).annotations({ identifier: "TradeOutcome" })

/**
 * @since 0.1.0
 * @category models
 */
export interface TradeOutcome extends Schema.Schema.Type<typeof TradeOutcome> {}
