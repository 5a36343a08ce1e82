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
  const [left, right] = value.args
  if (value.op === Opcodes.AND && left === current && right?.op === Kind.constant)
    return { field: undefined, mask: maxWord ^ right.value, value }
  if (value.op !== Opcodes.OR) return { field: undefined, mask: maxWord, value }
  for (const [rest, part] of [
    [left, right],
    [right, left]
  ]) {
    if (rest === undefined || part === undefined) continue
    if (rest === current && part.op === Kind.constant) return { field: undefined, mask: part.value, value }
    if (rest.op !== Opcodes.AND || rest.args[0] !== current || rest.args[1]?.op !== Kind.constant) continue
    const mask = maxWord ^ rest.args[1].value
    const field = fieldOf(mask)
    if (field === undefined) continue
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
  return { field: undefined, mask: maxWord, value }
}
