/** @internal */

import type { Bytecode } from "../bytecode/Bytecode.js"
import { codeWord } from "../bytecode/CodeWord.js"
import * as CopyLoop from "../bytecode/CopyLoop.js"
import { immediateSize, inputs, isDefined, isUnassigned, Opcodes } from "../bytecode/Opcodes.js"
import { addressBits, type Expression, Kind, maxWord, type Pool, unnegated } from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import * as AbstractState from "./AbstractState.js"
import * as ArithmeticInstructions from "./ArithmeticInstructions.js"
import type { BlockContext } from "./BlockContext.js"
import * as BlockRun from "./BlockRun.js"
import * as CallInstructions from "./CallInstructions.js"
import * as EnvironmentInstructions from "./EnvironmentInstructions.js"
import type * as HeapPointer from "./HeapPointer.js"
import * as Memory from "./Memory.js"
import * as MemoryInstructions from "./MemoryInstructions.js"
import * as StorageInstructions from "./StorageInstructions.js"
import type { Options } from "./Trace.js"

/**
 * Runs a block on formulas, from what is known when it begins to where it jumps: its events, its end, and the blocks
 * that it enters. `name` separates the values of one exploration from those of another.
 */
export const make = (
  bytecode: Bytecode,
  pool: Pool,
  options: Options,
  name: string,
  trusted: HeapPointer.Trusted | undefined,
  progress: BlockRun.Progress,
  enter: BlockRun.Enter
): ((node: BlockContext) => void) => {
  const zero = pool.constant(0n)
  const exploration: BlockRun.Exploration = {
    bytecode,
    pool,
    options,
    name,
    trusted,
    progress,
    enter,
    zero,
    firstWord: pool.node(Opcodes.CALLDATALOAD, [zero]),
    selector: options.selector === undefined ? pool.selector : pool.constant(options.selector)
  }
  return (node) => run(exploration, node)
}

const run = (exploration: BlockRun.Exploration, node: BlockContext): void => {
  const { bytecode, enter, options, pool, progress, trusted, zero } = exploration
  const { bytes } = bytecode
  const started = progress.steps
  node.events = []
  node.entered.fill(undefined)
  node.end = "open"
  node.visits++
  const block = BlockRun.make(exploration, node)
  const { stack, state } = block
  const loop = CopyLoop.at(bytes, node.offset)
  if (loop !== undefined) progress.steps += Memory.copyAtOnce(pool, state, loop, zero, trusted)

  for (let offset = node.offset; ; ) {
    if (++progress.steps > options.maxSteps) {
      progress.complete = false
      return
    }
    // Code without jumps is taken in parts, for only whole blocks can be put aside.
    if (progress.steps - started > stepsPerSlice && offset !== node.offset) {
      enter(offset, state, node, 0)
      return
    }
    const opcode = bytes[offset] ?? Opcodes.STOP
    if (stack.length < inputs(opcode) || stack.length > 1024 || !isDefined(opcode)) {
      // What no fork has defined yet, one to come may.
      if (isUnassigned(opcode)) progress.complete = false
      else node.end = "failure"
      return
    }
    const size = immediateSize(opcode)
    if (size > 0) {
      stack.push(pool.constant(codeWord(bytes, offset + 1, size)))
      offset += 1 + size
      continue
    }
    if (opcode >= Opcodes.DUP1 && opcode <= Opcodes.DUP16) {
      stack.push(stack[stack.length - (opcode - Opcodes.DUP1 + 1)] as Expression)
      offset++
      continue
    }
    if (opcode >= Opcodes.SWAP1 && opcode <= Opcodes.SWAP16) {
      const top = stack.length - 1
      const other = top - (opcode - Opcodes.SWAP1 + 1)
      const moved = stack[top] as Expression
      stack[top] = stack[other] as Expression
      stack[other] = moved
      offset++
      continue
    }
    if (opcode === Opcodes.POP) stack.pop()
    else if (opcode === Opcodes.PUSH0) stack.push(zero)
    else if (opcode === Opcodes.JUMPDEST) {
      if (offset !== node.offset) {
        enter(offset, state, node, 0)
        return
      }
    } else {
      const end = ends[opcode]
      if (end !== undefined) {
        end(block, offset, opcode)
        return
      }
      const instruction = instructions[opcode]
      if (instruction === undefined) {
        node.end = "failure"
        return
      }
      instruction(block, offset, opcode)
    }
    offset++
  }
}

const table = (entries: BlockRun.Instructions): ReadonlyArray<BlockRun.Instruction | undefined> => {
  const byOpcode = new Map(entries)
  return Array.from({ length: 256 }, (_, opcode) => byOpcode.get(opcode))
}

// Each on its own, so that a rare one that surprises the optimiser does not undo what it made of all the others.
const instructions = table([
  ...ArithmeticInstructions.instructions(),
  ...EnvironmentInstructions.instructions(),
  ...MemoryInstructions.instructions(),
  ...StorageInstructions.instructions(),
  ...CallInstructions.instructions()
])

const jump: BlockRun.Instruction = (block) => {
  const target = BlockRun.pop(block)
  if (target.op === Kind.constant) goTo(block, Number(target.value))
  else block.exploration.progress.complete = false
}

const goTo = ({ exploration, node, state }: BlockRun.BlockRun, destination: number): void => {
  if (exploration.bytecode.jumpdests.has(destination)) exploration.enter(destination, state, node, 0)
  else node.end = "failure"
}

const jumpi: BlockRun.Instruction = (block, offset) => {
  const { exploration, node, state } = block
  const { bytecode, enter, pool, progress } = exploration
  const target = BlockRun.pop(block)
  const condition = conditionOf(pool, BlockRun.pop(block))
  const holds = PathFacts.decide(condition, state.facts)
  if (holds === false) {
    enter(offset + 1, state, node, 0)
    return
  }
  if (target.op !== Kind.constant) {
    progress.complete = false
    return
  }
  const destination = Number(target.value)
  if (holds === true) {
    goTo(block, destination)
    return
  }
  const other = AbstractState.copy(state)
  const { facts } = state
  state.facts = PathFacts.assume(pool, facts, condition, true)
  other.facts = PathFacts.assume(pool, facts, condition, false)
  noteAnswer(block, state, condition, true)
  noteAnswer(block, other, condition, false)
  const taken = bytecode.jumpdests.has(destination) ? enter(destination, state, node, 1) : undefined
  const passed = enter(offset + 1, other, node, 0)
  node.events.push({
    kind: "branch",
    offset,
    condition,
    facts,
    taken: taken?.index ?? -1,
    passed: passed?.index ?? -1
  })
}

/**
 * On the side of a branch where `ecrecover` is known to have answered, the output area holds the answer. That is where
 * the returned size is not zero, or where the word read at an offset of that size equals an account: it would be a
 * whole hash otherwise.
 */
const noteAnswer = (
  { bySize, recovered, sizes }: BlockRun.BlockRun,
  state: AbstractState.AbstractState,
  condition: Expression,
  holds: boolean
): void => {
  if (recovered?.either === undefined) return
  const { asked, same } = unnegated(condition)
  const isEqual = comparing.has(asked.op) && (asked.op === Opcodes.EQ) === (same === holds)
  const [a, b] = asked.args
  const isRead = (word: Expression | undefined, other: Expression | undefined): boolean =>
    word !== undefined && other !== undefined && bySize.has(word) && other.bits <= addressBits
  if (
    (isEqual && (isRead(a, b) || isRead(b, a))) ||
    [...sizes].some((size) => PathFacts.decide(size, state.facts) === true)
  )
    AbstractState.replace(state, recovered.either, recovered.answer)
}

const comparing: ReadonlySet<number> = new Set([Opcodes.EQ, Opcodes.SUB, Opcodes.XOR])

/** An optimiser compares a value with the largest number by adding one to it. */
const conditionOf = (pool: Pool, what: Expression): Expression => {
  const [x, c] = what.op === Opcodes.ADD ? what.args : []
  return x !== undefined && c?.op === Kind.constant
    ? pool.unary(Opcodes.ISZERO, pool.binary(Opcodes.EQ, x, pool.constant(-c.value & maxWord)))
    : what
}

const stop: BlockRun.Instruction = ({ node }) => {
  node.end = "success"
}

const answer: BlockRun.Instruction = (block, offset) => {
  const { firstWord, pool, selector, zero } = block.exploration
  const at = BlockRun.pop(block)
  const length = BlockRun.pop(block)
  BlockRun.use(block, offset, at, length)
  BlockRun.touchMemory(block, offset, at, length)
  const word =
    length.op === Kind.constant && length.value >= Memory.word32
      ? Memory.readWord(pool, block.state, at, selector, firstWord, zero)
      : undefined
  block.node.events.push({ kind: "return", offset, length, word })
  block.node.end = "success"
}

const destroy: BlockRun.Instruction = (block, offset) => {
  BlockRun.use(block, offset, BlockRun.pop(block))
  block.node.events.push({ kind: "destroy", offset })
  block.node.end = "success"
}

const revert: BlockRun.Instruction = ({ node }) => {
  node.end = "failure"
}

/** With what a block ends. */
const ends = table([
  [Opcodes.JUMP, jump],
  [Opcodes.JUMPI, jumpi],
  [Opcodes.STOP, stop],
  [Opcodes.RETURN, answer],
  [Opcodes.REVERT, revert],
  [Opcodes.SELFDESTRUCT, destroy]
])

/** Steps after which what runs is put aside, about 2 ms. */
export const stepsPerSlice = 2_000
