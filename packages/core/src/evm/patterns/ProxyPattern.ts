import { Option } from "effect"
import * as OxHex from "ox/Hex"
import * as Address from "../../domain/Address.js"
import type { ProxyKind } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../bytecode/Bytecode.js"
import { immediateSize, inputs, Opcodes, outputs } from "../bytecode/Opcodes.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as Slots from "../bytecode/Slots.js"
import type { Call, FunctionFlow, StorageFlow } from "../summary/StorageFlow.js"

/**
 * A proxy that has its implementation written into its code, so that nobody can change it.
 *
 * @since 0.1.0
 * @category models
 */
export interface CodeProxy {
  readonly kind: "eip1167" | "clone_with_immutable_args"
  readonly implementation: Address.Address
}

/**
 * Recognises a clone by what its code does: every path delegates the call to one constant address or only accepts
 * ether, and nothing that runs can read or write storage, call elsewhere, create or destroy.
 *
 * Holds for EIP-1167 with any push width, ERC-7511, Vyper's forwarders, 0age's and Solady's clones, and the three ways
 * of appending immutable arguments (wighawag's, 0xSplits', Solady's); code behind the template is only accepted as data.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1167
 * @see https://eips.ethereum.org/EIPS/eip-7511
 * @since 0.1.0
 * @category constructors
 */
export const fromCode = (code: Hex): Option.Option<CodeProxy> => {
  const bytecode = Bytecode.parse(code)
  const { bytes, jumpdests } = bytecode
  const pending: Array<{
    readonly offset: number
    readonly stack: ReadonlyArray<bigint | undefined>
    readonly called: boolean
  }> = [{ offset: 0, stack: [], called: false }]
  let target: bigint | undefined
  let end = 0
  let steps = 0
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const stack = [...path.stack]
    let { offset, called } = path
    for (let running = true; running; ) {
      if (++steps > cloneSteps) return Option.none()
      const opcode = bytes[offset] ?? Opcodes.STOP
      const size = immediateSize(opcode)
      if (!harmless.has(opcode) && size === 0) return Option.none()
      if (offset < bytes.length) end = Math.max(end, offset + 1 + size)
      if (stack.length < inputs(opcode)) return Option.none()
      if (opcode === Opcodes.DELEGATECALL) {
        const callee = stack[stack.length - 2]
        if (callee === undefined || (target !== undefined && target !== callee)) return Option.none()
        target = callee
        called = true
      }
      if (size > 0 || opcode === Opcodes.PUSH0) {
        stack.push(BigInt(OxHex.fromBytes(bytes.slice(offset, offset + 1 + size))) & ((1n << BigInt(8 * size)) - 1n))
      } else if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) {
        stack.push(stack[stack.length - (opcode - Opcodes.DUP1 + 1)])
      } else if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
        const top = stack.length - 1
        const other = top - (opcode - Opcodes.SWAP1 + 1)
        const moved = stack[top]
        stack[top] = stack[other]
        stack[other] = moved
      } else if (opcode === Opcodes.JUMPI || opcode === Opcodes.JUMP) {
        const destination = stack.pop()
        if (destination === undefined || !jumpdests.has(Number(destination))) return Option.none()
        if (opcode === Opcodes.JUMPI) {
          stack.pop()
          pending.push({ offset: offset + 1, stack: [...stack], called })
        }
        offset = Number(destination)
        continue
      } else {
        for (let taken = inputs(opcode); taken > 0; taken--) stack.pop()
        // Before the first call there is no return data, which clones use as a cheap zero.
        for (let left = outputs(opcode); left > 0; left--)
          stack.push(opcode === Opcodes.RETURNDATASIZE && !called ? 0n : undefined)
        running = opcode !== Opcodes.STOP && opcode !== Opcodes.RETURN && opcode !== Opcodes.REVERT
      }
      offset += 1 + size
    }
  }
  if (target === undefined || target === 0n || target >= 1n << 160n) return Option.none()
  const trailing =
    bytes.length - end - Option.match(bytecode.metadata, { onNone: () => 0, onSome: (found) => found.size })
  return Option.some({
    kind: trailing > 0 ? "clone_with_immutable_args" : "eip1167",
    implementation: Address.checksum(OxHex.fromNumber(target, { size: 20 }))
  })
}

// A clone has under a hundred instructions on two or three paths.
const cloneSteps = 300

const harmless: ReadonlySet<number> = new Set([
  Opcodes.STOP,
  Opcodes.ADD,
  Opcodes.SUB,
  Opcodes.ISZERO,
  Opcodes.CALLVALUE,
  Opcodes.CALLDATASIZE,
  Opcodes.CALLDATACOPY,
  Opcodes.CODESIZE,
  Opcodes.CODECOPY,
  Opcodes.RETURNDATASIZE,
  Opcodes.RETURNDATACOPY,
  Opcodes.POP,
  Opcodes.MLOAD,
  Opcodes.MSTORE,
  Opcodes.JUMP,
  Opcodes.JUMPI,
  Opcodes.GAS,
  Opcodes.JUMPDEST,
  Opcodes.PUSH0,
  ...Array.from({ length: 32 }, (_, i) => Opcodes.DUP1 + i),
  // ReceiveETH(uint256), which 0xSplits' clones log instead of delegating a bare payment.
  Opcodes.LOG0 + 1,
  Opcodes.RETURN,
  Opcodes.DELEGATECALL,
  Opcodes.REVERT
])

/**
 * A standard place in storage where a proxy keeps its implementation (or, for a beacon, the beacon), and where it keeps
 * who may change it.
 *
 * @since 0.1.0
 * @category models
 */
export interface SlotPattern {
  readonly kind: ProxyKind
  readonly slot: Hex
  readonly admin: Option.Option<Hex>
}

/**
 * The slots to read, most specific first; more than one that is set is a conflict to report.
 *
 * @since 0.1.0
 * @category constructors
 */
export const slotPatterns: ReadonlyArray<SlotPattern> = [
  // https://eips.ethereum.org/EIPS/eip-1967
  { kind: "eip1967", slot: Slots.implementation, admin: Option.some(Slots.admin) },
  { kind: "eip1967_beacon", slot: Slots.beacon, admin: Option.none() },
  // https://eips.ethereum.org/EIPS/eip-1822
  { kind: "eip1822", slot: Slots.proxiable, admin: Option.none() },
  { kind: "zeppelinos", slot: Slots.zeppelinOsImplementation, admin: Option.some(Slots.zeppelinOsAdmin) },
  { kind: "polygon", slot: Slots.polygonImplementation, admin: Option.some(Slots.polygonOwner) }
]

/**
 * The slots out of which a contract's fallback takes the code it delegates to, as 32-byte words: the way to find the
 * implementation of a proxy that follows no pattern.
 *
 * @since 0.1.0
 * @category combinators
 */
export const delegateSlots = (flow: StorageFlow): ReadonlyArray<Hex> =>
  flow.delegations.flatMap(({ target, selectors }) =>
    target.kind === "storage" && selectors.includes("fallback") && /^0x[0-9a-f]+$/.test(target.slot)
      ? [OxHex.padLeft(target.slot.length % 2 === 0 ? (target.slot as Hex) : `0x0${target.slot.slice(2)}`, 32)]
      : []
  )

/**
 * The functions of a proxy besides delegation and upgrades: those that use other storage than the slots of
 * implementation and admin, or call other contracts. They answer instead of the implementation.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ownFunctions = (flow: StorageFlow): ReadonlyArray<FunctionFlow> => {
  const own = new Set<string>([...proxySlots, ...delegateSlots(flow)].map((slot) => BigInt(slot).toString()))
  const isOwn = (slot: string): boolean => /^0x[0-9a-f]+$/.test(slot) && own.has(BigInt(slot).toString())
  // Getters for the administrator hand everybody else's call on, as the fallback does.
  const handsOn = ({ kind, target }: Call): boolean =>
    kind === "staticcall" || target.every((origin) => origin.kind === "storage" && isOwn(origin.slot))
  return flow.functions.filter(({ calls, reads, selector, writes }) => {
    // A call to a new implementation initialises it.
    if (writes.length > 0 && writes.every(({ slot }) => isOwn(slot))) return false
    // What answers everything else hands it on, and may do something of its own before.
    if (selector === "fallback") return writes.length > 0
    return writes.length > 0 || calls.some((call) => !handsOn(call)) || reads.some(({ slot }) => !isOwn(slot))
  })
}

const proxySlots: ReadonlyArray<Hex> = slotPatterns.flatMap(({ admin, slot }) => [slot, ...Option.toArray(admin)])

/**
 * The getters by which a beacon names its implementation, in the order to try.
 *
 * @since 0.1.0
 * @category constructors
 */
export const beaconGetters: ReadonlyArray<Hex> = [
  Selectors.functions.implementation,
  Selectors.functions.childImplementation
]

/**
 * Whether code carries the masterCopy() selector as Safe proxies do (they compare the first calldata word with it), so
 * that slot 0 is its singleton. The code alone shows it, for a Safe proxy has no dispatcher.
 *
 * @see https://github.com/safe-global/safe-smart-account/blob/main/contracts/proxies/SafeProxy.sol
 * @since 0.1.0
 * @category combinators
 */
export const isSafeProxy = (code: Hex): boolean => {
  const marker = BigInt(Selectors.functions.masterCopy)
  const { instructions } = Bytecode.parse(code)
  return (
    instructions.length < 200 &&
    instructions.some(({ immediate }) => immediate === marker || immediate === marker << 224n) &&
    instructions.some(({ opcode }) => opcode === Opcodes.DELEGATECALL)
  )
}

/**
 * Whether an implementation brings its own upgrade function (UUPS), by the selectors it dispatches on.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1822
 * @since 0.1.0
 * @category combinators
 */
export const isUups = (selectors: ReadonlyArray<Hex>): boolean =>
  selectors.includes(Selectors.functions.proxiableUUID) &&
  (selectors.includes(Selectors.functions.upgradeToAndCall) ||
    selectors.includes(Selectors.functions.upgradeTo) ||
    selectors.includes(Selectors.functions.updateCodeAddress))

/**
 * Whether code can be changed from within a diamond, by the selectors its facets dispatch on.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2535
 * @since 0.1.0
 * @category combinators
 */
export const hasDiamondCut = (selectors: ReadonlyArray<Hex>): boolean =>
  selectors.includes(Selectors.functions.diamondCut)
