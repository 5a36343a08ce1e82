/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord } from "../expression/Expression.js"

/**
 * Where Solidity's heap begins; below are its scratch space and the free memory pointer.
 *
 * @see https://docs.soliditylang.org/en/latest/internals/layout_in_memory.html
 */
export const start = 0x80

/**
 * Whether a size is known to be less than 2^64 where a pointer is used, as compilers check of lengths. Of a merge
 * point: whether it is known to be in the heap and at most {@link maxMet} on every path.
 */
export type IsShort = (size: Expression) => boolean

/** Larger than any memory offset, and small enough that sums of it do not wrap. */
export const maxMet = 1n << 78n

/**
 * Pointers that were taken to be in the heap, each by the sizes that were known to be short, as often as those differ.
 */
export type Trusted = Map<Expression, Array<ReadonlySet<Expression>>>

/**
 * Whether a pointer, where it can be written at all, is known to be in the heap: it started there and what was added to it
 * did not make it wrap. Memory of more than 32 bits costs more gas than there is, so that a loop takes it no further.
 */
export const is = (pointer: Expression, isShort?: IsShort): boolean =>
  reachOf(pointer, BigInt(start), isShort) !== undefined

/** {@link is}, and stores the sizes that the result depends on. */
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

/** Whether all that were trusted still are. */
export const areStill = (trusted: Trusted): boolean =>
  [...trusted].every(([pointer, told]) => told.every((sizes) => is(pointer, (size) => sizes.has(size))))

/**
 * How much sizes that nothing bounds add to a number, of which the rest is small and no less than `floor`; none where
 * it may be less, or may wrap. Sizes that are short now may not have been when a merge point was reached: there, only
 * the facts of that time count.
 */
const reachOf = (sum: Expression, floor: bigint, isShort: IsShort | undefined): bigint | undefined => {
  const met = new Set([sum])
  // The values that a merge point combines.
  const before = new Set<Expression>()
  const leaps: Array<readonly [leap: Expression, isShort: IsShort | undefined]> = []
  let reach = 0n
  const visit = (part: Expression, to: Set<Expression>, isShort: IsShort | undefined): boolean => {
    const [a, b] = part.args
    if (part.op === Kind.constant) return part.bits <= 24 && part.value >= floor
    if (part.op === Kind.merge) {
      if (floor <= BigInt(start) && isShort?.(part) === true) reach += maxMet
      else for (const alternative of apart(part.alternatives, floor)) before.add(alternative)
      return true
    }
    if (part.op === Opcodes.ADD && a !== undefined && b !== undefined) {
      const isPlace = (one: Expression): boolean =>
        (one.op === Kind.merge && isShort?.(one) === true) ||
        (one.op === Kind.constant && floor > 0n && one.bits <= 24 && one.value >= floor)
      const place = [b, a].find(isPlace)
      const rest = place === undefined ? undefined : reachOf(place === b ? a : b, 0n, isShort)
      if (place !== undefined && rest !== undefined) {
        reach += rest
        to.add(place)
      } else if (b.bits <= 32) to.add(a)
      else if (a.bits <= 32) to.add(b)
      else {
        const [step, from] = largest(b, isShort) <= maxReach ? [b, a] : [a, b]
        reach += largest(step, isShort)
        leaps.push([part, isShort])
        to.add(from)
      }
      return true
    }
    // Where a text ends, less what it takes of its last word; a loop may do so any number of times.
    if (part.op === Opcodes.SUB && floor <= BigInt(start) && a !== undefined && b !== undefined && b.bits <= 8) {
      const rest = reachOf(a, floor + (1n << BigInt(b.bits)), isShort)
      reach += rest ?? 0n
      return rest !== undefined
    }
    if (floor > 0n) return false
    if (!isElement(part)) reach += largest(part, isShort)
    return true
  }
  const isIn = (parts: Set<Expression>, isShort: IsShort | undefined): boolean => {
    for (const part of parts)
      if (met.size + before.size > 32 || !visit(part, parts, isShort) || reach > maxReach) return false
    return true
  }
  const isReached = isIn(met, isShort) && isIn(before, undefined)
  return isReached && leaps.every(([leap, known]) => !isRoundALoop(leap, known)) ? reach : undefined
}

/** Of alternative values, those that are not another one of them plus a small number of at least `floor`. */
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

/**
 * Whether a number is the offset of an element in an array of words, with an index that a loop counts up from a
 * constant.
 */
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

/** Whether a sum contains itself through merge points without other facts. */
const isRoundALoop = (sum: Expression, isShort: IsShort | undefined): boolean => {
  const met = new Set(sum.args)
  for (const part of met) {
    if (part === sum || met.size > 64) return true
    if (part.op === Kind.merge && isShort?.(part) === true) continue
    for (const inner of part.op === Kind.merge ? part.alternatives : part.op === Opcodes.ADD ? part.args : [])
      met.add(inner)
  }
  return false
}

/**
 * The size that is known to be short once something was put behind it: memory of more than 32 bits costs more gas than there
 * is. The pointer is of sizes that are rounded up to words, of which all others are short; none where it might have wrapped.
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
  if (what.bits > 64 && isShort?.(what) === true) return what.op === Kind.merge ? maxMet : maxShort
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
