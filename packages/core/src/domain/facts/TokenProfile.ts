/** @internal */

import { Schema } from "effect"
import { Quantity } from "../Quantity.js"

/** Which interface a token answers to, by behaviour. */
export const TokenStandard = Schema.Literal("erc20", "erc721", "erc1155", "erc4626", "none").annotations({
  identifier: "TokenStandard"
})

export type TokenStandard = typeof TokenStandard.Type

/**
 * A token's self-description. Texts are cut to 64 characters and stripped of control and bidi characters; null where
 * the token has no such getter. `total_supply` is in the token's smallest unit.
 */
export const TokenProfile = Schema.Struct({
  standard: TokenStandard,
  name: Schema.NullOr(Schema.String),
  symbol: Schema.NullOr(Schema.String),
  decimals: Schema.NullOr(Schema.NonNegativeInt),
  total_supply: Schema.NullOr(Quantity)
}).annotations({ identifier: "TokenProfile" })

export interface TokenProfile extends Schema.Schema.Type<typeof TokenProfile> {}
