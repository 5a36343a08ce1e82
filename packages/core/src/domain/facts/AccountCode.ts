/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Hex } from "../Hex.js"
import { Quantity } from "../Quantity.js"

/**
 * What stands at an address. `delegated_eoa` is an EIP-7702 designator; `empty` has neither code, nonce nor balance.
 *
 * @see https://eips.ethereum.org/EIPS/eip-7702
 */
export const AccountKind = Schema.Literal("eoa", "delegated_eoa", "contract", "precompile", "empty").annotations({
  identifier: "AccountKind"
})

export type AccountKind = typeof AccountKind.Type

/** The account behind an address: its kind, code hash (keccak-256), code size in bytes, nonce and balance in wei. */
export const AccountCode = Schema.Struct({
  address: Address,
  kind: AccountKind,
  code_hash: Schema.NullOr(Hex),
  code_size: Schema.NonNegativeInt,
  delegate: Schema.NullOr(Address),
  nonce: Schema.NonNegativeInt,
  balance: Quantity
}).annotations({ identifier: "AccountCode" })

export interface AccountCode extends Schema.Schema.Type<typeof AccountCode> {}
