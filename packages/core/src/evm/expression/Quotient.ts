/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord, type Pool } from "./Expression.js"
import * as PathFacts from "./PathFacts.js"

/**
 * Whether facts say that `quotient` is `x * y / d` with nothing lost above a word: the product fits into one, or it is worked
 * out over two words as libraries do it.
 *
 * @see https://xn--2-umb.com/21/muldiv/
 */
export const isOf = (pool: Pool, quotient: Expression, { d, x, y }: Division, facts: PathFacts.PathFacts): boolean => {
  const product = pool.binary(Opcodes.MUL, x, y)
  return [
    [x, y],
    [y, x]
  ].some(([a, b]) => {
    if (a === undefined || b === undefined) return false
    const high = highOf(pool, a, b, product)
    return quotient === pool.binary(Opcodes.DIV, product, d)
      ? isNothing(pool, high, facts) || isInWord(pool, { d, x: a, y: b }, product, facts)
      : PathFacts.decide(pool.binary(Opcodes.LT, high, d), facts) === true &&
          isOfTwoWords(pool, quotient, { d, x: a, y: b }, product, high)
  })
}

/** A product that is divided by a number. */
export interface Division {
  readonly x: Expression
  readonly y: Expression
  readonly d: Expression
}

/** The division that a formula is the remainder of; none for other formulas. */
export const ofRemainder = ({ args, op }: Expression): Division | undefined => {
  const [a, b, c] = args
  if (a === undefined || b === undefined) return undefined
  if (op === Opcodes.MULMOD) return c === undefined ? undefined : { x: a, y: b, d: c }
  const [x, y] = op === Opcodes.MOD && a.op === Opcodes.MUL ? a.args : []
  return x === undefined || y === undefined ? undefined : { x, y, d: b }
}

/** What of a product is above a word. */
const highOf = (pool: Pool, x: Expression, y: Expression, product: Expression): Expression => {
  const modulo = pool.node(Opcodes.MULMOD, [x, y, pool.constant(maxWord)])
  return pool.binary(Opcodes.SUB, pool.binary(Opcodes.SUB, modulo, product), pool.binary(Opcodes.LT, modulo, product))
}

const isNothing = (pool: Pool, difference: Expression, facts: PathFacts.PathFacts): boolean =>
  PathFacts.decide(difference, facts) === false ||
  (difference.op === Opcodes.SUB && PathFacts.decide(pool.binary(Opcodes.EQ, ...difference.args), facts) === true)

/** Whether the path checked that a product fits into a word: compilers divide again, libraries check beforehand. */
const isInWord = (pool: Pool, { d, x, y }: Division, product: Expression, facts: PathFacts.PathFacts): boolean => {
  if (x.op === Kind.constant && x.bits + y.bits <= 256) return true
  const again = pool.binary(Opcodes.EQ, pool.binary(Opcodes.DIV, product, x), y)
  const above = pool.binary(Opcodes.LT, pool.binary(Opcodes.DIV, pool.constant(maxWord), y), x)
  const beforehand = pool.unary(Opcodes.ISZERO, pool.binary(Opcodes.MUL, y, above))
  return [
    again,
    pool.binary(Opcodes.OR, pool.unary(Opcodes.ISZERO, x), again),
    pool.binary(Opcodes.MUL, d, beforehand)
  ].some((asked) => PathFacts.decide(asked, facts) === true)
}

/** The steps of the division: powers of two are taken out, and what is left is multiplied with its inverse. */
const isOfTwoWords = (
  pool: Pool,
  quotient: Expression,
  { d, x, y }: Division,
  low: Expression,
  high: Expression
): boolean => {
  if (quotient.op !== Opcodes.MUL) return false
  const [zero, one, two] = [pool.constant(0n), pool.constant(1n), pool.constant(2n)]
  const rest = pool.node(Opcodes.MULMOD, [x, y, d])
  const left = pool.binary(Opcodes.SUB, high, pool.binary(Opcodes.LT, low, rest))
  const right = pool.binary(Opcodes.SUB, low, rest)
  const negated = [pool.binary(Opcodes.SUB, zero, d), pool.binary(Opcodes.ADD, pool.unary(Opcodes.NOT, d), one)]
  return negated.some((negative) => {
    const twos = pool.binary(Opcodes.AND, d, negative)
    const odd = pool.binary(Opcodes.DIV, d, twos)
    const shift = pool.binary(Opcodes.ADD, pool.binary(Opcodes.DIV, pool.binary(Opcodes.SUB, zero, twos), twos), one)
    let inverse = pool.binary(Opcodes.XOR, pool.binary(Opcodes.MUL, pool.constant(3n), odd), two)
    // Each step doubles the bits that are right: 4, 8, ... 256.
    for (let step = 0; step < 6; step++)
      inverse = pool.binary(Opcodes.MUL, inverse, pool.binary(Opcodes.SUB, two, pool.binary(Opcodes.MUL, odd, inverse)))
    const whole = pool.binary(Opcodes.OR, pool.binary(Opcodes.DIV, right, twos), pool.binary(Opcodes.MUL, left, shift))
    return quotient === pool.binary(Opcodes.MUL, whole, inverse)
  })
}
