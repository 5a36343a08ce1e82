/** @internal */

import { codeWord } from "../bytecode/CodeWord.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as AppendedSender from "../expression/AppendedSender.js"
import { type Expression, Kind, type Pool } from "../expression/Expression.js"
import type * as HeapPointer from "./HeapPointer.js"
import * as Memory from "./Memory.js"
import type { Asked } from "./Trace.js"

/**
 * Copies calldata to memory, as far as offset and length are known, and answers how much work it was. Where all of the
 * calldata is copied, its last word is kept.
 */
export const copyCalldata = (
  pool: Pool,
  state: Memory.Memory,
  at: Expression,
  source: Expression,
  length: Expression,
  trusted: HeapPointer.Trusted | undefined
): number => {
  if (length.op === Kind.constant && length.value <= maxCopied && source.op === Kind.constant && source.bits <= 32) {
    const bytesCopied = Number(length.value)
    if (bytesCopied > 32) Memory.clobber(pool, state, at, length, trusted)
    for (let copied = 0; copied < bytesCopied; copied += 32) {
      const part = Math.min(32, bytesCopied - copied)
      const word = pool.node(Opcodes.CALLDATALOAD, [pool.constant(source.value + BigInt(copied))])
      const place = pool.binary(Opcodes.ADD, at, pool.constant(BigInt(copied)))
      Memory.write(pool, state, place, part, { word, from: 0, length: part }, trusted)
    }
    return bytesCopied >> 5
  }
  Memory.clobber(pool, state, at, length, trusted)
  if (length.op === Opcodes.CALLDATASIZE && source.op === Kind.constant && source.value === 0n)
    Memory.note(
      pool,
      state,
      pool.binary(Opcodes.ADD, pool.binary(Opcodes.ADD, at, length), pool.constant(2n ** 256n - Memory.word32)),
      AppendedSender.lastWord(pool),
      trusted
    )
  return 0
}

/** Copies the running code to memory, as far as both offsets are known, and answers how much work it was. */
export const copyCode = (
  pool: Pool,
  state: Memory.Memory,
  bytes: Uint8Array,
  at: Expression,
  source: Expression,
  length: Expression,
  trusted: HeapPointer.Trusted | undefined
): number => {
  Memory.clobber(pool, state, at, length, trusted)
  if (
    at.op !== Kind.constant ||
    source.op !== Kind.constant ||
    length.op !== Kind.constant ||
    length.value > maxCopied ||
    source.value > 0xffffffn
  )
    return 0
  const bytesCopied = Number(length.value)
  for (let copied = 0; copied < bytesCopied; copied += 32) {
    const part = Math.min(32, bytesCopied - copied)
    const word = pool.constant(codeWord(bytes, Number(source.value) + copied, 32))
    const place = pool.constant(at.value + BigInt(copied))
    Memory.write(pool, state, place, part, { word, from: 0, length: part }, trusted)
  }
  return bytesCopied >> 5
}

/** The longest copy with tracked bytes. */
const maxCopied = 1024n

/** Writes return data into memory; only its first words are tracked. */
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

/** The size of return data with a known first word; none otherwise. */
export const sizeOf = (pool: Pool, answered: Expression | undefined): Expression | undefined => {
  if (answered === undefined || answered.op === Kind.constant) return answered
  // Memory of more than 32 bits costs more gas than there is.
  return pool.binary(
    Opcodes.AND,
    pool.unknown({ kind: "answerSize", opcode: Opcodes.RETURNDATASIZE }, answered.tag),
    pool.constant(0xffffffffn)
  )
}

/** Copies return data to memory. Its first word is tracked, where that much was returned. */
export const copyAnswer = (
  pool: Pool,
  state: Memory.Memory,
  at: Expression,
  source: Expression,
  length: Expression,
  answered: Expression | undefined,
  trusted: HeapPointer.Trusted | undefined
): void => {
  Memory.clobber(pool, state, at, length, trusted)
  const isWhole = length === sizeOf(pool, answered) && source.op === Kind.constant && source.value === 0n
  if (answered !== undefined && answered.op !== Kind.constant && isWhole)
    Memory.write(pool, state, at, 32, { word: copiedOf(pool, answered), from: 0, length: 32 }, trusted)
}

/** The word that is copied out of what a call answered with that first word; it may have answered less. */
export const copiedOf = (pool: Pool, answered: Expression): Expression =>
  pool.unknown({ kind: "answer", opcode: Opcodes.RETURNDATACOPY }, `${answered.tag}:copied`)

/** The function that a call names, and the first whole words behind its selector, however many there are. */
export const askedAt = (pool: Pool, state: Memory.Memory, at: Expression, unwritten: Expression): Asked | undefined => {
  const [name, ...rest] = Memory.readPieces(state, at, pool.constant(4n), unwritten) ?? []
  if (name === undefined || rest.length > 0 || name.word.op !== Kind.constant) return undefined
  const words: Array<Expression> = []
  for (let i = 0; i < maxAsked; i++) {
    const place = pool.binary(Opcodes.ADD, at, pool.constant(4n + 32n * BigInt(i)))
    const pieces = Memory.readPieces(state, place, pool.constant(Memory.word32), unwritten) ?? []
    const [word, ...others] = Memory.wordsOf(pieces)
    if (word === undefined || others.length > 0 || pieces[0]?.from !== 0) break
    words.push(word)
  }
  return { selector: (name.word.value >> BigInt(8 * (28 - name.from))) & 0xffffffffn, words }
}

const maxAsked = 4
