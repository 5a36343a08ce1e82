/** @internal */

import { Schema } from "effect"
import { Address } from "../Address.js"
import { Hex } from "../Hex.js"

/**
 * Where a contract comes from, as far as it was found out. It was created after `after_block` (null where nothing says
 * since when) and not after `by_block`; `transaction` created it, signed by `deployer`, and `creator` is the contract
 * that was called to create it, where it was not the transaction itself. `basis` says what that rests on: the receipt of
 * the transaction, the code at earlier blocks, or the contract's own events, which are no older than the contract.
 */
export const ContractOrigin = Schema.Struct({
  after_block: Schema.NullOr(Schema.NonNegativeInt),
  by_block: Schema.NonNegativeInt,
  transaction: Schema.NullOr(Hex),
  deployer: Schema.NullOr(Address),
  creator: Schema.NullOr(Address),
  basis: Schema.Literal("receipt", "code", "events")
}).annotations({ identifier: "ContractOrigin" })

export interface ContractOrigin extends Schema.Schema.Type<typeof ContractOrigin> {}
