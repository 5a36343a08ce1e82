/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Constant, type Expression, isConstant, isSomebody, Kind, type Pool } from "./Expression.js"

/**
 * The conditions that hold on a path, in ascending order: `2 * id` for a formula that is not zero, `2 * id + 1` for one that
 * is zero. Every branch has its own, so that they are copied often and hold little each.
 */
export type PathFacts = ReadonlyArray<number>

/** Nothing is known. */
export const none: PathFacts = []

/** Whether a fact is among others. */
export const has = (facts: PathFacts, fact: number): boolean => facts[placeIn(facts, fact)] === fact

/** Facts with others added. */
export const and = (facts: PathFacts, others: Iterable<number>): PathFacts => {
  const more = facts.slice()
  for (const fact of others) add(more, fact)
  return more
}

/** The index of a fact in a sorted list, or the one at which it would be inserted. */
const placeIn = (facts: PathFacts, fact: number): number => {
  let [from, to] = [0, facts.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((facts[middle] as number) < fact) from = middle + 1
    else to = middle
  }
  return from
}

const add = (facts: Array<number>, fact: number): void => {
  const place = placeIn(facts, fact)
  if (facts[place] === fact) return
  if (place === facts.length) facts.push(fact)
  else facts.splice(place, 0, fact)
}

/**
 * The facts at the start of a call. A call with a selector has calldata; the entry without a selector may have none.
 * Old compilers check for that first. Without this fact, every function would seem to do what the code does on a plain
 * ether transfer.
 */
export const atEntry = (pool: Pool, selector: bigint | undefined): PathFacts =>
  selector === undefined ? none : assume(pool, none, pool.nullary(Opcodes.CALLDATASIZE), true)

/** Whether a condition is decided by what is known. */
export const decide = (condition: Expression, facts: PathFacts): boolean | undefined =>
  decideWith(condition, facts, 0, undefined)

type Decided = Map<Expression, boolean | undefined>

/** The deepest nesting of conditions that is followed; real code has less. */
const maxDepth = 64

/** An answer may be part of both sides of another one again and again, and is decided once. */
const decideWith = (
  condition: Expression,
  facts: PathFacts,
  depth: number,
  decided: Decided | undefined
): boolean | undefined => {
  if (condition.op === Kind.constant) return condition.value !== 0n
  if (isSomebody(condition) || has(facts, 2 * condition.id)) return true
  if (has(facts, 2 * condition.id + 1)) return false
  if (condition.op === Opcodes.ISZERO) {
    const inner = decideWith(condition.args[0], facts, depth, decided)
    return inner === undefined ? undefined : !inner
  }
  // An optimiser tests for zero by subtracting the value from zero.
  const [from, taken] = condition.op === Opcodes.SUB ? condition.args : []
  if (from?.op === Kind.constant && from.value === 0n && taken !== undefined)
    return decideWith(taken, facts, depth, decided)
  const isBoth = condition.op === Opcodes.AND && condition.args.every((arg) => arg.bits === 1)
  if ((!isBoth && condition.op !== Opcodes.OR) || depth > maxDepth) return undefined
  const known = decided ?? new Map<Expression, boolean | undefined>()
  if (known.has(condition)) return known.get(condition)
  // Whichever one decides by itself: no of both, yes of either.
  const [a, b] = condition.args.map((arg) => decideWith(arg, facts, depth + 1, known))
  const found = a === !isBoth || b === !isBoth ? !isBoth : a === isBoth && b === isBoth ? isBoth : undefined
  known.set(condition, found)
  return found
}

/** The facts, and what follows from a condition that holds, or does not. */
export const assume = (pool: Pool, facts: PathFacts, condition: Expression, holds: boolean): PathFacts => {
  const more = facts.slice()
  note(pool, more, condition, holds)
  return more
}

const note = (
  pool: Pool,
  facts: Array<number>,
  condition: Expression,
  holds: boolean,
  depth = 0,
  noted = new Set<number>()
): void => {
  if (condition.op === Kind.constant) return
  if (condition.op === Opcodes.ISZERO) {
    note(pool, facts, condition.args[0], !holds, depth, noted)
    return
  }
  const fact = 2 * condition.id + (holds ? 0 : 1)
  if (noted.has(fact)) return
  noted.add(fact)
  add(facts, fact)
  if (depth > maxDepth) return
  if (condition.op === Opcodes.AND && holds) {
    if (condition.args.some(({ bits }) => bits !== 1)) return
    for (const side of condition.args) note(pool, facts, side, true, depth + 1, noted)
  } else if (condition.op === Opcodes.OR && !holds) {
    for (const side of condition.args) note(pool, facts, side, false, depth + 1, noted)
    noteAllocated(pool, facts, ...condition.args)
  } else if (condition.op === Opcodes.SUB || condition.op === Opcodes.XOR) {
    note(pool, facts, pool.binary(Opcodes.EQ, ...condition.args), !holds, depth, noted)
  }
  if ((condition.op !== Opcodes.LT && condition.op !== Opcodes.SLT) || holds) return
  const [a, b] = condition.args
  if (a.op !== Kind.merge || b.op !== Kind.constant || b.bits > smallBits) return
  for (const other of a.alternatives) if (has(facts, noLess(pool, other, a))) add(facts, noLess(pool, other, b))
}

/**
 * The size of an allocation is bounded by the new free-memory pointer: compilers check that it is small and did not
 * wrap.
 */
const noteAllocated = (pool: Pool, facts: Array<number>, a: Expression, b: Expression): void => {
  for (const [low, high] of [
    [a, b],
    [b, a]
  ] as const) {
    const [most, place] = high.op === Opcodes.LT ? high.args : []
    const [same, least] = low.op === Opcodes.LT ? low.args : []
    const [size, from] = place?.op === Opcodes.ADD ? place.args : []
    if (size === undefined || from?.op !== Kind.constant || most?.op !== Kind.constant || same !== place) continue
    const [before, more] = least?.op === Opcodes.ADD ? least.args : []
    const isShort = before !== undefined && has(facts, noMore(pool, before, most))
    const fixed = least?.op === Kind.constant ? least : isShort ? more : undefined
    if (fixed?.op === Kind.constant && fixed.value >= from.value) add(facts, noMore(pool, size, most))
  }
}

const noMore = (pool: Pool, a: Expression, b: Expression): number => noLess(pool, b, a)

/** The fact that a number is no less than another one. */
export const noLess = (pool: Pool, a: Expression, b: Expression): number => 2 * pool.node(Opcodes.LT, [a, b]).id + 1

const smallBits = 24

/**
 * The facts of a merge point that is the smaller of a number and something, by what holds where each comes from: as much is
 * taken of an answer as it is long.
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

/**
 * The facts of a merge point that a loop counts up one by one and leaves at a number: it is below that number. The loop
 * starts below it, and before each next round it checks that the counter is another number, as Vyper's loops do.
 */
export const ofCounted = (
  pool: Pool,
  met: Expression,
  ways: ReadonlyArray<Expression>,
  states: ReadonlyArray<{ readonly facts: PathFacts }>
): ReadonlyArray<number> => {
  const round = ways.findIndex((way) => isNext(way, met))
  if (round < 0) return []
  const isBelow = (way: Expression, end: Constant, facts: PathFacts): boolean =>
    way.op === Kind.constant
      ? way.value < end.value
      : has(facts, isNext(way, met) ? isNot(pool, way, end) : isLess(pool, way, end))
  return othersOf(pool, ways[round] as Expression, states[round]?.facts ?? none)
    .filter((end) => ways.every((way, i) => isBelow(way, end, states[i]?.facts ?? none)))
    .map((end) => isLess(pool, met, end))
}

const isNext = ({ args: [before, one], op }: Expression, met: Expression): boolean =>
  op === Opcodes.ADD && before === met && one?.op === Kind.constant && one.value === 1n

/** The numbers that something is known not to be. */
const othersOf = (pool: Pool, what: Expression, facts: PathFacts): ReadonlyArray<Constant> =>
  facts.flatMap((fact) => {
    const { args, op } = pool.get(fact >> 1)
    if ((fact & 1) === 0 || op !== Opcodes.EQ || !args.includes(what)) return []
    return args.filter(isConstant).filter(({ bits }) => bits <= smallBits)
  })

const isNot = (pool: Pool, a: Expression, b: Expression): number => 2 * pool.binary(Opcodes.EQ, a, b).id + 1

const isLess = (pool: Pool, a: Expression, b: Expression): number => 2 * pool.node(Opcodes.LT, [a, b]).id

/** What holds on every one of some paths. */
export const common = (paths: ReadonlyArray<PathFacts>): PathFacts => paths.reduce(inBoth)

const inBoth = (a: PathFacts, b: PathFacts): PathFacts => {
  if (a === b) return a
  const kept: Array<number> = []
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    const [one, other] = [a[i] as number, b[j] as number]
    if (one === other) kept.push(one)
    if (one <= other) i++
    if (other <= one) j++
  }
  return kept
}

/** Whether two paths know the same. */
export const areSame = (a: PathFacts, b: PathFacts): boolean =>
  a === b || (a.length === b.length && a.every((fact, i) => fact === b[i]))
