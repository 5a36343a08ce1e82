/** @internal */

import { type Expression, isSomebody, Kind, type Pool } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"

/**
 * The conditions that hold on a path: `2 * id` for a formula that is not zero, `2 * id + 1` for one that is zero.
 *
 * @since 0.1.0
 * @category models
 */
export type PathFacts = ReadonlySet<number>

/**
 * The facts with which a call begins. One with a selector has calldata; one without any is the entry's for which none is
 * given. Old compilers ask for that first, and every function would seem to do what the code does when it is sent ether.
 *
 * @since 0.1.0
 * @category constructors
 */
export const atEntry = (pool: Pool, selector: bigint | undefined): PathFacts =>
  selector === undefined ? new Set() : assume(pool, new Set(), pool.nullary(Opcodes.CALLDATASIZE), true)

/**
 * Whether a condition is decided by what is known.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decide = (condition: Expression, facts: PathFacts): boolean | undefined => {
  if (condition.op === Kind.constant) return condition.value !== 0n
  if (isSomebody(condition) || facts.has(2 * condition.id)) return true
  if (facts.has(2 * condition.id + 1)) return false
  if (condition.op === Opcodes.ISZERO) {
    const inner = decide(condition.args[0] as Expression, facts)
    return inner === undefined ? undefined : !inner
  }
  // An optimiser asks whether something is zero by taking it off nothing.
  const [from, taken] = condition.op === Opcodes.SUB ? condition.args : []
  if (from?.op === Kind.constant && from.value === 0n && taken !== undefined) return decide(taken, facts)
  if (condition.op === Opcodes.AND && condition.args.every((arg) => arg.bits === 1)) {
    const [a, b] = condition.args.map((arg) => decide(arg, facts))
    return a === false || b === false ? false : a === true && b === true ? true : undefined
  }
  if (condition.op === Opcodes.OR) {
    const [a, b] = condition.args.map((arg) => decide(arg, facts))
    return a === true || b === true ? true : a === false && b === false ? false : undefined
  }
  return undefined
}

/**
 * The facts, and what follows from a condition that holds, or does not.
 *
 * @since 0.1.0
 * @category combinators
 */
export const assume = (pool: Pool, facts: PathFacts, condition: Expression, holds: boolean): PathFacts => {
  const more = new Set(facts)
  note(pool, more, condition, holds)
  return more
}

const note = (pool: Pool, facts: Set<number>, condition: Expression, holds: boolean): void => {
  if (condition.op === Kind.constant) return
  if (condition.op === Opcodes.ISZERO) {
    note(pool, facts, condition.args[0] as Expression, !holds)
    return
  }
  const [a, b] = condition.args as [Expression, Expression]
  if (condition.op === Opcodes.AND && holds && a.bits === 1 && b.bits === 1) {
    note(pool, facts, a, true)
    note(pool, facts, b, true)
  } else if (condition.op === Opcodes.OR && !holds) {
    note(pool, facts, a, false)
    note(pool, facts, b, false)
    noteAllocated(pool, facts, a, b)
  } else if (condition.op === Opcodes.SUB || condition.op === Opcodes.XOR) {
    note(pool, facts, pool.binary(Opcodes.EQ, a, b), !holds)
  }
  facts.add(2 * condition.id + (holds ? 0 : 1))
  const isLess = condition.op === Opcodes.LT || condition.op === Opcodes.SLT
  if (!isLess || holds || a.op !== Kind.merge || b.op !== Kind.constant || b.bits > smallBits) return
  for (const other of a.alternatives) if (facts.has(noLess(pool, other, a))) facts.add(noLess(pool, other, b))
}

/**
 * What was added to where memory was free before is no more than where it is free from then on, which compilers ask to be
 * short and not to have come round.
 */
const noteAllocated = (pool: Pool, facts: Set<number>, a: Expression, b: Expression): void => {
  for (const [low, high] of [
    [a, b],
    [b, a]
  ] as const) {
    const [most, place] = high.op === Opcodes.LT ? high.args : []
    const [same, least] = low.op === Opcodes.LT ? low.args : []
    const [size, from] = place?.op === Opcodes.ADD ? place.args : []
    if (size === undefined || from?.op !== Kind.constant || most?.op !== Kind.constant || same !== place) continue
    const [before, more] = least?.op === Opcodes.ADD ? least.args : []
    const isShort = before !== undefined && facts.has(noMore(pool, before, most))
    const fixed = least?.op === Kind.constant ? least : isShort ? more : undefined
    if (fixed?.op === Kind.constant && fixed.value >= from.value) facts.add(noMore(pool, size, most))
  }
}

const noMore = (pool: Pool, a: Expression, b: Expression): number => noLess(pool, b, a)

/**
 * The fact that a number is no less than another one.
 *
 * @since 0.1.0
 * @category constructors
 */
export const noLess = (pool: Pool, a: Expression, b: Expression): number => 2 * pool.node(Opcodes.LT, [a, b]).id + 1

const smallBits = 24

/**
 * The facts of a merge point that is the smaller of a number and something, by what holds where each comes from: as much is
 * taken of an answer as it is long.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ofSmaller = (
  pool: Pool,
  met: Expression,
  ways: ReadonlyArray<Expression>,
  states: ReadonlyArray<{ readonly facts: PathFacts }>
): ReadonlyArray<number> => {
  const [one, other, ...more] = new Set(ways)
  if (one === undefined || other === undefined || more.length > 0) return []
  const [most, size] = one.op === Kind.constant ? [one, other] : [other, one]
  if (most.op !== Kind.constant || most.bits > smallBits || size.op === Kind.constant || size.bits > 32) return []
  const less = pool.binary(Opcodes.LT, size, most)
  const isSmaller = ways.every((way, i) => decide(less, states[i]?.facts ?? none) === (way === size))
  return isSmaller ? [noLess(pool, size, met)] : []
}

const none: PathFacts = new Set()

/**
 * What holds on every one of some paths.
 *
 * @since 0.1.0
 * @category combinators
 */
export const common = (sets: ReadonlyArray<PathFacts>): PathFacts => {
  const smallest = sets.reduce((a, b) => (b.size < a.size ? b : a))
  if (sets.every((set) => set === smallest)) return smallest
  const kept = new Set<number>()
  for (const fact of smallest) if (sets.every((set) => set.has(fact))) kept.add(fact)
  return kept
}
