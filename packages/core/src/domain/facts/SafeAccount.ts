import { Schema } from "effect"
import { Address } from "../Address.js"

/**
 * A Safe's setup: `canonical` says whether its singleton is one that Safe published for this chain.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SafeAccount = Schema.Struct({
  address: Address,
  singleton: Address,
  canonical: Schema.Boolean,
  version: Schema.NullOr(Schema.String),
  owners: Schema.Array(Address),
  threshold: Schema.NonNegativeInt,
  nonce: Schema.NonNegativeInt,
  modules: Schema.NullOr(Schema.Array(Address)),
  guard: Schema.NullOr(Address)
}).annotations({ identifier: "SafeAccount" })

/**
 * @since 0.1.0
 * @category models
 */
export interface SafeAccount extends Schema.Schema.Type<typeof SafeAccount> {}
