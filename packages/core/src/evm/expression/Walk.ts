/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, innerOf } from "./Expression.js"

/**
 * Formulas and what goes into them, each once, those before their parts. Lazy: a caller stops when it has found what it
 * looks for.
 *
 * `into` gives the parts of a formula to visit; all by default. After `most` parts the walk ends: a caller that must
 * not miss anything counts them.
 */
export function* parts(
  roots: Iterable<Expression>,
  { into = innerOf, most = Number.POSITIVE_INFINITY }: Options = {}
): Iterable<Expression> {
  const seen = new Set(roots)
  let left = most
  for (const part of seen) {
    if (--left < 0) return
    yield part
    for (const inner of into(part)) seen.add(inner)
  }
}

export interface Options {
  readonly into?: (part: Expression) => Iterable<Expression>
  readonly most?: number
}

/** What a part is made of, but for which entry of storage was loaded: that is no part of what it holds. */
export const held = (part: Expression): Iterable<Expression> => (part.op === Opcodes.SLOAD ? none : innerOf(part))

const none: ReadonlyArray<Expression> = []
