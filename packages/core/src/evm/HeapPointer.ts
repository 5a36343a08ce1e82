/** @internal */

import { type Expression, Kind, maxWord } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"

/**
 * Where Solidity's heap begins; below are its scratch space and the free memory pointer.
 *
 * @see https://docs.soliditylang.org/en/latest/internals/layout_in_memory.html
 * @since 0.1.0
 * @category models
 */
export const start = 0x80

/**
 * Whether a size is known to be less than 2^64 where a pointer is used, as compilers ask of lengths.
 *
 * @since 0.1.0
 * @category models
 */
export type IsShort = (size: Expression) => boolean

/**
 * Pointers that were taken to be in the heap, each by the sizes that were known to be short, as often as those differ.
 *
 * @since 0.1.0
 * @category models
 */
export type Trusted = Map<Expression, Array<ReadonlySet<Expression>>>

/**
 * Whether a pointer, where it can be written at all, is known to be in the heap: it started there and what was added to it
 * did not make it wrap. Memory of more than 32 bits costs more gas than there is, so that a loop takes it no further.
 *
 * @since 0.1.0
 * @category combinators
 */
export const is = (pointer: Expression, isShort?: IsShort): boolean =>
  reachOf(pointer, BigInt(start), undefined) !== undefined ||
  (isShort !== undefined && reachOf(pointer, BigInt(start), isShort) !== undefined)

/**
 * {@link is}, remembered with what it was told by.
 *
 * @since 0.1.0
 * @category combinators
 */
export const trust = (trusted: Trusted, pointer: Expression, isShort: IsShort): boolean => {
  const sizes = new Set<Expression>()
  const isInHeap = is(pointer, (size) => {
    const holds = isShort(size)
    if (holds) sizes.add(size)
    return holds
  })
  if (!isInHeap) return false
  const known = trusted.get(pointer)
  if (known === undefined) trusted.set(pointer, [sizes])
  else if (!known.some((other) => other.size === sizes.size && [...sizes].every((size) => other.has(size))))
    known.push(sizes)
  return true
}

/**
 * Whether all that were trusted still are.
 *
 * @since 0.1.0
 * @category combinators
 */
export const areStill = (trusted: Trusted): boolean =>
  [...trusted].every(([pointer, told]) => told.every((sizes) => is(pointer, (size) => sizes.has(size))))

/**
 * How much sizes that nothing bounds add to a number, of which the rest is small and no less than `floor`; none where it may
 * be less, or may wrap. What is short now says nothing of what a merge point had when it was met, which is then told by
 * nothing.
 */
const reachOf = (sum: Expression, floor: bigint, isShort: IsShort | undefined): bigint | undefined => {
  const met = new Set([sum])
  const leaps: Array<Expression> = []
  let reach = 0n
  for (const part of met) {
    if (met.size > 32) return undefined
    const [a, b] = part.args
    if (part.op === Kind.constant) {
      if (part.bits > 24 || part.value < floor) return undefined
    } else if (part.op === Kind.merge) {
      if (isShort !== undefined) return undefined
      for (const alternative of apart(part.alternatives, floor)) met.add(alternative)
    } else if (part.op === Opcodes.ADD && a !== undefined && b !== undefined) {
      const isEnough = floor > 0n && b.op === Kind.constant && b.bits <= 24 && b.value >= floor
      const rest = isEnough ? reachOf(a, 0n, isShort) : undefined
      if (rest !== undefined) reach += rest
      else if (b.bits <= 32) met.add(a)
      else if (a.bits <= 32) met.add(b)
      else {
        const [step, from] = largest(b, isShort) <= maxReach ? [b, a] : [a, b]
        reach += largest(step, isShort)
        leaps.push(part)
        met.add(from)
      }
    } else if (floor > 0n) return undefined
    else if (!isElement(part)) reach += largest(part, isShort)
    if (reach > maxReach) return undefined
  }
  return leaps.every((leap) => !isRoundALoop(leap)) ? reach : undefined
}

/** Of values of which one is taken, those that are not the same number with another small one added, no less than `floor`. */
const apart = (ways: ReadonlySet<Expression>, floor: bigint): ReadonlyArray<Expression> => {
  const from = new Set<Expression>()
  return [...ways].filter(({ args: [number, step], op }) => {
    const isNear =
      op === Opcodes.ADD && step?.op === Kind.constant && step.bits <= 24 && floor > 0n && step.value >= floor
    if (!isNear || number === undefined) return true
    if (from.has(number)) return false
    from.add(number)
    return true
  })
}

/** What was added to a pointer in a loop, and where it started, is less than the rest of a word. */
const maxReach = maxWord - (1n << 72n)

/** Whether a number is the place of an element in an array of words, told by what a loop counts up from a number. */
const isElement = ({ args: [by, index], op }: Expression): boolean => {
  if (op !== Opcodes.SHL || by?.op !== Kind.constant || by.value !== wordShift || index === undefined) return false
  const met = new Set([index])
  for (const part of met) {
    if (met.size > 8) return false
    const [a, b] = part.args
    if (part.op === Kind.merge) for (const alternative of part.alternatives) met.add(alternative)
    else if (part.op === Opcodes.ADD && a !== undefined && b?.op === Kind.constant && b.bits <= 24) met.add(a)
    else if (part.op !== Kind.constant || part.bits > 24) return false
  }
  return true
}

/** Whether a sum is made of itself, by way of merge points. */
const isRoundALoop = (sum: Expression): boolean => {
  const met = new Set(sum.args)
  for (const part of met) {
    if (part === sum || met.size > 64) return true
    for (const inner of part.op === Kind.merge ? part.alternatives : part.op === Opcodes.ADD ? part.args : [])
      met.add(inner)
  }
  return false
}

/**
 * The size that is known to be short once something was put behind it: memory of more than 32 bits costs more gas than there
 * is. The pointer is of sizes that are rounded up to words, of which all others are short; none where it might have wrapped.
 *
 * @since 0.1.0
 * @category combinators
 */
export const provenBy = (pointer: Expression, isShort: IsShort): Expression | undefined => {
  let open: Expression | undefined
  const terms = [pointer]
  for (const term of terms) {
    if (terms.length > 8) return undefined
    if (term.op === Opcodes.ADD) terms.push(...term.args)
    else if (term.op === Opcodes.SHL && term.args[0]?.op === Kind.constant && term.args[0].value === wordShift) {
      if (isShort(term)) continue
      if (open !== undefined) return undefined
      open = term
    } else if (term.op !== Kind.constant || term.bits > 24) return undefined
  }
  return open !== undefined && largest(open, undefined) <= maxReach ? open : undefined
}

/** A number of words is that of their bytes by so many bits. */
const wordShift = 5n

/** No less than a number can be, by the values that stand behind merge points now. */
const largest = (what: Expression, isShort: IsShort | undefined, depth = 0): bigint => {
  const bound = what.op === Kind.constant ? what.value : (1n << BigInt(what.bits)) - 1n
  if (what.bits > 64 && isShort?.(what) === true) return maxShort
  if (depth > 6) return bound
  const [a, b] = what.args
  const smaller = (other: bigint): bigint => (other < bound ? other : bound)
  if (what.op === Kind.merge) {
    const ways = [...what.alternatives].map((way) => largest(way, undefined, depth + 1))
    return ways.length > 8 ? bound : ways.reduce((x, y) => (y > x ? y : x), 0n)
  }
  if (a === undefined || b === undefined) return bound
  switch (what.op) {
    case Opcodes.AND: {
      const [x, y] = [largest(a, isShort, depth + 1), largest(b, isShort, depth + 1)]
      return smaller(x < y ? x : y)
    }
    case Opcodes.ADD: {
      const sum = largest(a, isShort, depth + 1) + largest(b, isShort, depth + 1)
      return sum > maxWord ? maxWord : smaller(sum)
    }
    case Opcodes.SHR:
      return a.op === Kind.constant ? smaller(largest(b, isShort, depth + 1) >> a.value) : bound
    case Opcodes.SHL: {
      const shifted = a.op === Kind.constant && a.bits <= 8 ? largest(b, isShort, depth + 1) << a.value : maxWord
      return shifted > maxWord ? maxWord : smaller(shifted)
    }
    default:
      return bound
  }
}

const maxShort = 1n << 64n
