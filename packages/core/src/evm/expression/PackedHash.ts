/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, type KeccakHash, Kind, maxWord, type Pool } from "./Expression.js"

/**
 * What a hash is of that is not of whole words.
 *
 * `layout` says where keys stand (`k` one of a word, `a` the account in one) between constant bytes, in hex: it is the same
 * for the same bytes however memory was filled with them. `root` is the slot of the mapping that the bytes are an entry of
 * in the layout of Solidity, where they are one.
 */
export interface PackedHash {
  readonly layout: string
  readonly keys: ReadonlyArray<Expression>
  readonly root: bigint | undefined
}

/**
 * Reads the formula of a hash; none where it is of other parts of words, of constants alone (but for an account beside a word)
 * or of nothing constant, for then it may be any entry.
 */
export const read = (pool: Pool, hash: KeccakHash): PackedHash | undefined => {
  const parts: Array<Part> = []
  for (const [i, word] of hash.args.entries()) {
    const range = hash.detail === "words" ? undefined : hash.detail[i]
    if (range === undefined) return undefined
    const { from, length } = range
    // Of constants alone the account is the key.
    if (length === 20 && word.op === Kind.constant && hash.args.every(({ op }) => op === Kind.constant)) {
      const account = (word.value >> BigInt(8 * (12 - from))) & ((1n << 160n) - 1n)
      parts.push({ kind: "key", word: pool.constant(account), from: 12, length })
    } else parts.push(...partsOf(word, from, length))
  }
  const joined = join(parts)
  const names = joined.map((part) => (part.kind === "bytes" ? part.hex : nameOf(part)))
  if (names.some((name) => name === undefined)) return undefined
  const keys = joined.flatMap((part) => (part.kind === "key" ? [part.word] : []))
  return keys.length === 0 || keys.length === joined.length
    ? undefined
    : { layout: names.join("."), keys, root: rootOf(joined) }
}

/** Some bytes of a formula, or bytes that are known. */
type Part =
  | { readonly kind: "bytes"; readonly hex: string }
  | { readonly kind: "key"; readonly word: Expression; readonly from: number; readonly length: number }

const bytes = (hex: string): ReadonlyArray<Part> => (hex === "" ? [] : [{ kind: "bytes", hex }])

/** Bytes `from` to `from + length` of a word, with constants and shifts taken apart. */
const partsOf = (word: Expression, from: number, length: number): ReadonlyArray<Part> => {
  if (length <= 0) return []
  if (word.op === Kind.constant)
    return bytes(
      word.value
        .toString(16)
        .padStart(64, "0")
        .slice(2 * from, 2 * (from + length))
    )
  const [a, b] = word.args
  const end = from + length
  if (word.op === Opcodes.SHL && a?.op === Kind.constant && b !== undefined && a.value % 8n === 0n && a.value < 256n) {
    const moved = Number(a.value >> 3n)
    const kept = Math.min(end, 32 - moved)
    return [...partsOf(b, from + moved, kept - from), ...bytes("00".repeat(end - Math.max(from, kept)))]
  }
  // Two parts of a word, one of them shifted.
  if (word.op === Opcodes.OR)
    for (const [high, low] of [word.args, [...word.args].reverse()]) {
      if (high === undefined || low === undefined) continue
      const border = 32 - Math.floor(zerosBelow(high) / 8)
      if (low.bits > 8 * (32 - border)) continue
      return [
        ...partsOf(high, from, Math.min(end, border) - from),
        ...partsOf(low, Math.max(from, border), end - Math.max(from, border))
      ]
    }
  // The mask of a type takes nothing off the bytes that it covers.
  if (word.op === Opcodes.AND && a !== undefined && b?.op === Kind.constant) {
    const covered = ((1n << BigInt(8 * length)) - 1n) << BigInt(8 * (32 - end))
    if ((b.value & covered) === covered) return partsOf(a, from, length)
    if ((b.value & covered) === 0n) return bytes("00".repeat(length))
    if ((b.value & (b.value + 1n)) === 0n && b.value !== maxWord && b.bits % 8 === 0) {
      const zeros = 32 - b.bits / 8 - from
      return [...bytes("00".repeat(zeros)), ...partsOf(a, from + zeros, length - zeros)]
    }
  }
  return [{ kind: "key", word, from, length }]
}

/** How many bits at the low end of a word are zero whatever it is. */
const zerosBelow = (word: Expression): number => {
  if (word.op === Kind.constant && word.value !== 0n) return (word.value & -word.value).toString(2).length - 1
  const shift = word.op === Opcodes.SHL ? word.args[0] : undefined
  return shift?.op === Kind.constant ? Math.min(256, Number(shift.value)) : 0
}

const join = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const joined: Array<Part> = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last?.kind === "bytes" && part.kind === "bytes")
      joined[joined.length - 1] = { ...last, hex: last.hex + part.hex }
    else if (
      last?.kind === "key" &&
      part.kind === "key" &&
      last.word === part.word &&
      last.from + last.length === part.from
    )
      joined[joined.length - 1] = { ...last, length: last.length + part.length }
    else joined.push(part)
  }
  return joined
}

// A word that may be a hash can be the slot of another mapping; this would then be an entry of that one.
const nameOf = ({ from, length, word }: Extract<Part, { readonly kind: "key" }>): string | undefined => {
  if (from + length !== 32) return undefined
  if (length === 20) return "a"
  return length === 32 && (word.bits <= 160 || told.has(word.op)) ? "k" : undefined
}

const told: ReadonlySet<number> = new Set([Opcodes.CALLDATALOAD, Opcodes.SLOAD])

const rootOf = (parts: ReadonlyArray<Part>): bigint | undefined => {
  const [first, second, third, ...more] = parts
  const [zeros, key, slot] =
    first?.kind === "key"
      ? [undefined, first, second]
      : [first?.kind === "bytes" ? first.hex : undefined, second, third]
  if (key?.kind !== "key" || slot?.kind !== "bytes" || slot.hex.length !== 64 || more.length > 0) return undefined
  if (first?.kind === "key" && third !== undefined) return undefined
  const isWord = key.length === 32 ? zeros === undefined : zeros === "00".repeat(12)
  return isWord ? BigInt(`0x${slot.hex}`) : undefined
}
