/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, type Merge } from "./Expression.js"

/**
 * Whether a value is the position of a byte in a word, below 32: where compilers copy a packed array, a position is moved on by
 * the size of an element, and multiplied by none where that, or what comes behind it, is no longer in the word.
 */
export const is = (what: Merge): boolean => {
  const met = new Set([what])
  const isMoved = (from: Expression, way: Expression): boolean => {
    const [position, size] = stepsOf(way)
    if (position?.op !== Kind.merge || size === undefined || from.op !== Opcodes.SUB) return false
    met.add(position)
    const [one, words] = from.args
    const [by, of] = words.op === Opcodes.SHR ? words.args : []
    const [same, reach] = of === undefined ? [] : stepsOf(of)
    const isOne = one.op === Kind.constant && one.value === 1n && by?.op === Kind.constant && by.value === 5n
    return isOne && same === position && reach !== undefined && reach >= size
  }
  for (const position of met) {
    if (met.size > 16) return false
    for (const way of position.alternatives) {
      if (way.op === Kind.merge) met.add(way)
      else if (way.op === Opcodes.MUL) {
        const [a, b] = way.args
        if (!isMoved(a, b) && !isMoved(b, a)) return false
      } else if (way.op !== Kind.constant || way.value >= 32n) return false
    }
  }
  return true
}

/** What no more than a word is added to, and how much that is. */
const stepsOf = ({ args: [from, size], op }: Expression): readonly [Expression | undefined, bigint] | readonly [] =>
  op === Opcodes.ADD && size?.op === Kind.constant && size.value <= 32n ? [from, size.value] : []
