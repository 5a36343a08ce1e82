/** @internal */

import { inputs, Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind } from "../expression/Expression.js"
import {
  eitherOf,
  fresh,
  type Instruction,
  type Instructions,
  place,
  pop,
  touchMemory,
  unknownAt,
  use
} from "./BlockRun.js"
import * as Memory from "./Memory.js"
import * as MemoryInput from "./MemoryInput.js"
import * as Signer from "./Signer.js"
import * as StorageEpochs from "./StorageEpochs.js"

/** What others see or do: calls, contracts that are made, and logs. */
export const instructions = (): Instructions => [
  ...[0, 1, 2, 3, 4].map((topics) => [Opcodes.LOG0 + topics, log] as const),
  ...[Opcodes.CREATE, Opcodes.CREATE2].map((opcode) => [opcode, create] as const),
  ...[Opcodes.CALL, Opcodes.CALLCODE, Opcodes.DELEGATECALL, Opcodes.STATICCALL].map((opcode) => [opcode, call] as const)
]

const log: Instruction = (block, offset, opcode) => {
  const [at, length] = [pop(block), pop(block)]
  use(block, offset, at, length)
  touchMemory(block, offset, at, length)
  const topics: Array<Expression> = []
  for (let i = opcode - Opcodes.LOG0; i > 0; i--) topics.push(pop(block))
  block.node.events.push({ kind: "log", offset, topics })
}

const create: Instruction = (block, offset, opcode) => {
  for (let i = inputs(opcode); i > 0; i--) use(block, offset, pop(block))
  block.node.events.push({ kind: "create", offset })
  block.stack.push(fresh(block, offset))
  block.state.answered = undefined
  StorageEpochs.touch(block.state, undefined, place(block, offset))
}

const call: Instruction = (block, offset, opcode) => {
  const { firstWord, pool, progress, selector, trusted, zero } = block.exploration
  const { state } = block
  const gas = pop(block)
  const target = pop(block)
  const value = opcode === Opcodes.CALL || opcode === Opcodes.CALLCODE ? pop(block) : undefined
  const [told, size] = [pop(block), pop(block)]
  const pieces = Memory.readPieces(state, told, size, zero)
  const asked =
    opcode === Opcodes.STATICCALL || pieces === undefined ? MemoryInput.askedAt(pool, state, told, zero) : undefined
  progress.steps += pieces?.length ?? 0
  const input = pieces === undefined ? undefined : Memory.wordsOf(pieces)
  const at = pop(block)
  const length = pop(block)
  use(block, offset, ...(isUsualGas(gas) ? [] : [gas]), told, size, at, length)
  const answers = [unknownAt(block, offset, "answer", 0), unknownAt(block, offset, "answer", 1)] as const
  for (const answer of answers) answer.environment = true
  const recovers = target.op === Kind.constant && target.value === Signer.ecrecover
  const before = Memory.readWord(pool, state, at, selector, firstWord, zero)
  // For an invalid signature nothing is returned, and the output area keeps its content.
  const left =
    recovers && !(before?.op === Kind.constant && before.value === 0n) ? (before ?? fresh(block, offset)) : undefined
  const first = eitherOf(block, left, answers[0], offset) ?? answers[0]
  const isPut = length.op === Kind.constant && length.value >= Memory.word32
  block.recovered = recovers
    ? { answer: answers[0], at: isPut ? at : undefined, either: first === answers[0] ? undefined : first }
    : undefined
  block.sizes = new Set()
  block.bySize = new Set()
  MemoryInput.putAnswers(pool, state, at, length, [first, answers[1]], trusted)
  const success = fresh(block, offset)
  block.node.events.push({
    kind: "call",
    offset,
    opcode,
    target,
    value,
    facts: state.facts,
    input,
    asked,
    success,
    answers,
    copied: MemoryInput.copiedOf(pool, answers[0]),
    left: isPut ? before : undefined
  })
  state.answered = answers[0]
  // The callee may call back.
  if (opcode !== Opcodes.STATICCALL) StorageEpochs.touch(state, undefined, place(block, offset))
  block.stack.push(success)
}

/**
 * Whether a call is given all the gas that is left, or all but what the call itself costs, as old compilers took off, or what
 * compilers give a call that pays nobody.
 */
const isUsualGas = ({ args: [a, b], op }: Expression): boolean =>
  op === Kind.unknown ||
  ((op === Opcodes.SUB || op === Opcodes.ADD) && a?.op === Kind.unknown && b?.op === Kind.constant) ||
  (op === Opcodes.MUL && a?.op === Opcodes.ISZERO && b?.op === Kind.constant && b.value === stipend)

const stipend = 2300n
