/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Quantity } from "../Quantity.js"

/**
 * Whom a transfer policy lets transfer: everybody (`allow_all`), nobody (`reject_all`), listed accounts (`whitelist`), all but
 * listed accounts (`blacklist`), or what three other policies say (`compound`). `unknown` is a type that is not known here.
 */
export const PolicyKind = Schema.Literal(
  "allow_all",
  "reject_all",
  "whitelist",
  "blacklist",
  "compound",
  "unknown"
).annotations({ identifier: "PolicyKind" })

export type PolicyKind = typeof PolicyKind.Type

/** One policy: its id in the registry as decimal digits, and the account that edits its list, null where there is none. */
export const ListPolicy = Schema.Struct({
  id: Schema.String,
  kind: PolicyKind,
  admin: Schema.NullOr(Address)
}).annotations({ identifier: "ListPolicy" })

export interface ListPolicy extends Schema.Schema.Type<typeof ListPolicy> {}

/**
 * The transfer policy of a token, and the policies that decide for senders, recipients and recipients of new tokens. Where it
 * is not compound, it is all three itself.
 */
export const TransferPolicy = Schema.Struct({
  ...ListPolicy.fields,
  sender: ListPolicy,
  recipient: ListPolicy,
  mint_recipient: ListPolicy
}).annotations({ identifier: "TransferPolicy" })

export interface TransferPolicy extends Schema.Schema.Type<typeof TransferPolicy> {}

/** A member of a role, by the name of the role where it is known and else by its hash. */
export const NativeRole = Schema.Struct({ role: Schema.String, member: Address }).annotations({
  identifier: "NativeRole"
})

export interface NativeRole extends Schema.Schema.Type<typeof NativeRole> {}

/** Which role has the members that grant another one. */
export const RoleGrantor = Schema.Struct({ role: Schema.String, granted_by: Schema.String }).annotations({
  identifier: "RoleGrantor"
})

export interface RoleGrantor extends Schema.Schema.Type<typeof RoleGrantor> {}

/**
 * A token that the chain itself implements, as its getters answer. Amounts are in its smallest unit; a member is null where
 * its getter gives nothing. `next_quote_token` is null where no other quote token is set to follow. `complete` is false
 * where roles may have members that are not listed. `exchange` is the chain's own exchange for such tokens.
 */
export const NativeToken = Schema.Struct({
  standard: Schema.Literal("tip20"),
  currency: Schema.NullOr(Schema.String),
  total_supply: Schema.NullOr(Quantity),
  supply_cap: Schema.NullOr(Quantity),
  paused: Schema.NullOr(Schema.Boolean),
  quote_token: Schema.NullOr(Address),
  next_quote_token: Schema.NullOr(Address),
  policy: Schema.NullOr(TransferPolicy),
  roles: Schema.Array(NativeRole),
  grantors: Schema.Array(RoleGrantor),
  complete: Schema.Boolean,
  exchange: Address
}).annotations({ identifier: "NativeToken" })

export interface NativeToken extends Schema.Schema.Type<typeof NativeToken> {}
