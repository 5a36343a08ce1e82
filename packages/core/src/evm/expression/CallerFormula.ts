/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool, unmasked } from "./Expression.js"
import { isOfContract, loadedField, type Tracer } from "./ValueSource.js"

/** Whether a formula is who calls, or who sent the transaction. */
export const isCaller = (what: Expression): boolean => what.op === Opcodes.CALLER || what.op === Opcodes.ORIGIN

/** What is the same where a formula is zero, or where it says so; a number taken away is one added in formulas. */
export const comparedIn = (pool: Pool, { args, op }: Expression): readonly [Expression, Expression] | undefined => {
  const [a, b] = args
  if (a === undefined || b === undefined) return undefined
  if (op === Opcodes.EQ || op === Opcodes.SUB || op === Opcodes.XOR) return [a, b]
  return op === Opcodes.ADD && b.op === Kind.constant && b.bits === 256
    ? [a, pool.constant(2n ** 256n - b.value)]
    : undefined
}

/**
 * Whether a formula is a word of memory that could not be followed. The account is one where the signature has a
 * variable length. Answers of other contracts do not count.
 */
export const isUntold = (what: Expression, depth = 0): boolean => {
  const bare = unmasked(what)
  if (bare.op === Kind.unknown) return bare.detail.kind !== "answer"
  if (bare.op !== Kind.merge || depth > 4) return false
  const ways = [...bare.alternatives].filter((way) => way.op !== Kind.constant || way.value !== 0n)
  return ways.length > 0 && ways.every((way) => isUntold(way, depth + 1))
}

/** Whether a formula is a hash or a sum that identifies the caller. */
export const isDisguised = (what: Expression, depth = 0): boolean =>
  disguising.has(what.op) && depth < 6 && what.args.some((part) => isCaller(part) || isDisguised(part, depth + 1))

const disguising: ReadonlySet<number> = new Set([
  Opcodes.KECCAK256,
  Opcodes.XOR,
  Opcodes.ADD,
  Opcodes.SUB,
  Opcodes.MUL,
  Opcodes.DIV,
  Opcodes.MOD,
  Opcodes.SHL,
  Opcodes.SHR,
  Opcodes.NOT,
  Opcodes.AND,
  Opcodes.OR
])

/** Whether a number is a constant or a variable, independent of the caller and the arguments. */
export const isFixed = (tracer: Tracer, what: Expression): boolean => tracer.origins(what).every(isOfContract)

/** Whether an address is a constant or a variable outside of mappings and arrays. */
export const isPlaceOfAccount = (tracer: Tracer, what: Expression): boolean =>
  what.op === Kind.constant
    ? what.bits > 64 && what.bits <= 160
    : loadedField(what)?.field?.size === 20 && isFixed(tracer, what)
