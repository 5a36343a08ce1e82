/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { UnknownReason } from "../Evidence.js"
import { Quantity } from "../Quantity.js"

/**
 * A standing permission of the wallet: `spender` may move `amount` of `token`. Of an `operator` that is every token of a
 * collection, or all of an ERC-777 coin (null), of `items` the number of those that were approved one by one. `unlimited`
 * says that it is all that there is of the token.
 */
export const Allowance = Schema.Struct({
  kind: Schema.Literal("erc20", "operator", "items"),
  token: Address,
  spender: Address,
  amount: Schema.NullOr(Quantity),
  unlimited: Schema.Boolean,
  balance: Schema.NullOr(Quantity)
}).annotations({ identifier: "Allowance" })

export interface Allowance extends Schema.Schema.Type<typeof Allowance> {}

/** A permission that was given and of which the token did not say whether it still is. */
export const UnreadAllowance = Schema.Struct({
  kind: Schema.Literal("erc20", "operator", "items"),
  token: Address,
  spender: Address,
  reason: UnknownReason
}).annotations({ identifier: "UnreadAllowance" })

export interface UnreadAllowance extends Schema.Schema.Type<typeof UnreadAllowance> {}

/**
 * The allowances found in the scanned blocks; a lower bound unless `complete`, which says that every permission that was
 * ever given is among `allowances`, among `unread`, or no more.
 */
export const AllowanceSet = Schema.Struct({
  allowances: Schema.Array(Allowance),
  unread: Schema.Array(UnreadAllowance),
  from_block: Schema.NonNegativeInt,
  to_block: Schema.NonNegativeInt,
  complete: Schema.Boolean
}).annotations({ identifier: "AllowanceSet" })

export interface AllowanceSet extends Schema.Schema.Type<typeof AllowanceSet> {}
