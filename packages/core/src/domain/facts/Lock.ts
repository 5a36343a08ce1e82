/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Quantity } from "../Quantity.js"
import { Timestamp } from "../Timestamp.js"

/**
 * A record of shares of a pool that cannot be moved before a time, read from whoever keeps them. `amount` is in the
 * smallest unit of the pair's shares; of a position in a Uniswap V3 pool it is what that pays in the quote while the token
 * falls to a quarter of its price. `share_bps` is its part of all that can be taken out of the pool; `unlocks_at` is null
 * where the shares are never given back.
 */
export const Lock = Schema.Struct({
  locker: Address,
  name: Schema.String,
  owner: Address,
  amount: Quantity,
  share_bps: Schema.NonNegativeInt,
  unlocks_at: Schema.NullOr(Timestamp)
}).annotations({ identifier: "Lock" })

export interface Lock extends Schema.Schema.Type<typeof Lock> {}
