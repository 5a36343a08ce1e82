/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as ArbitraryCall from "../../evm/patterns/ArbitraryCall.js"
import type { StorageFlow } from "../../evm/summary/StorageFlow.js"

/**
 * Whether a code is an AccessManager of OpenZeppelin 5: it has the functions that others call, it has no function that the
 * published contract lacks, and it calls other contracts from two functions only.
 *
 * @see https://github.com/OpenZeppelin/openzeppelin-contracts/blob/master/contracts/access/manager/AccessManager.sol
 */
export const isManager = (flow: StorageFlow): boolean => {
  const selectors = flow.functions.map(({ selector }) => selector).filter((selector) => selector !== "fallback")
  return (
    flow.completeness.complete &&
    required.every((wanted) => selectors.includes(wanted)) &&
    selectors.every((found) => published.has(found)) &&
    ArbitraryCall.of(flow).every(
      ({ guards, selector }) =>
        acting.has(selector) && guards.every(({ kind }) => kind === "entry" || kind === "unknown")
    )
  )
}

/**
 * Whether a managed contract enforces the delays of its manager: each function that calls `canCall` also calls
 * `consumeScheduledOp`. Without that call a member with a delay can call at once.
 */
export const enforcesDelays = ({ functions }: StorageFlow): boolean =>
  functions.every(({ calls }) =>
    calls.every(
      (asked) =>
        (asked.question ?? asked.order?.selector) !== canCall ||
        calls.some(
          (call) =>
            call.kind === "call" &&
            // The scheduled call is passed on unchanged, which can hide the selector in front of it.
            (call.order?.selector ?? consumeScheduledOp) === consumeScheduledOp &&
            JSON.stringify(call.target) === JSON.stringify(asked.target)
        )
    )
  )

/** The role that administers a manager. */
export const adminRole = 0n

const canCall = Selectors.selector("canCall(address,address,bytes4)")

const consumeScheduledOp = Selectors.selector("consumeScheduledOp(address,bytes)")

/** The functions by which a manager calls another contract. */
const acting: ReadonlySet<string> = new Set(
  ["execute(address,bytes)", "updateAuthority(address,address)"].map(Selectors.selector)
)

const required: ReadonlyArray<Hex> = [
  canCall,
  ...["getTargetFunctionRole(address,bytes4)", "hasRole(uint64,address)"].map(Selectors.selector)
]

const published: ReadonlySet<string> = new Set([
  ...required,
  ...acting,
  consumeScheduledOp,
  ...[
    "ADMIN_ROLE()",
    "PUBLIC_ROLE()",
    "cancel(address,address,bytes)",
    "expiration()",
    "getAccess(uint64,address)",
    "getNonce(bytes32)",
    "getRoleAdmin(uint64)",
    "getRoleGrantDelay(uint64)",
    "getRoleGuardian(uint64)",
    "getSchedule(bytes32)",
    "getTargetAdminDelay(address)",
    "grantRole(uint64,address,uint32)",
    "hashOperation(address,address,bytes)",
    "isTargetClosed(address)",
    "labelRole(uint64,string)",
    "minSetback()",
    "multicall(bytes[])",
    "renounceRole(uint64,address)",
    "revokeRole(uint64,address)",
    "schedule(address,bytes,uint48)",
    "setGrantDelay(uint64,uint32)",
    "setRoleAdmin(uint64,uint64)",
    "setRoleGuardian(uint64,uint64)",
    "setTargetAdminDelay(address,uint32)",
    "setTargetClosed(address,bool)",
    "setTargetFunctionRole(address,bytes4[],uint64)"
  ].map(Selectors.selector)
])
