/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord, type Pool, unmasked } from "../../expression/Expression.js"
import type * as StorageLocation from "../../expression/StorageLocation.js"
import { type Field, fieldOf, isLowMask, offsetOf } from "../../expression/ValueSource.js"
import type { StoreEvent } from "../../interpreter/Trace.js"

/**
 * An SSTORE at one of the places it may write to, and what it changes there.
 *
 * @since 0.1.0
 * @category models
 */
export interface FieldWrite extends Unpacked {
  readonly block: number
  readonly location: StorageLocation.StorageLocation
  readonly event: StoreEvent
}

/**
 * What a write that puts back a part of the word changes of it: `(old & kept) | (value << shift)`, `old | bits`,
 * `old & kept`.
 *
 * @since 0.1.0
 * @category models
 */
export interface Unpacked {
  readonly field: Field | undefined
  readonly mask: bigint
  readonly value: Expression
}

/**
 * What a write changes of a word, knowing what was there before. One that is put together of numbers is told number by
 * number: what lies between them becomes zero.
 *
 * @since 0.1.0
 * @category constructors
 */
export const partsOf = (pool: Pool, value: Expression, current: Expression): ReadonlyArray<Unpacked> => {
  const whole = unpack(value, current)
  // What is put back of the word before is not written.
  const numbers =
    whole.value === value ? numbersIn(pool, value).filter((number) => (bitsIn(number, 0) & whole.mask) !== 0n) : []
  const masks = numbers.map((number) => bytesAround(bitsIn(number, 0)))
  const all = masks.reduce((met, mask) => met | mask, 0n)
  const isApart = masks.reduce((sum, mask) => sum + mask, 0n) === all
  if (numbers.length < 2 || !isApart || (all & ~whole.mask) !== 0n) return [whole]
  const rest = whole.mask ^ all
  return [
    ...numbers.map((number, i): Unpacked => {
      const mask = masks[i] as bigint
      return { field: fieldOf(mask), mask, value: numberIn(number, offsetOf(mask)) }
    }),
    ...(rest === 0n ? [] : [{ field: fieldOf(rest), mask: rest, value: pool.constant(0n) }])
  ]
}

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
    return { field, mask, value: numberIn(part, field.offset) }
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

/** What was moved up to where it is put, with a mask before or after that; a constant as it stands in the word. */
const numberIn = (part: Expression, offset: number): Expression => {
  const inside = unmasked(part)
  const [by, moved] = inside.op === Opcodes.SHL ? inside.args : []
  const number = by?.op === Kind.constant && by.value === BigInt(8 * offset) && moved !== undefined ? moved : part
  const [what, mask] = number.op === Opcodes.AND ? number.args : []
  return what !== undefined && mask?.op === Kind.constant && isLowMask(mask.value) ? what : number
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
