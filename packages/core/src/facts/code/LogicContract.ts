/** @internal */

import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type * as Bytecode from "../../evm/bytecode/Bytecode.js"
import type * as StorageFlow from "../../evm/summary/StorageFlow.js"

/**
 * A piece of code that answers for a contract: where it stands, which opcodes it can reach, and what its functions do
 * with storage.
 */
export interface LogicContract {
  readonly address: Address
  readonly code: Hex
  readonly reach: Bytecode.Reach
  readonly flow: StorageFlow.StorageFlow
  /** Libraries that it is linked to and that say who signed what, where it is read with those. */
  readonly checkers?: ReadonlyArray<Address>
}
