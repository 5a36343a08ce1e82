/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord, type Pool } from "./Expression.js"
import * as PathFacts from "./PathFacts.js"

/**
 * Whether facts of a trace say that `a >= b`, so that `a - b` does not wrap: a comparison of the two, or one of the
 * difference (a difference that wrapped is above what it was taken from, and above 2^255 for shorter numbers).
 */
export const isAtLeast = (pool: Pool, a: Expression, b: Expression, facts: PathFacts.PathFacts): boolean => {
  if (a === b) return true
  const difference = pool.binary(Opcodes.SUB, a, b)
  if (a.bits < 256 && b.bits < 256 && isBelowHalf(pool, difference, facts)) return true
  // Compilers write what a number is taken off as the sum with one below zero.
  const differences =
    b.op === Kind.constant ? [difference, pool.binary(Opcodes.ADD, a, pool.constant(-b.value & maxWord))] : [difference]
  return (
    isFalse(pool.node(Opcodes.LT, [a, b]), facts) ||
    isTrue(pool.node(Opcodes.LT, [b, a]), facts) ||
    differences.some(
      (one) => isFalse(pool.node(Opcodes.LT, [a, one]), facts) || isTrue(pool.node(Opcodes.LT, [one, a]), facts)
    ) ||
    isTrue(pool.binary(Opcodes.EQ, a, b), facts)
  )
}

/**
 * Whether facts of a trace show that `a + b` does not wrap: the sum is not below one of the two, one is at most the
 * largest word minus the other, or both have few bits.
 */
export const isSum = (pool: Pool, a: Expression, b: Expression, facts: PathFacts.PathFacts): boolean => {
  if (a.bits < 256 && b.bits < 256) return true
  const sum = pool.binary(Opcodes.ADD, a, b)
  return bothWays(a, b).some(
    ([part, other]) =>
      isFalse(pool.node(Opcodes.LT, [sum, part]), facts) ||
      isTrue(pool.node(Opcodes.LT, [part, sum]), facts) ||
      isFalse(pool.node(Opcodes.LT, [pool.unary(Opcodes.NOT, other), part]), facts)
  )
}

/**
 * Whether facts of a trace show that `a + b` fits in a number of low bits: the truncated sum is not below one of the
 * two, or one is at most the largest such number minus the other.
 */
export const isSumWithin = (
  pool: Pool,
  a: Expression,
  b: Expression,
  most: bigint,
  facts: PathFacts.PathFacts
): boolean => {
  if (most === maxWord) return isSum(pool, a, b, facts)
  const sum = pool.binary(Opcodes.ADD, a, b)
  const all = pool.constant(most)
  const isNever = (smaller: Expression, larger: Expression): boolean =>
    PathFacts.decide(pool.binary(Opcodes.LT, smaller, larger), facts) === false
  return (
    isNever(all, sum) ||
    bothWays(a, b).some(
      ([part, other]) =>
        isNever(pool.binary(Opcodes.AND, sum, all), part) || isNever(pool.binary(Opcodes.SUB, all, other), part)
    )
  )
}

const bothWays = (a: Expression, b: Expression) =>
  [
    [a, b],
    [b, a]
  ] as const

const isTrue = (condition: Expression, facts: PathFacts.PathFacts): boolean => PathFacts.has(facts, 2 * condition.id)

const isFalse = (condition: Expression, facts: PathFacts.PathFacts): boolean =>
  PathFacts.has(facts, 2 * condition.id + 1)

const isBelowHalf = (pool: Pool, what: Expression, facts: PathFacts.PathFacts): boolean => {
  for (const fact of facts) {
    const condition = pool.get(fact >> 1)
    if (condition.op !== Opcodes.LT) continue
    const [smaller, larger] = (fact & 1) === 0 ? condition.args : [condition.args[1], condition.args[0]]
    if (smaller === what && larger?.op === Kind.constant && larger.value >> 255n === 0n) return true
  }
  return false
}
