/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import * as AppendedSender from "../expression/AppendedSender.js"
import { type Expression, type Leaf, type UnaryOpcode, unmasked } from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import { type BlockRun, fresh, type Instruction, type Instructions, pop, unknownAt, use } from "./BlockRun.js"
import * as MemoryInput from "./MemoryInput.js"

/** Instructions that read the call, the block, the running code and other accounts. */
export const instructions = (): Instructions => [
  ...given.map((opcode) => [opcode, give(opcode)] as const),
  ...([Opcodes.CLZ, Opcodes.BLOCKHASH, Opcodes.BLOBHASH] as const).map((opcode) => [opcode, ofOne(opcode)] as const),
  [Opcodes.CALLDATALOAD, calldataload],
  [Opcodes.CODESIZE, codesize],
  [Opcodes.PC, pc],
  [Opcodes.MSIZE, msize],
  [Opcodes.RETURNDATASIZE, returndatasize],
  [Opcodes.GAS, gas],
  [Opcodes.SELFBALANCE, selfbalance],
  [Opcodes.EXTCODESIZE, extcodesize],
  [Opcodes.EXTCODEHASH, lookAtAccount],
  [Opcodes.BALANCE, lookAtAccount]
]

const given = [
  Opcodes.CALLDATASIZE,
  Opcodes.ADDRESS,
  Opcodes.ORIGIN,
  Opcodes.CALLER,
  Opcodes.CALLVALUE,
  Opcodes.GASPRICE,
  Opcodes.COINBASE,
  Opcodes.TIMESTAMP,
  Opcodes.NUMBER,
  Opcodes.PREVRANDAO,
  Opcodes.GASLIMIT,
  Opcodes.CHAINID,
  Opcodes.BASEFEE,
  Opcodes.BLOBBASEFEE
] as const

const give =
  (opcode: Leaf): Instruction =>
  ({ exploration: { pool }, stack }) => {
    stack.push(pool.nullary(opcode))
  }

const ofOne =
  (opcode: UnaryOpcode): Instruction =>
  (block) => {
    block.stack.push(block.exploration.pool.node(opcode, [pop(block)]))
  }

const calldataload: Instruction = (block, offset) => {
  block.stack.push(senderOr(block, block.exploration.pool.node(Opcodes.CALLDATALOAD, [pop(block)]), offset))
}

/** The account that a trusted forwarder says has sent the call, where a word is that; any other word itself. */
export const senderOr = (
  { exploration: { options, pool }, node, state }: BlockRun,
  word: Expression,
  offset: number
): Expression => {
  // With the present values of storage, a trusted forwarder may still name a dead account.
  const sender = options.storage === undefined ? AppendedSender.senderIn(pool, word, state.facts) : undefined
  if (sender === undefined) return word
  node.events.push({ kind: "told", offset, ...sender.trust })
  return sender.word
}

const codesize: Instruction = ({ exploration: { bytecode, pool }, stack }) => {
  stack.push(pool.constant(BigInt(bytecode.bytes.length)))
}

const pc: Instruction = ({ exploration: { pool }, stack }, offset) => {
  stack.push(pool.constant(BigInt(offset)))
}

const msize: Instruction = (block, offset) => {
  block.stack.push(fresh(block, offset))
}

const returndatasize: Instruction = (block, offset) => {
  const { pool } = block.exploration
  const size =
    MemoryInput.sizeOf(pool, block.state.answered) ??
    pool.binary(Opcodes.AND, fresh(block, offset), pool.constant(0xffffffffn))
  block.stack.push(size)
  if (block.recovered !== undefined) block.sizes = new Set([...block.sizes, size])
}

const look = (block: BlockRun, offset: number, opcode: number, at: Expression | undefined): void => {
  const result =
    (opcode === Opcodes.EXTCODESIZE || opcode === Opcodes.BALANCE) && at !== undefined && isOfCall(unmasked(at))
      ? unknownAt(block, offset, "party", 0)
      : fresh(block, offset)
  result.environment = true
  block.node.events.push({ kind: "look", offset, opcode, at, result })
  block.stack.push(result)
}

/**
 * Whether an account is the caller or named by the call. The contract's own balance does not count, because anyone can
 * send to it.
 */
const isOfCall = ({ op }: Expression): boolean =>
  op === Opcodes.CALLER || op === Opcodes.CALLDATALOAD || op === Opcodes.ORIGIN

const gas: Instruction = (block, offset, opcode) => {
  look(block, offset, opcode, undefined)
}

const selfbalance: Instruction = (block, offset, opcode) => {
  look(block, offset, opcode, block.exploration.pool.nullary(Opcodes.ADDRESS))
}

const lookAtAccount: Instruction = (block, offset, opcode) => {
  const at = pop(block)
  use(block, offset, at)
  look(block, offset, opcode, at)
}

const extcodesize: Instruction = (block, offset, opcode) => {
  const { pool } = block.exploration
  const at = block.stack.at(-1) as Expression
  // What runs has code, for this is not the constructor; behind a proxy it is the proxy's.
  if (at.op !== Opcodes.ADDRESS) {
    lookAtAccount(block, offset, opcode)
    return
  }
  use(block, offset, pop(block))
  const size = pool.node(Opcodes.EXTCODESIZE, [at])
  block.state.facts = PathFacts.assume(pool, block.state.facts, size, true)
  block.stack.push(size)
}
