/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, maxWord, type Pool } from "../expression/Expression.js"
import { loadedField, offsetOf } from "../expression/ValueSource.js"
import type { StoreEvent } from "../interpreter/Trace.js"
import * as FieldWrite from "../summary/signatures/FieldWrite.js"

/**
 * The number that a variable keeps in some bits of a word: what it is before a store and what that makes of it. `after` may
 * have more bits than there is room for, which the store cuts off.
 */
export interface KeptNumber {
  readonly before: Expression
  readonly after: Expression
}

/**
 * What a store does to the number in the bits of `mask`; none where they stay as they are. Balances are often kept in one word
 * with a time, a nonce or a flag.
 */
export const of = (
  pool: Pool,
  event: Pick<StoreEvent, "value" | "current" | "facts">,
  mask: bigint
): KeptNumber | undefined => {
  if (mask === maxWord) return { before: event.current, after: event.value }
  const written = FieldWrite.partsOf(pool, event).filter((part) => (part.mask & mask) !== 0n)
  const [part, ...others] = written
  if (part === undefined) return undefined
  return {
    before: numberIn(pool, event.current, mask),
    after:
      others.length === 0 && part.mask === mask && part.isInPlace !== true && part.value !== event.value
        ? part.value
        : numberIn(pool, event.value, mask)
  }
}

/** The number in some bits of a word, as compilers read it. */
const numberIn = (pool: Pool, word: Expression, mask: bigint): Expression => {
  const offset = BigInt(8 * offsetOf(mask))
  const moved = offset === 0n ? word : pool.binary(Opcodes.SHR, pool.constant(offset), word)
  const most = mask >> offset
  return most === maxWord >> offset ? moved : pool.binary(Opcodes.AND, moved, pool.constant(most))
}

/** The largest number that some bits have room for. */
export const most = (mask: bigint): bigint => mask >> BigInt(8 * offsetOf(mask))

/** Whether a formula is the number that is kept in the bits of `mask` at a slot, whenever it was read. */
export const isAt = (what: Expression, slot: Expression, mask: bigint): boolean => {
  const loaded = loadedField(what)
  return loaded !== undefined && loaded.load.args[0] === slot && loaded.mask === mask
}
