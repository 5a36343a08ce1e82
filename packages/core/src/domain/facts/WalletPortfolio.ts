/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Quantity } from "../Quantity.js"

/**
 * What a wallet has of one token, in the token's smallest unit. `symbol` and `decimals` are the token list's, null for
 * a token that is on none. `value` is what selling all of it into its deepest known pool would give, in the unit of the
 * portfolio and without fees: an estimate that moves with the pool; null where there is no such pool or it was not
 * read.
 */
export const Holding = Schema.Struct({
  address: Address,
  symbol: Schema.NullOr(Schema.String),
  decimals: Schema.NullOr(Schema.NonNegativeInt),
  balance: Quantity,
  value: Schema.NullOr(Quantity)
}).annotations({ identifier: "Holding" })

export interface Holding extends Schema.Schema.Type<typeof Holding> {}

/**
 * How much a spender can take now: no more than it may, and no more than there is. `amount` is in the token's smallest
 * unit, `value` as in {@link Holding}.
 */
export const Exposure = Schema.Struct({
  token: Address,
  spender: Address,
  by: Schema.Literal("erc20", "permit2"),
  amount: Quantity,
  value: Schema.NullOr(Quantity)
}).annotations({ identifier: "Exposure" })

export interface Exposure extends Schema.Schema.Type<typeof Exposure> {}

/**
 * What a wallet has of the tokens that the chain's list names and of those with approvals by the wallet, as far as it
 * has any, and how much of that others can take. `unit` is the wrapped native coin that values are given in, null where
 * none is known; `native` is the balance of the native coin itself. `complete` is false where a balance or a permission
 * was not read.
 */
export const WalletPortfolio = Schema.Struct({
  native: Quantity,
  unit: Schema.NullOr(Schema.Struct({ address: Address, symbol: Schema.String, decimals: Schema.NonNegativeInt })),
  holdings: Schema.Array(Holding),
  at_risk: Schema.Array(Exposure),
  complete: Schema.Boolean
}).annotations({ identifier: "WalletPortfolio" })

export interface WalletPortfolio extends Schema.Schema.Type<typeof WalletPortfolio> {}
