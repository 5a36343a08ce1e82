/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { ValueSource } from "../../evm/expression/ValueSource.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { Call, FunctionFlow, StorageFlow, Write } from "../../evm/summary/StorageFlow.js"

/**
 * Whether any account can make itself pass a condition: on some path at least, a function writes the variable without a
 * condition on the caller, as an initialiser does, or with one that any account can make itself pass in turn.
 */
export const isVacant = (flow: StorageFlow, guard: Guard, entered: ReadonlySet<string> = new Set()): boolean => {
  if ((guard.kind !== "slot" && guard.kind !== "entry") || entered.has(guard.slot)) return false
  const within = new Set([...entered, guard.slot])
  const isOpen = ({ guards, shut }: Write): boolean => {
    const asked = guards.filter(({ always }) => always)
    return asked.length > 0
      ? asked.every((other) => isVacant(flow, other, within))
      : !shut || guards.some((other) => isVacant(flow, other, within))
  }
  return flow.functions.some(({ writes }) =>
    writes.some(
      (write) =>
        FieldMask.isWritten(write, { slot: guard.slot, field: guard.kind === "slot" ? guard.field : undefined }) &&
        write.change.kind !== "keep" &&
        write.change.kind !== "clear" &&
        isOpen(write)
    )
  )
}

/**
 * Whether a call depends on no consent but the caller's: no signature, no answer of another contract than the target,
 * and no entry of an account that an argument names.
 */
export const isUnasked = ({ calls, gates }: FunctionFlow, call: Call): boolean => {
  const place = JSON.stringify(call.target)
  return (
    calls.every(
      (other) =>
        other === call ||
        (other.kind === "call" && other.order?.selector !== undefined && moves.has(other.order.selector)) ||
        // A read of the target is a balance query. A read of another contract may verify a signature.
        (other.kind === "staticcall" && JSON.stringify(other.target) === place)
    ) && gates.every(({ reads }) => reads.every(({ keys }) => !keys.some(isNamed)))
  )
}

/** Whether every caller reaches a call, whatever is in storage. */
export const isFree = (entry: FunctionFlow, call: Call): boolean =>
  call.guards.length === 0 &&
  !call.shut &&
  isUnasked(entry, call) &&
  entry.gates.every(({ about, reads }) => !about.includes("caller") && reads.length === 0)

/** Whether something is the contract that calls. */
export const isSelf = ({ kind }: ValueSource): boolean => kind === "self"

/** Whether a value is chosen by the caller. */
export const isNamed = ({ kind }: ValueSource): boolean => kind === "argument"

const { functions } = Selectors

/**
 * The standard functions that move the assets of the account in their first argument.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @see https://eips.ethereum.org/EIPS/eip-721
 * @see https://eips.ethereum.org/EIPS/eip-1155
 */
export const transfersFrom: ReadonlySet<Hex> = new Set([
  functions.transferFrom,
  Selectors.selector("safeTransferFrom(address,address,uint256)"),
  Selectors.selector("safeTransferFrom(address,address,uint256,bytes)"),
  Selectors.selector("safeTransferFrom(address,address,uint256,uint256,bytes)"),
  Selectors.selector("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)")
])

/** The functions that use a permission, with the index of the argument that names the debited account. */
export const sources: ReadonlyMap<Hex, number> = new Map([
  ...[...transfersFrom, functions.burnFrom].map((selector) => [selector, 0] as const),
  // https://eips.ethereum.org/EIPS/eip-777
  [Selectors.selector("operatorSend(address,address,uint256,bytes,bytes)"), 0],
  [Selectors.selector("operatorBurn(address,uint256,bytes,bytes)"), 0],
  // https://eips.ethereum.org/EIPS/eip-1363
  [Selectors.selector("transferFromAndCall(address,address,uint256)"), 0],
  [Selectors.selector("transferFromAndCall(address,address,uint256,bytes)"), 0],
  // https://eips.ethereum.org/EIPS/eip-6909
  [Selectors.selector("transferFrom(address,address,uint256,uint256)"), 0],
  // https://github.com/makerdao/dss/blob/master/src/dai.sol
  [Selectors.selector("pull(address,uint256)"), 0],
  [Selectors.selector("move(address,address,uint256)"), 0],
  // https://eips.ethereum.org/EIPS/eip-4626
  [Selectors.selector("withdraw(uint256,address,address)"), 2],
  [Selectors.selector("redeem(uint256,address,address)"), 2],
  // https://github.com/Uniswap/permit2/blob/main/src/AllowanceTransfer.sol
  [Selectors.selector("transferFrom(address,address,uint160,address)"), 0]
])

/** Token functions that move or approve tokens. They revert where the balance is too small, and need no signature. */
const moves: ReadonlySet<Hex> = new Set([functions.transfer, functions.approve, ...sources.keys()])
