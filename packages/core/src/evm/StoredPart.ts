/** @internal */

import { type Expression, Kind, maxWord } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import { type Field, fieldOf, isLowMask } from "./Origin.js"
import type * as StorageLocation from "./StorageLocation.js"
import type { StoreEvent } from "./Trace.js"

/**
 * An SSTORE at one of the places it may write to, and what it changes there.
 *
 * @since 0.1.0
 * @category models
 */
export interface StoredPart extends Unpacked {
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
 * Takes a word that is written apart, knowing what was there before.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unpack = (value: Expression, current: Expression): Unpacked => {
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
    const [by, shifted] = part.args
    const isShifted =
      part.op === Opcodes.SHL &&
      by?.op === Kind.constant &&
      by.value === BigInt(8 * field.offset) &&
      shifted !== undefined
    const inner = isShifted ? shifted : part
    const isMasked = inner.op === Opcodes.AND && inner.args[1]?.op === Kind.constant && isLowMask(inner.args[1].value)
    return { field, mask, value: isMasked ? (inner.args[0] as Expression) : inner }
  }
  return whole
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
