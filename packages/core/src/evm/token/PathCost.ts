/** @internal */

import type { Bytecode } from "../bytecode/Bytecode.js"
import * as CopyLoop from "../bytecode/CopyLoop.js"
import { immediateSize, Opcodes } from "../bytecode/Opcodes.js"
import type { PathTree } from "../interpreter/PathTree.js"
import type { Block } from "../interpreter/Trace.js"

/**
 * What a block costs at most, in gas, provided that it touches only memory near its start; `isBounded` is false where that is
 * not bounded, or where an instruction may fail for a reason that is no condition of the code.
 */
export interface PathCost {
  readonly gas: number
  readonly isBounded: boolean
}

/** The cost of a block. `known` are the instructions of recent forks that the chain is known to have. */
export const ofBlock = ({ bytes }: Bytecode, { offset: first }: Block, known: ReadonlySet<number>): PathCost => {
  let gas = 0
  let isBounded = CopyLoop.at(bytes, first) === undefined
  for (const opcode of opcodesFrom(bytes, first)) {
    gas += costs.get(opcode) ?? usual
    if (failing.has(opcode) || (recent.has(opcode) && !known.has(opcode))) isBounded = false
  }
  return { gas, isBounded }
}

/** The instructions of recent forks that a function uses where it succeeds. A chain on which it answers has them. */
export const newInstructionsOf = ({ bytes }: Bytecode, { trace }: PathTree): ReadonlySet<number> => {
  const found = new Set<number>()
  for (const { offset: first, succeeds } of trace.blocks) {
    if (!succeeds) continue
    for (const opcode of opcodesFrom(bytes, first)) if (recent.has(opcode)) found.add(opcode)
  }
  return found
}

/** The opcodes of the block that begins at an offset. */
function* opcodesFrom(bytes: Uint8Array, first: number): Generator<number> {
  for (let offset = first; offset < bytes.length; ) {
    const opcode = bytes[offset] ?? Opcodes.STOP
    if (opcode === Opcodes.JUMPDEST && offset !== first) return
    yield opcode
    if (ending.has(opcode)) return
    offset += 1 + immediateSize(opcode)
  }
}

const usual = 50

// The dearest case of each, with the keys and words of 4,096 bytes of memory.
// https://ethereum.github.io/execution-specs/
const costs: ReadonlyMap<number, number> = new Map<number, number>([
  [Opcodes.SLOAD, 2_100],
  [Opcodes.SSTORE, 22_100],
  [Opcodes.EXP, 1_700],
  [Opcodes.KECCAK256, 900],
  [Opcodes.BALANCE, 2_600],
  [Opcodes.EXTCODESIZE, 2_600],
  [Opcodes.EXTCODEHASH, 2_600],
  [Opcodes.CALLDATACOPY, 500],
  [Opcodes.CODECOPY, 500],
  [Opcodes.MCOPY, 500],
  ...[0, 1, 2, 3, 4].map((topics) => [Opcodes.LOG0 + topics, 40_000] as const)
])

/** Instructions that fail, or let others decide. */
const failing: ReadonlySet<number> = new Set([
  Opcodes.CALL,
  Opcodes.CALLCODE,
  Opcodes.DELEGATECALL,
  Opcodes.STATICCALL,
  Opcodes.CREATE,
  Opcodes.CREATE2,
  Opcodes.SELFDESTRUCT,
  Opcodes.RETURNDATACOPY,
  Opcodes.EXTCODECOPY
])

/** Instructions that a chain may not have yet: those since Shanghai, and London's. */
const recent: ReadonlySet<number> = new Set([
  Opcodes.BASEFEE,
  Opcodes.PUSH0,
  Opcodes.MCOPY,
  Opcodes.TLOAD,
  Opcodes.TSTORE,
  Opcodes.BLOBHASH,
  Opcodes.BLOBBASEFEE,
  Opcodes.CLZ
])

const ending: ReadonlySet<number> = new Set([
  Opcodes.JUMP,
  Opcodes.JUMPI,
  Opcodes.STOP,
  Opcodes.RETURN,
  Opcodes.REVERT,
  Opcodes.SELFDESTRUCT
])
