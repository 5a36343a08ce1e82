/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Quantity } from "../Quantity.js"

/**
 * What of the token lies in a contract that keeps the tokens of all pools of an exchange. Which pools those are, and
 * who may take it out, is not read: it may as well be a user's deposit. `amount` is in the token's smallest units, null
 * where the token did not say.
 */
export const PoolVault = Schema.Struct({
  exchange: Schema.String,
  vault: Address,
  amount: Schema.NullOr(Quantity)
}).annotations({ identifier: "PoolVault" })

export interface PoolVault extends Schema.Schema.Type<typeof PoolVault> {}
