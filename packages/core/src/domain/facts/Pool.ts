/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Quantity } from "../Quantity.js"

/**
 * A pool of the token on a known exchange. Reserves are in smallest units of each side; `fee_bps` is null where the
 * exchange has one fixed fee; `lp_total_supply` and `lp_burned` are null where the pool has no fungible LP token.
 */
export const Pool = Schema.Struct({
  address: Address,
  exchange: Schema.String,
  kind: Schema.Literal("uniswap-v2", "uniswap-v3"),
  fee_bps: Schema.NullOr(Schema.Number),
  quote: Address,
  quote_symbol: Schema.String,
  reserve_token: Quantity,
  reserve_quote: Quantity,
  lp_total_supply: Schema.NullOr(Quantity),
  lp_burned: Schema.NullOr(Quantity)
}).annotations({ identifier: "Pool" })

export interface Pool extends Schema.Schema.Type<typeof Pool> {}
