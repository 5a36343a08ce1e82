/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord } from "./Expression.js"

/**
 * Whether two formulas are the same word for all values, because they are the same sum of the same parts modulo 2^256: what
 * wraps on one side wraps on the other.
 */
export const isSame = (a: Expression, b: Expression): boolean => {
  const terms = new Map<Expression | undefined, bigint>()
  const pending: Array<readonly [part: Expression, factor: bigint]> = [
    [a, 1n],
    [b, -1n]
  ]
  for (let i = 0; i < pending.length; i++) {
    if (i > maxTerms) return false
    const [part, factor] = pending[i] as (typeof pending)[number]
    const [x, y] = part.args
    if (part.op === Kind.constant) terms.set(undefined, (terms.get(undefined) ?? 0n) + factor * part.value)
    else if (part.op === Opcodes.ADD && x !== undefined && y !== undefined) pending.push([x, factor], [y, factor])
    else if (part.op === Opcodes.SUB && x !== undefined && y !== undefined) pending.push([x, factor], [y, -factor])
    else terms.set(part, (terms.get(part) ?? 0n) + factor)
  }
  return [...terms.values()].every((sum) => (sum & maxWord) === 0n)
}

const maxTerms = 64
