/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import type { Expression } from "../expression/Expression.js"
import { eitherOf, fresh, type Instruction, type Instructions, pop, touchMemory, use } from "./BlockRun.js"
import { senderOr } from "./EnvironmentInstructions.js"
import * as Memory from "./Memory.js"
import * as MemoryInput from "./MemoryInput.js"

/** Instructions that read, hash and write memory. */
export const instructions = (): Instructions => [
  [Opcodes.KECCAK256, keccak256],
  [Opcodes.MLOAD, mload],
  [Opcodes.MSTORE, mstore],
  [Opcodes.MSTORE8, mstore8],
  [Opcodes.CALLDATACOPY, calldatacopy],
  [Opcodes.CODECOPY, codecopy],
  [Opcodes.EXTCODECOPY, extcodecopy],
  [Opcodes.RETURNDATACOPY, returndatacopy],
  [Opcodes.MCOPY, mcopy]
]

const keccak256: Instruction = (block, offset) => {
  const { pool, progress, zero } = block.exploration
  const at = pop(block)
  const length = pop(block)
  use(block, offset, at, length)
  touchMemory(block, offset, at, length)
  const pieces = Memory.readPieces(block.state, at, length, zero)
  progress.steps += pieces?.length ?? 0
  const last = pieces === undefined ? Memory.lastWord(pool, block.state, at, length, zero) : undefined
  block.stack.push(
    pieces !== undefined
      ? pool.hash(pieces)
      : last === undefined
        ? fresh(block, offset)
        : // As the entry of a mapping is hashed whose key is bytes: whatever they are, they are of no other mapping.
          pool.hashOfWords(fresh(block, offset), last)
  )
}

const mload: Instruction = (block, offset) => {
  const { firstWord, pool, selector, trusted, zero } = block.exploration
  const { recovered, sizes, stack, state } = block
  const at = pop(block)
  use(block, offset, at)
  touchMemory(block, offset, at, 32)
  const read = (from: Expression) => Memory.readWord(pool, state, from, selector, firstWord, zero)
  /** The content of the output area after a returned word, unless it was overwritten since. */
  const answeredAt = (from: Expression) => {
    const there = read(from)
    return recovered?.at === from && there === (recovered.either ?? recovered.answer) ? recovered.answer : there
  }
  const isSize = sizes.has(at)
  const unanswered = isSize ? read(zero) : undefined
  const word = isSize ? eitherOf(block, unanswered, answeredAt(pool.constant(Memory.word32)), offset) : read(at)
  if (unanswered?.op === Opcodes.KECCAK256 && word !== undefined) block.bySize = new Set([...block.bySize, word])
  if (word !== undefined) {
    stack.push(senderOr(block, word, offset))
    return
  }
  const across = fresh(block, offset)
  const pieces = Memory.readPieces(state, at, pool.constant(Memory.word32), zero)
  block.made = new Map([...block.made, [across, pieces ?? Memory.behindName(pool, state, at, across, zero)]])
  use(block, offset, ...(pieces ?? []).map((piece) => piece.word))
  if (pieces === undefined && !isSize) Memory.note(pool, state, at, across, trusted)
  stack.push(across)
}

const mstore: Instruction = (block, offset) => {
  const { pool, progress, trusted } = block.exploration
  const { made, state } = block
  const at = pop(block)
  use(block, offset, at)
  touchMemory(block, offset, at, 32)
  progress.steps += state.memory.length >> 5
  // Where it cannot be written, the call is over.
  state.facts = Memory.onceWritten(pool, state.facts, at)
  Memory.writePieces(pool, state, at, Memory.piecesOf(pop(block), made), trusted)
}

const mstore8: Instruction = (block, offset) => {
  const at = pop(block)
  const word = pop(block)
  use(block, offset, at, word)
  touchMemory(block, offset, at, 1)
  const { pool, trusted } = block.exploration
  Memory.write(pool, block.state, at, 1, { word, from: 31, length: 1 }, trusted)
}

const calldatacopy: Instruction = (block, offset) => {
  const { pool, progress, trusted } = block.exploration
  const [at, source, length] = [pop(block), pop(block), pop(block)]
  use(block, offset, at, source, length)
  touchMemory(block, offset, at, length)
  progress.steps += MemoryInput.copyCalldata(pool, block.state, at, source, length, trusted)
  block.state.facts = Memory.afterCopy(pool, block.state.facts, length)
}

const codecopy: Instruction = (block, offset) => {
  const { bytecode, pool, progress, trusted } = block.exploration
  const [at, source, length] = [pop(block), pop(block), pop(block)]
  use(block, offset, at, source, length)
  touchMemory(block, offset, at, length)
  progress.steps += MemoryInput.copyCode(pool, block.state, bytecode.bytes, at, source, length, trusted)
}

const extcodecopy: Instruction = (block, offset, opcode) => {
  const { pool, trusted } = block.exploration
  const [account, at, source, length] = [pop(block), pop(block), pop(block), pop(block)]
  use(block, offset, account, at, source, length)
  touchMemory(block, offset, at, length)
  block.node.events.push({ kind: "look", offset, opcode, at: account, result: fresh(block, offset) })
  Memory.clobber(pool, block.state, at, length, trusted)
}

const returndatacopy: Instruction = (block, offset) => {
  const { pool, trusted } = block.exploration
  const [at, source, length] = [pop(block), pop(block), pop(block)]
  use(block, offset, at, source, length)
  touchMemory(block, offset, at, length)
  MemoryInput.copyAnswer(pool, block.state, at, source, length, block.state.answered, trusted)
}

const mcopy: Instruction = (block, offset) => {
  const { pool, progress, trusted, zero } = block.exploration
  const [at, source, length] = [pop(block), pop(block), pop(block)]
  use(block, offset, at, source, length)
  touchMemory(block, offset, at, length)
  touchMemory(block, offset, source, length)
  progress.steps += Memory.copyMemory(pool, block.state, at, source, length, zero, trusted)
}
