/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Hex } from "../Hex.js"
import { Quantity } from "../Quantity.js"

/**
 * A pool of the token on a known exchange. Reserves are in smallest units of each side; `fee_bps` is null where the
 * exchange has one fixed fee, and where the pool's can change; `lp_total_supply` and `lp_burned` are null where the pool has no
 * fungible LP token.
 *
 * A pool of Uniswap V4 has no address of its own: `address` and `manager` are the contract that keeps all of them, `pool_id` is
 * its key there, and `hook` the contract that is called around its swaps, absent where there is none. Other pools have none of
 * the three. Its reserves are those of the pair that pays as much until the price is a quarter or four times of what it is. A
 * pool with native coin has the wrapped coin as its `quote`, or the zero address where no wrapped coin is known, and the coin's own
 * `quote_symbol`.
 *
 * @see https://docs.uniswap.org/contracts/v4/concepts/PoolManager
 */
export const Pool = Schema.Struct({
  address: Address,
  exchange: Schema.String,
  kind: Schema.Literal("uniswap-v2", "uniswap-v3", "uniswap-v4"),
  fee_bps: Schema.NullOr(Schema.Number),
  quote: Address,
  quote_symbol: Schema.String,
  reserve_token: Quantity,
  reserve_quote: Quantity,
  lp_total_supply: Schema.NullOr(Quantity),
  lp_burned: Schema.NullOr(Quantity),
  manager: Schema.optional(Address),
  pool_id: Schema.optional(Hex),
  hook: Schema.optional(Address)
}).annotations({ identifier: "Pool" })

export interface Pool extends Schema.Schema.Type<typeof Pool> {}
