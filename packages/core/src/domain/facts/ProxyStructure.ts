/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"

/**
 * How a contract hands its calls on; `none` was shown, not assumed: no pattern, and no code but its own answers a call.
 * `delegatecall_slot` and `fixed` follow no pattern: a variable of its own names the code, or its own code does.
 */
export const ProxyKind = Schema.Literal(
  "none",
  "eip1167",
  "clone_with_immutable_args",
  "eip1967",
  "eip1967_uups",
  "eip1967_transparent",
  "eip1967_beacon",
  "immutable_beacon",
  "eip1822",
  "eip897",
  "eip2535_diamond",
  "safe",
  "zeppelinos",
  "polygon",
  "compound",
  "delegatecall_slot",
  "fixed",
  "unrecognised"
).annotations({ identifier: "ProxyKind" })

export type ProxyKind = typeof ProxyKind.Type

/**
 * By which way a proxy's code can be replaced. `self`: by the account itself (a Safe). `anyone`: by any caller, which
 * was tried. `none` was shown; `unknown` was not.
 */
export const UpgradePath = Schema.Literal(
  "none",
  "admin",
  "uups",
  "beacon",
  "diamond_cut",
  "self",
  "anyone",
  "unknown"
).annotations({ identifier: "UpgradePath" })

export type UpgradePath = typeof UpgradePath.Type

/**
 * A contract's delegation: where its code comes from and which account may change that. `upgrade` says by which way;
 * `upgrade_authority` is the account in charge (an admin, a beacon's owner, the owner of a UUPS implementation), null
 * where there is none or it was not found (`upgrade` says which). `conflicts` are what contradicts this reading, in
 * words.
 */
export const ProxyStructure = Schema.Struct({
  address: Address,
  kind: ProxyKind,
  implementations: Schema.Array(Address),
  beacon: Schema.NullOr(Address),
  admin: Schema.NullOr(Address),
  upgrade: UpgradePath,
  upgrade_authority: Schema.NullOr(Address),
  conflicts: Schema.Array(Schema.String)
}).annotations({ identifier: "ProxyStructure" })

export interface ProxyStructure extends Schema.Schema.Type<typeof ProxyStructure> {}
