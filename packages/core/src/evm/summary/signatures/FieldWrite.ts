/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord, type Pool } from "../../expression/Expression.js"
import { isAtLeast } from "../../expression/Ordering.js"
import type * as PathFacts from "../../expression/PathFacts.js"
import type * as StorageLocation from "../../expression/StorageLocation.js"
import { type Field, fieldOf, offsetOf } from "../../expression/ValueSource.js"
import type { StoreEvent } from "../../interpreter/Trace.js"

/** An SSTORE at one of the places it may write to, and what it changes there. */
export interface FieldWrite extends Unpacked {
  readonly block: number
  readonly location: StorageLocation.StorageLocation
  readonly event: StoreEvent
}

/**
 * The changed part of a word where the write keeps the rest: `(old & kept) | (value << shift)`, `old | bits`, `old &
 * kept`.
 */
export interface Unpacked {
  readonly field: Field | undefined
  readonly mask: bigint
  readonly value: Expression
  /** The value has zeros below it, as high as it stands in the word. */
  readonly isInPlace?: true
}

/**
 * What a write changes of a word, knowing what was there before. A word that is composed of numbers is reported number
 * by number: the bits between them become zero.
 */
export const partsOf = (
  pool: Pool,
  event: Pick<StoreEvent, "value" | "current" | "facts">
): ReadonlyArray<Unpacked> => {
  const { current, value } = event
  const whole = unpack(value, current)
  // Kept parts of the old word are not written.
  const numbers =
    whole.value === value ? numbersIn(pool, value).filter((number) => (bitsIn(number, 0) & whole.mask) !== 0n) : []
  const masks = numbers.map((number) => bytesAround(bitsIn(number, 0)))
  const all = masks.reduce((met, mask) => met | mask, 0n)
  const isApart = masks.reduce((sum, mask) => sum + mask, 0n) === all
  if (numbers.length < 2 || !isApart || (all & ~whole.mask) !== 0n)
    return whole.value === value && value.op === Opcodes.OR ? (layersOf(pool, event) ?? [whole]) : [whole]
  const rest = whole.mask ^ all
  return [
    ...numbers.map((number, i): Unpacked => {
      const mask = masks[i] as bigint
      return { field: fieldOf(mask), mask, ...numberIn(number, mask) }
    }),
    ...(rest === 0n ? [] : [{ field: fieldOf(rest), mask: rest, value: pool.constant(0n) }])
  ]
}

/** A number that a word is put together of, with the bits that it can have there. */
interface Layer {
  readonly number: Expression
  readonly bits: bigint
}

/**
 * The changed parts of a word with numbers that may overlap, such as a sum without truncation. A number is a part from
 * its low end up to where another one begins; bits that several of them may set are one part; kept parts of the old
 * word are not written.
 */
const layersOf = (
  pool: Pool,
  { current, facts, value }: Pick<StoreEvent, "value" | "current" | "facts">
): ReadonlyArray<Unpacked> | undefined => {
  const layers = numbersIn(pool, value).map(
    (number): Layer => ({ number, bits: bitsIn(number, 0) & ((1n << BigInt(longest(pool, number, facts))) - 1n) })
  )
  if (layers.length > maxLayers) return undefined
  const borders = [...new Set([0, 256, ...layers.flatMap(({ bits }) => bordersOf(bits))])].sort((a, b) => a - b)
  const found: Array<Unpacked> = []
  let [together, zero] = [0n, 0n]
  for (const [i, from] of borders.slice(0, -1).entries()) {
    const to = borders[i + 1] ?? 256
    const mask = (1n << BigInt(to)) - (1n << BigInt(from))
    const [layer, ...others] = layers.filter(({ bits }) => (bits & mask) !== 0n)
    if (layer === undefined) zero |= mask
    else if (others.length > 0) together |= mask
    else if (keptOf(layer.number, current, 0) !== layer.bits)
      if (BigInt(from) === lowestOf(layer.bits))
        found.push({ field: fieldOf(mask), mask, ...numberIn(layer.number, mask) })
      else together |= mask
  }
  if (found.length === 0) return undefined
  if (zero !== 0n) found.push({ field: fieldOf(zero), mask: zero, value: pool.constant(0n) })
  if (together !== 0n) found.push({ field: fieldOf(together), mask: together, value })
  return found
}

/** Where rows of ones begin and end. */
const bordersOf = (bits: bigint): ReadonlyArray<number> => {
  const borders: Array<number> = []
  for (let at = 0, left = bits, one = 0n; left !== 0n || one === 1n; at++, left >>= 1n)
    if ((left & 1n) !== one) {
      borders.push(at)
      one = left & 1n
    }
  return borders
}

const lowestOf = (bits: bigint): bigint => {
  let at = 0n
  for (let left = bits; left !== 0n && (left & 1n) === 0n; left >>= 1n) at++
  return at
}

/** How many bits a number can have by what is known of it: a difference is no more than what it is taken from. */
const longest = (pool: Pool, what: Expression, facts: PathFacts.PathFacts): number => {
  const [a, b] = what.args
  if (what.bits < 256 || a === undefined || b === undefined) return what.bits
  if (what.op === Opcodes.SUB && isAtLeast(pool, a, b, facts)) return a.bits
  return what.op === Opcodes.ADD
    ? Math.min(256, 1 + Math.max(bounded(pool, a, facts), bounded(pool, b, facts)))
    : what.bits
}

/** How many bits a number can have that was compared with a shorter one. */
const bounded = (pool: Pool, what: Expression, facts: PathFacts.PathFacts): number => {
  let { bits } = what
  for (const fact of facts) {
    const condition = pool.get(fact >> 1)
    if (condition.op !== Opcodes.LT) continue
    const [smaller, larger] = (fact & 1) === 0 ? condition.args : [condition.args[1], condition.args[0]]
    if (smaller === what && larger !== undefined) bits = Math.min(bits, larger.bits)
  }
  return bits
}

/** Nobody keeps as many numbers in a word. */
const maxLayers = 16

/** Takes a word that is written apart, knowing what was there before. */
const unpack = (value: Expression, current: Expression): Unpacked => {
  const whole = { field: undefined, mask: maxWord ^ keptOf(value, current, 0), value }
  if (value.op !== Opcodes.OR) return whole
  const [left, right] = value.args
  for (const [rest, part] of [
    [left, right],
    [right, left]
  ]) {
    if (rest === undefined || part === undefined) continue
    if (rest === current && part.op === Kind.constant) return whole
    if (rest.op !== Opcodes.AND || rest.args[0] !== current || rest.args[1]?.op !== Kind.constant) continue
    const mask = maxWord ^ rest.args[1].value
    const field = fieldOf(mask)
    // What has more bits than the part has room for is laid over its neighbours, too.
    if (field === undefined || (bitsIn(part, 0) & rest.args[1].value) !== 0n) continue
    return { field, mask, ...numberIn(part, mask) }
  }
  return whole
}

/** What a word is put together of by OR, of which a part may be masked again to make room. */
const numbersIn = (pool: Pool, word: Expression, depth = 0): ReadonlyArray<Expression> => {
  const [a, b] = word.args
  if (depth > 8 || a === undefined || b === undefined) return [word]
  if (word.op === Opcodes.OR) return word.args.flatMap((arg) => numbersIn(pool, arg, depth + 1))
  if (word.op !== Opcodes.AND || b.op !== Kind.constant) return [word]
  const parts = numbersIn(pool, a, depth + 1)
  if (parts.length === 1) return [word]
  return parts.flatMap((part) => {
    const bits = bitsIn(part, 0)
    return (bits & b.value) === 0n ? [] : (bits & ~b.value) === 0n ? [part] : [pool.binary(Opcodes.AND, part, b)]
  })
}

/** All bits of the bytes that bits lie in, and of those between them. */
const bytesAround = (bits: bigint): bigint => {
  if (bits === 0n) return 0n
  const from = 8 * offsetOf(bits)
  const to = 8 * Math.ceil(bits.toString(2).length / 8)
  return ((1n << BigInt(to - from)) - 1n) << BigInt(from)
}

/**
 * What was moved up to the bits where it is put, without a mask before or after that which leaves all that there is room for; a
 * constant as it stands in the word.
 */
const numberIn = (part: Expression, bits: bigint): Pick<Unpacked, "value" | "isInPlace"> => {
  const offset = lowestOf(bits)
  const inside = withoutMask(part, bits)
  const [by, moved] = inside.op === Opcodes.SHL ? inside.args : []
  const isMoved = by?.op === Kind.constant && by.value === offset && moved !== undefined
  const value = withoutMask(isMoved ? moved : part, bits >> offset)
  return isMoved || offset === 0n ? { value } : { value, isInPlace: true }
}

/** What a mask is put on that leaves some bits as they are. */
const withoutMask = (what: Expression, bits: bigint): Expression => {
  const [inner, mask] = what.op === Opcodes.AND ? what.args : []
  return inner !== undefined && mask?.op === Kind.constant && (mask.value & bits) === bits ? inner : what
}

/** The bits of a word that are as they were, whatever else goes into it. */
const keptOf = (word: Expression, current: Expression, depth: number): bigint => {
  if (word === current) return maxWord
  const [a, b] = word.args
  if (depth > maxDepth || a === undefined || b === undefined) return 0n
  if (word.op === Opcodes.AND) return b.op === Kind.constant ? keptOf(a, current, depth + 1) & b.value : 0n
  if (word.op !== Opcodes.OR && word.op !== Opcodes.XOR) return 0n
  const beside = (of: Expression, other: Expression): bigint => {
    const kept = keptOf(of, current, depth + 1)
    return kept === 0n ? 0n : kept & (maxWord ^ bitsIn(other, depth + 1))
  }
  return beside(a, b) | beside(b, a)
}

/** The bits that a number can have. */
const bitsIn = (what: Expression, depth: number): bigint => {
  if (what.op === Kind.constant) return what.value
  const any = (1n << BigInt(what.bits)) - 1n
  if (depth > maxDepth) return any
  if (what.op === Kind.merge)
    return what.alternatives.size > 8
      ? any
      : [...what.alternatives].reduce((bits, way) => bits | bitsIn(way, depth + 1), 0n) & any
  const [a, b] = what.args
  if (a === undefined || b === undefined) return any
  switch (what.op) {
    case Opcodes.AND:
      return bitsIn(a, depth + 1) & bitsIn(b, depth + 1)
    case Opcodes.OR:
    case Opcodes.XOR:
      return bitsIn(a, depth + 1) | bitsIn(b, depth + 1)
    case Opcodes.SHL:
      return a.op === Kind.constant && a.value < 256n ? (bitsIn(b, depth + 1) << a.value) & maxWord : any
    case Opcodes.SHR:
      return a.op === Kind.constant && a.value < 256n ? bitsIn(b, depth + 1) >> a.value : any
    case Opcodes.MUL:
      return b.op === Kind.constant && a.bits === 1 ? b.value : any
    default:
      return any
  }
}

const maxDepth = 12
