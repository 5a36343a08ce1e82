/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { UnknownReason } from "../Evidence.js"
import { Quantity } from "../Quantity.js"

/**
 * A permission that the wallet gave by way of Permit2 and that has not ended: `spender` may move `amount` of `token` to
 * `expires_at` (seconds since the epoch), the end included. `token_allowance` is what the token lets Permit2 itself
 * move of the wallet's; where it is 0, nothing moves before the wallet approves Permit2 again.
 *
 * @see https://docs.uniswap.org/contracts/permit2/reference/allowance-transfer
 */
export const Permit2Allowance = Schema.Struct({
  token: Address,
  spender: Address,
  amount: Quantity,
  unlimited: Schema.Boolean,
  expires_at: Schema.NonNegativeInt,
  nonce: Schema.NonNegativeInt,
  token_allowance: Schema.NullOr(Quantity),
  balance: Schema.NullOr(Quantity)
}).annotations({ identifier: "Permit2Allowance" })

export interface Permit2Allowance extends Schema.Schema.Type<typeof Permit2Allowance> {}

/**
 * The Permit2 allowances found in the scanned blocks; a lower bound unless `complete`, which says that every one that
 * was ever given is among `allowances`, among `unread`, or no more.
 */
export const Permit2AllowanceSet = Schema.Struct({
  allowances: Schema.Array(Permit2Allowance),
  unread: Schema.Array(Schema.Struct({ token: Address, spender: Address, reason: UnknownReason })),
  from_block: Schema.NonNegativeInt,
  to_block: Schema.NonNegativeInt,
  complete: Schema.Boolean
}).annotations({ identifier: "Permit2AllowanceSet" })

export interface Permit2AllowanceSet extends Schema.Schema.Type<typeof Permit2AllowanceSet> {}
