/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import * as CallerFormula from "../expression/CallerFormula.js"
import {
  type BinaryOpcode,
  type Expression,
  Kind,
  type TernaryOpcode,
  type UnaryOpcode
} from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import { type BlockRun, type Instruction, type Instructions, pop } from "./BlockRun.js"

/** Numbers made of numbers, truth values among them. */
export const instructions = (): Instructions => [
  ...([Opcodes.ISZERO, Opcodes.NOT] as const).map((opcode) => [opcode, unary(opcode)] as const),
  ...binary.map((opcode) => [opcode, calculate(opcode)] as const),
  [Opcodes.EQ, compare],
  ...([Opcodes.ADDMOD, Opcodes.MULMOD] as const).map((opcode) => [opcode, modulo(opcode)] as const)
]

const binary = [
  Opcodes.ADD,
  Opcodes.MUL,
  Opcodes.SUB,
  Opcodes.DIV,
  Opcodes.SDIV,
  Opcodes.MOD,
  Opcodes.SMOD,
  Opcodes.EXP,
  Opcodes.SIGNEXTEND,
  Opcodes.LT,
  Opcodes.GT,
  Opcodes.SLT,
  Opcodes.SGT,
  Opcodes.AND,
  Opcodes.OR,
  Opcodes.XOR,
  Opcodes.BYTE,
  Opcodes.SHL,
  Opcodes.SHR,
  Opcodes.SAR
] as const

const unary =
  (opcode: UnaryOpcode): Instruction =>
  (block) => {
    block.stack.push(block.exploration.pool.unary(opcode, pop(block)))
  }

const calculate =
  (opcode: BinaryOpcode): Instruction =>
  (block) => {
    const a = pop(block)
    const b = pop(block)
    const result = ofSelector(block, opcode, a, b) ?? block.exploration.pool.binary(opcode, a, b)
    // Vyper compares selectors by what they differ in.
    if ((opcode === Opcodes.XOR || opcode === Opcodes.SUB) && isOfAnotherEntry(block, a, b))
      block.state.facts = PathFacts.assume(block.exploration.pool, block.state.facts, result, true)
    if ((opcode === Opcodes.XOR || opcode === Opcodes.SUB) && isOfAbsent(block, a, b)) {
      const { pool } = block.exploration
      const isSame = pool.binary(Opcodes.EQ, a, b)
      block.state.facts = PathFacts.assume(pool, block.state.facts, isSame, false)
      block.state.facts = PathFacts.assume(pool, block.state.facts, result, true)
    }
    block.stack.push(result)
  }

/** What compilers calculate to find the selector, or whether there is one. */
const ofSelector = (
  { exploration: { firstWord, options, pool, selector, zero } }: BlockRun,
  opcode: number,
  a: Expression,
  b: Expression
): Expression | undefined => {
  if (opcode === Opcodes.SHR)
    return b === firstWord && a.op === Kind.constant && a.value === 224n ? selector : undefined
  if (opcode === Opcodes.DIV)
    return a === firstWord && b.op === Kind.constant && b.value === 1n << 224n ? selector : undefined
  if (opcode === Opcodes.AND) {
    const mask = a === firstWord ? b : b === firstWord ? a : undefined
    return mask?.op === Kind.constant && mask.value === 0xffffffffn << 224n
      ? pool.binary(Opcodes.SHL, pool.constant(224n), selector)
      : undefined
  }
  return opcode === Opcodes.LT &&
    a.op === Opcodes.CALLDATASIZE &&
    b.op === Kind.constant &&
    b.value <= 4n &&
    options.selector !== undefined
    ? zero
    : undefined
}

const compare: Instruction = (block) => {
  const { pool, zero } = block.exploration
  const a = pop(block)
  const b = pop(block)
  const isOther = isOfAnotherEntry(block, a, b) || isOfAbsent(block, a, b)
  block.stack.push(isOther ? zero : pool.binary(Opcodes.EQ, a, b))
}

/** Whether the caller or the origin is held against an account that sends no transaction. */
const isOfAbsent = ({ exploration: { options } }: BlockRun, a: Expression, b: Expression): boolean => {
  if (options.isAbsent === undefined) return false
  const account = CallerFormula.isCaller(a) ? b : CallerFormula.isCaller(b) ? a : undefined
  return account?.op === Kind.constant && options.isAbsent(account.value)
}

/** Whether the selector is held against one that this entry is not for: it is for all that nothing is compared with. */
const isOfAnotherEntry = (
  { exploration: { options, pool, progress } }: BlockRun,
  a: Expression,
  b: Expression
): boolean => {
  const compared = a === pool.selector ? b : b === pool.selector ? a : undefined
  if (compared?.op !== Kind.constant || compared.bits > 32) return false
  if (!options.known.has(compared.value)) progress.discovered.add(compared.value)
  return true
}

const modulo =
  (opcode: TernaryOpcode): Instruction =>
  (block) => {
    block.stack.push(block.exploration.pool.node(opcode, [pop(block), pop(block), pop(block)]))
  }
