/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"

/**
 * A Safe's setup: `canonical` says whether its singleton is one that Safe published for this chain. `guard` is called
 * before each transaction of the owners, `module_guard` before each of a module; `fallback_handler` answers the calls
 * that the Safe itself has no function for, whether a signature is valid among them.
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
  guard: Schema.NullOr(Address),
  module_guard: Schema.NullOr(Address),
  fallback_handler: Schema.NullOr(Address)
}).annotations({ identifier: "SafeAccount" })

export interface SafeAccount extends Schema.Schema.Type<typeof SafeAccount> {}
