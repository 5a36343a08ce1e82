/** @internal */

import { codeWord } from "./CodeWord.js"
import { type Expression, Kind, type Pool } from "./Expression.js"
import type * as HeapPointer from "./HeapPointer.js"
import * as Memory from "./Memory.js"
import { Opcodes } from "./Opcodes.js"
import * as TrustedForwarder from "./TrustedForwarder.js"

/**
 * Copies calldata to memory; one word of it is kept, and of all of it the last.
 *
 * @since 0.1.0
 * @category combinators
 */
export const copyCalldata = (
  pool: Pool,
  state: Memory.Memory,
  at: Expression,
  source: Expression,
  length: Expression,
  trusted: HeapPointer.Trusted | undefined
): void => {
  if (length.op === Kind.constant && length.value <= 32n && source.op === Kind.constant) {
    const bytesCopied = Number(length.value)
    if (bytesCopied > 0)
      Memory.write(
        pool,
        state,
        at,
        bytesCopied,
        {
          word: pool.node(Opcodes.CALLDATALOAD, [source]),
          from: 0,
          length: bytesCopied
        },
        trusted
      )
    return
  }
  Memory.clobber(pool, state, at, length, trusted)
  if (length.op === Opcodes.CALLDATASIZE && source.op === Kind.constant && source.value === 0n)
    Memory.note(
      pool,
      state,
      pool.binary(Opcodes.ADD, pool.binary(Opcodes.ADD, at, length), pool.constant(2n ** 256n - Memory.word32)),
      TrustedForwarder.lastWord(pool),
      trusted
    )
}

/**
 * Copies the running code to memory, as far as it is told from where to where.
 *
 * @since 0.1.0
 * @category combinators
 */
export const copyCode = (
  pool: Pool,
  state: Memory.Memory,
  bytes: Uint8Array,
  at: Expression,
  source: Expression,
  length: Expression,
  trusted: HeapPointer.Trusted | undefined
): void => {
  Memory.clobber(pool, state, at, length, trusted)
  if (
    at.op === Kind.constant &&
    source.op === Kind.constant &&
    length.op === Kind.constant &&
    length.value <= 1024n &&
    source.value <= 0xffffffn
  ) {
    for (let copied = 0; copied < Number(length.value); copied += 32) {
      const part = Math.min(32, Number(length.value) - copied)
      const word = pool.constant(codeWord(bytes, Number(source.value) + copied, 32))
      Memory.write(
        pool,
        state,
        pool.constant(at.value + BigInt(copied)),
        part,
        { word, from: 0, length: part },
        trusted
      )
    }
  }
}

/**
 * Puts what another contract answers into memory, of which only the first words are kept.
 *
 * @since 0.1.0
 * @category combinators
 */
export const putAnswers = (
  pool: Pool,
  state: Memory.Memory,
  at: Expression,
  length: Expression,
  answers: ReadonlyArray<Expression>,
  trusted: HeapPointer.Trusted | undefined
): void => {
  Memory.clobber(pool, state, at, length, trusted)
  for (const [i, word] of answers.entries())
    if (length.op === Kind.constant && length.bits <= 24 && Number(length.value) >= 32 * (i + 1))
      Memory.write(
        pool,
        state,
        pool.binary(Opcodes.ADD, at, pool.constant(BigInt(32 * i))),
        32,
        { word, from: 0, length: 32 },
        trusted
      )
}
