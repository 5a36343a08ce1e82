/** @internal */

import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { FunctionFlow, Variable, Write } from "../../evm/summary/StorageFlow.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as StoredVariable from "../code/StoredVariable.js"
import * as Getter from "../Getter.js"

/** A contract with an owner, all code that answers for it, and the variables that its owner is read from. */
export interface OwnedContract {
  readonly address: Address
  readonly owner: Address
  readonly logics: ReadonlyArray<LogicContract>
  readonly variables: ReadonlyArray<Variable>
}

/** A write of a variable, with the function and the code that it is in. */
export interface PlacedWrite {
  readonly logic: LogicContract
  readonly flow: FunctionFlow
  readonly write: Write
}

/**
 * The variables that `owner()` and `getOwner()` answer from: none if the owner is a constant, `computed` if they answer from
 * something else. Without these getters it is the owner's slot of OpenZeppelin.
 *
 * @see https://eips.ethereum.org/EIPS/eip-173
 */
export const ownerVariables = (logics: ReadonlyArray<LogicContract>): ReadonlyArray<Variable> | "computed" => {
  const getters = logics.flatMap(({ flow }) =>
    flow.functions.filter(
      ({ selector }) => selector === Selectors.functions.owner || selector === Selectors.functions.getOwner
    )
  )
  if (getters.length === 0) return [{ slot: Slots.ownable, mask: Getter.word(StoredVariable.addressMask) }]
  // Another contract that returns the owner can name a new one at any time.
  if (getters.some(({ calls, returns }) => returns === undefined || calls.length > 0)) return "computed"
  const variables = getters.flatMap(({ returns = [] }) => returns)
  return variables.every(({ slot }) => PresentFlow.isVariable(slot)) ? variables : "computed"
}

/** The writes of a contract that fulfil a condition. */
export const writesWhere = (
  { logics }: OwnedContract,
  isWanted: (write: Write) => boolean
): ReadonlyArray<PlacedWrite> =>
  logics.flatMap((logic) =>
    logic.flow.functions.flatMap((flow) => flow.writes.filter(isWanted).map((write) => ({ logic, flow, write })))
  )

/** Whether a write changes the owner. */
export const isOwnerWrite = (contract: OwnedContract, { mask, slot }: Write): boolean =>
  isOwnerPlace(contract, slot, mask)

/** Whether a guard compares the caller with the owner. */
export const isOwnerGuard = (contract: OwnedContract, guard: Guard): boolean =>
  guard.kind === "slot" && isOwnerPlace(contract, guard.slot, FieldMask.maskOf(guard.field))

/** Whether only the owner can cause a write. */
export const isByOwner = (contract: OwnedContract, { write }: PlacedWrite): boolean =>
  write.guards.some((guard) => guard.always && isOwnerGuard(contract, guard))

/** Whether a write stores the address of the present owner in another variable. */
export const keepsOwner = (contract: OwnedContract, { flow, write }: PlacedWrite): boolean =>
  write.change.amount.some(
    (origin) =>
      (origin.kind === "storage" && contract.variables.some(({ slot }) => PresentFlow.isSame(slot, origin.slot))) ||
      (origin.kind === "caller" && flow.writes.some((other) => isOwnerWrite(contract, other)))
  )

/** Whether a write can store an account; a write that only clears stores none. */
export const storesAccount = ({ change }: Write): boolean => change.kind !== "clear" && change.kind !== "keep"

const isOwnerPlace = ({ variables }: OwnedContract, slot: string, mask: Hex): boolean =>
  variables.some((variable) => PresentFlow.isSame(variable.slot, slot) && (BigInt(variable.mask) & BigInt(mask)) !== 0n)
