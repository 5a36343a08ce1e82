/** @internal */

import type { CopyLoop } from "../bytecode/CopyLoop.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, isNumber, Kind, maxWord, type Piece, type Pool } from "../expression/Expression.js"
import * as PathFacts from "../expression/PathFacts.js"
import * as HeapPointer from "./HeapPointer.js"

/** A piece of memory that was written. */
export interface Segment {
  readonly at: number
  readonly piece: Piece
}

/** What is known of memory: `memory` where it was written at a number, `heap` behind a pointer that is none. */
export interface Memory {
  memory: ReadonlyArray<Segment>
  /** Memory before this place that is not in `memory` was never written, and reads as zero. */
  blank: number
  heap: Heap | undefined
  /** What was read in the heap through other pointers since it was last written, by where it was read. */
  notes: Notes
  readonly facts: PathFacts.PathFacts
}

/**
 * Memory that was written at a pointer which is not a number: segments count from `base`. What is written through another
 * pointer may overlap it, so there is one at a time.
 */
export interface Heap {
  readonly base: Expression
  readonly segments: ReadonlyArray<Segment>
  /** It is known to be behind where the heap begins; otherwise what is written there may be written over it. */
  readonly isBehind: boolean
}

/** Words by the pointers they were read through. */
export type Notes = ReadonlyMap<Expression, Expression>

/** None. */
export const noNotes: Notes = new Map()

/** A pointer as what it is relative to (none: a plain number) and a distance. */
interface Pointer {
  readonly base: Expression | undefined
  readonly offset: number
}

const pointerOf = (at: Expression): Pointer | undefined => {
  if (at.op === Kind.constant) return at.bits > 24 ? undefined : { base: undefined, offset: Number(at.value) }
  const [base, step] = at.args
  return at.op === Opcodes.ADD && base !== undefined && step?.op === Kind.constant && step.bits <= 24
    ? { base, offset: Number(step.value) }
    : { base: at, offset: 0 }
}

/**
 * Writes a piece. Pointers that are taken to be in the heap are added to `trusted`; none of them are where it is undefined.
 */
export const write = (
  pool: Pool,
  state: Memory,
  at: Expression,
  length: number,
  piece: Piece,
  trusted: HeapPointer.Trusted | undefined
): void => {
  const pointer = pointerOf(at)
  if (pointer?.base === undefined) {
    forget(pool, state, at, pointer, length, trusted)
    if (pointer === undefined) return
    const segments = put(state.memory, pointer.offset, piece)
    if (segments.length > maxSegments) state.blank = 0
    state.memory = segments.slice(-maxSegments)
    return
  }
  const { base, offset } = pointer
  const known = state.heap
  const before = known?.base === base ? cut(known.segments, offset, offset + length) : []
  const isBehind =
    forget(pool, state, at, pointer, length, trusted) && (before.length === 0 || known?.isBehind === true)
  const kept = isBehind && isRest(piece.word) ? partBefore(known, pointer) : undefined
  state.heap = kept ?? { base, segments: put(before, offset, piece).slice(-maxSegments), isBehind }
}

/** Whether a word is what a text of any length ends with, of which nothing is known, or a part by how long that is. */
const isRest = (word: Expression): boolean => {
  const { args, op } = word
  if (op === Kind.constant) return isNumber(word, 0n)
  const isCut = op === Opcodes.AND && args.every((part) => part.op !== Kind.constant)
  return op === Kind.unknown || (isCut && args.some((part) => part.op === Kind.unknown))
}

/** What stays of a heap where something is put no one knows how far behind it, as the end of a text. */
const partBefore = (heap: Heap | undefined, pointer: Pointer): Heap | undefined => {
  const { base, offset } = backFrom(pointer) ?? pointer
  if (heap === undefined || base?.op !== Opcodes.ADD || !base.args.includes(heap.base)) return undefined
  const segments = cut(heap.segments, offset, Number.POSITIVE_INFINITY)
  return segments.length === 0 ? undefined : { ...heap, segments }
}

/** A pointer that is a little before another one, as where the last word of a text begins, as the least that it can be. */
const backFrom = ({ base, offset }: Pointer): Pointer | undefined => {
  const [from, step] = base?.op === Opcodes.SUB ? base.args : []
  if (from === undefined || step === undefined || step.bits > 8) return undefined
  const place = pointerOf(from)
  return place === undefined ? undefined : { base: place.base, offset: place.offset + offset - 2 ** step.bits + 1 }
}

/**
 * Keeps an unknown value that was read from the heap, so that a second read gives the same value until the place may be
 * overwritten. An array entry that is used as a balance's key and then credited is thus one account. A pointer that may
 * be below the heap is not kept, because writes there leave the heap as it is.
 */
export const note = (
  pool: Pool,
  state: Memory,
  at: Expression,
  word: Expression,
  trusted: HeapPointer.Trusted | undefined
): void => {
  const pointer = pointerOf(at)
  if (pointer?.base === undefined || !isInHeap(pool, state, at, trusted)) return
  const { base, offset } = pointer
  const { isBehind, segments } = state.heap ?? { isBehind: true, segments: [] }
  const isOther = state.heap !== undefined && state.heap.base !== base
  if (isOther) {
    // Two arrays are read in turns where each account of one is given an amount of the other.
    if (state.notes.size < maxNotes) state.notes = new Map(state.notes).set(at, word)
    return
  }
  if (segments.length >= maxSegments || cut(segments, offset, offset + 32) !== segments) return
  state.heap = { base, segments: put(segments, offset, { word, from: 0, length: 32 }), isBehind }
}

/** Whether a pointer that is no number is behind where the heap begins. */
const isInHeap = (pool: Pool, state: Memory, at: Expression, trusted: HeapPointer.Trusted | undefined): boolean => {
  const { base, offset } = pointerOf(at) ?? {}
  if (base === undefined || offset === undefined) return false
  // A size added to the start of the heap, too small to wrap to an offset before it.
  if (offset >= HeapPointer.start && (base.bits <= maxSizeBits || mostOf(pool, base, state.facts) <= maxSize))
    return true
  return trusted !== undefined && HeapPointer.trust(trusted, at, (size) => isShort(pool, size, state.facts))
}

const maxSegments = 192

/** Arrays that are read in turns. */
const maxNotes = 8

const put = (segments: ReadonlyArray<Segment>, at: number, piece: Piece): ReadonlyArray<Segment> => {
  let position = segments.length
  while (position > 0 && (segments[position - 1] as Segment).at > at) position--
  return [...segments.slice(0, position), { at, piece }, ...segments.slice(position)]
}

/** The rest of the segments after `[start, end)` is overwritten. */
const cut = (segments: ReadonlyArray<Segment>, start: number, end: number): ReadonlyArray<Segment> => {
  if (!segments.some(({ at, piece }) => at < end && at + piece.length > start)) return segments
  const kept: Array<Segment> = []
  for (const segment of segments) {
    const { at, piece } = segment
    if (at >= end || at + piece.length <= start) {
      kept.push(segment)
      continue
    }
    if (at < start) kept.push({ at, piece: { word: piece.word, from: piece.from, length: start - at } })
    if (at + piece.length > end) {
      kept.push({
        at: end,
        piece: { word: piece.word, from: piece.from + (end - at), length: at + piece.length - end }
      })
    }
  }
  return kept
}

/** Forgets what may be written over at a pointer, or (none) anywhere; says whether that is in the heap alone. */
const forget = (
  pool: Pool,
  state: Memory,
  at: Expression,
  pointer: Pointer | undefined,
  length: number,
  trusted: HeapPointer.Trusted | undefined
): boolean => {
  if (pointer !== undefined && pointer.base === undefined) {
    state.memory = cut(state.memory, pointer.offset, pointer.offset + length)
    if (pointer.offset + length > HeapPointer.start || state.heap?.isBehind === false) state.heap = undefined
    if (pointer.offset + length > HeapPointer.start) state.notes = noNotes
    return pointer.offset >= HeapPointer.start
  }
  const isBehind = isInHeap(pool, state, at, trusted)
  const least = pointer === undefined || !isBehind ? 0 : pointer.offset + leastOf(pool, pointer.base, state.facts)
  // It did not wrap, so that it is no less than what was added last.
  const from = Math.max(HeapPointer.start, least)
  state.memory = isBehind ? cut(state.memory, from, Number.POSITIVE_INFINITY) : []
  state.blank = isBehind ? Math.min(state.blank, from) : 0
  state.heap = undefined
  state.notes = noNotes
  return isBehind
}

/** Sums of a few sizes of memory are no longer than this. */
const maxSizeBits = 40

/** Whatever is a little more than this is still no less than it. */
const maxSize = maxWord >> 1n

/** An upper bound of a number; one that is known to be a heap offset has not wrapped. */
const mostOf = (pool: Pool, what: Expression, facts: PathFacts.PathFacts, isPlace = false): bigint => {
  let left = maxParts
  const visit = (part: Expression): bigint => {
    if (part.op === Kind.constant) return part.value
    const most = (1n << BigInt(part.bits)) - 1n
    if (left-- <= 0) return most
    const [a, b] = part.args
    const least = (found: bigint): bigint => (found < most ? found : most)
    switch (part.op) {
      case Opcodes.AND:
      case Opcodes.ADD: {
        const known = part.bits > maxSizeBits ? limitOf(pool, part, facts) : undefined
        if (known !== undefined) return least(known)
        if (a === undefined || b === undefined) return most
        if (part.op === Opcodes.ADD) return least(visit(a) + visit(b))
        return b.op === Kind.constant ? least(visit(a)) : most
      }
      case Opcodes.SUB:
        return isPlace && a !== undefined && b !== undefined && b.bits <= 8 ? least(visit(a)) : most
      case Opcodes.SHL:
      case Opcodes.SHR: {
        if (a?.op !== Kind.constant || b === undefined || a.value > 255n) return most
        const known = limitOf(pool, part, facts)
        if (known !== undefined) return least(known)
        const inner = visit(b)
        return least(part.op === Opcodes.SHL ? inner << a.value : inner >> a.value)
      }
      case Opcodes.CALLDATALOAD:
      case Kind.unknown:
      case Kind.merge:
        return limitOf(pool, part, facts) ?? most
      default:
        return most
    }
  }
  return visit(what)
}

/** A lower bound of a size: an addend that is not rounded down, where no part of the sum may wrap. */
const leastOf = (pool: Pool, what: Expression | undefined, facts: PathFacts.PathFacts): number => {
  if (what === undefined || mostOf(pool, what, facts) > maxSize) return 0
  if (what.op === Kind.constant) return what.bits > 24 ? 0 : Number(what.value)
  const [a, b] = what.args
  if (what.op === Kind.merge)
    return leastPlaces.findLast((place) => PathFacts.has(facts, noLessThan(pool, what, place))) ?? 0
  if (what.op === Opcodes.ADD) return leastOf(pool, a, facts) + leastOf(pool, b, facts)
  if (what.op === Opcodes.SHL && a?.op === Kind.constant && b?.op === Opcodes.SHR && b.args[0] === a && a.bits <= 4)
    return leastOf(pool, b.args[1], facts) & ~((1 << Number(a.value)) - 1)
  const rest = what.op === Opcodes.AND && b?.op === Kind.constant ? maxWord - b.value : maxWord
  // As many bytes as are whole words.
  return rest < 256n && (rest & (rest + 1n)) === 0n ? leastOf(pool, a, facts) & ~Number(rest) : 0
}

/** Parts of a formula that are looked at. */
const maxParts = 24

/** An upper bound of a size: a condition limits it, or that much memory was written. */
const limitOf = (pool: Pool, size: Expression, facts: PathFacts.PathFacts): bigint | undefined =>
  (size.op === Kind.merge ? metLimits : lengthLimits).find((limit) =>
    PathFacts.has(facts, noMoreThan(pool, size, limit))
  )

const isShort = (pool: Pool, size: Expression, facts: PathFacts.PathFacts): boolean =>
  sizes.has(size.op)
    ? limitOf(pool, size, facts) !== undefined
    : size.op === Kind.merge &&
      PathFacts.has(facts, noLessThanHeap(pool, size)) &&
      limitOf(pool, size, facts) !== undefined

const noMoreThan = (pool: Pool, size: Expression, limit: bigint): number =>
  PathFacts.noLess(pool, pool.constant(limit), size)

const noLessThan = (pool: Pool, place: Expression, least: number): number =>
  PathFacts.noLess(pool, place, pool.constant(BigInt(least)))

const noLessThanHeap = (pool: Pool, place: Expression): number => noLessThan(pool, place, HeapPointer.start)

/** What merge points in the heap are known to be no less than: what was there before them stays. */
const leastPlaces = Array.from({ length: 16 }, (_, i) => HeapPointer.start + 64 * i)

/** Whether a word may be a place in the heap, by what it is made of. */
export const isPlace = (word: Expression): boolean =>
  word.op === Opcodes.ADD || word.op === Opcodes.SUB || word.op === Kind.merge || isNumberInHeap(word)

const isNumberInHeap = (word: Expression): boolean =>
  word.op === Kind.constant && word.bits <= 24 && word.value >= BigInt(HeapPointer.start)

/**
 * The facts that a merge point is in the heap, where all that meets in it is, each by what holds where it comes from; none
 * otherwise.
 */
export const factsOfMet = (
  pool: Pool,
  met: Expression,
  ways: ReadonlyArray<Expression>,
  states: ReadonlyArray<Memory>,
  trusted: HeapPointer.Trusted | undefined
): ReadonlyArray<number> => {
  let most = 0n
  let least = Number.POSITIVE_INFINITY
  for (const [i, word] of ways.entries()) {
    const state = states[i] as Memory
    least = Math.min(least, leastOf(pool, word, state.facts))
    const isKnown = word.op === Kind.merge ? isShort(pool, word, state.facts) : isInHeap(pool, state, word, trusted)
    if (!isKnown && !isNumberInHeap(word)) return []
    const bound = mostOf(pool, word, state.facts, true)
    if (bound > most) most = bound
  }
  const limit = metLimits.find((one) => most <= one)
  const place = leastPlaces.findLast((one) => one <= least) ?? HeapPointer.start
  return limit === undefined
    ? []
    : [noLessThanHeap(pool, met), noLessThan(pool, met, place), noMoreThan(pool, met, limit)]
}

/**
 * The forms of a size in a comparison: an argument, a word read from memory, or a number of words or bytes of those.
 */
const sizes: ReadonlySet<number> = new Set([Opcodes.CALLDATALOAD, Kind.unknown, Opcodes.SHL, Opcodes.AND])

/** What merge points are known to be at most: each of several behind one another is a little more. */
const metLimits = [1n << 32n, 1n << 66n, 1n << 70n, 1n << 74n, HeapPointer.maxMet]

/** What a length is compared with where it is read out of arguments, or an end of memory, by newer compilers and older ones. */
const lengthLimits = [(1n << 64n) - 1n, 1n << 32n]

/** What is known once so much was copied: memory of more than 32 bits costs more gas than there is. */
export const afterCopy = (pool: Pool, facts: PathFacts.PathFacts, length: Expression): PathFacts.PathFacts =>
  length.bits <= 32
    ? facts
    : PathFacts.assume(pool, facts, pool.binary(Opcodes.LT, pool.constant(1n << 32n), length), false)

/** Facts about a pointer after a successful write at it. */
export const onceWritten = (pool: Pool, facts: PathFacts.PathFacts, at: Expression): PathFacts.PathFacts => {
  const { base } = pointerOf(at) ?? {}
  if (base?.op === Kind.merge) return base === at || isShort(pool, base, facts) ? afterCopy(pool, facts, base) : facts
  const size = at.op === Opcodes.ADD ? HeapPointer.provenBy(at, (term) => isShort(pool, term, facts)) : undefined
  return size === undefined ? facts : afterCopy(pool, facts, size)
}

/** Writes something unknown. */
export const clobber = (
  pool: Pool,
  state: Memory,
  at: Expression,
  length: Expression,
  trusted: HeapPointer.Trusted | undefined
): void => {
  if (length.op === Kind.constant && length.value === 0n) return
  const pointer = pointerOf(at)
  const size = length.op === Kind.constant && length.bits <= 24 ? Number(length.value) : Number.POSITIVE_INFINITY
  const known = state.heap
  const isBehind = forget(pool, state, at, pointer, size, trusted)
  if (known !== undefined && pointer !== undefined && known.base === pointer.base) {
    const segments = cut(known.segments, pointer.offset, pointer.offset + size)
    if (segments.length > 0) state.heap = { ...known, segments }
  } else if (isBehind && pointer !== undefined) state.heap = partBefore(known, pointer)
  if (pointer?.base === undefined) state.blank = Math.min(state.blank, pointer?.offset ?? 0)
}

/** The content of memory, in pieces; none where it is not known. */
export const readPieces = (
  state: Memory,
  at: Expression,
  length: Expression,
  unwritten: Expression
): ReadonlyArray<Piece> | undefined => {
  if (length.op !== Kind.constant || length.value > 1024n) return undefined
  const { left, pieces } = readFirst(state, at, Number(length.value), unwritten)
  return left === 0 ? pieces : undefined
}

/** The content of memory, in pieces, as far as it is known, and how many bytes of a length are left. */
const readFirst = (
  state: Memory,
  at: Expression,
  length: number,
  unwritten: Expression
): { readonly pieces: ReadonlyArray<Piece>; readonly left: number } => {
  const pointer = pointerOf(at)
  const pieces: Array<Piece> = []
  if (pointer === undefined || (pointer.base !== undefined && pointer.base !== state.heap?.base))
    return { pieces, left: length }
  const segments = pointer.base === undefined ? state.memory : (state.heap?.segments ?? [])
  const blank = pointer.base === undefined ? state.blank : 0
  let position = pointer.offset
  const end = position + length
  const fill = (until: number): boolean => {
    if (position < until && until > blank) return false
    while (position < until) {
      const part = Math.min(32, until - position)
      pieces.push({ word: unwritten, from: 0, length: part })
      position += part
    }
    return true
  }
  for (const segment of segments) {
    const stop = segment.at + segment.piece.length
    if (position >= end || segment.at >= end) break
    if (stop <= position) continue
    if (!fill(segment.at)) return { pieces, left: end - position }
    const taken = Math.min(stop, end) - position
    pieces.push({ word: segment.piece.word, from: segment.piece.from + (position - segment.at), length: taken })
    position += taken
  }
  return { pieces, left: fill(end) ? 0 : end - position }
}

/** The last word of a part of memory of any length; none where it is not known. */
export const lastWord = (
  pool: Pool,
  state: Memory,
  at: Expression,
  length: Expression,
  unwritten: Expression
): Expression | undefined => {
  const size = pool.constant(word32)
  const place = pool.binary(Opcodes.SUB, pool.binary(Opcodes.ADD, at, length), size)
  const pieces = readPieces(state, place, size, unwritten) ?? []
  return pieces.length === 1 ? pieces[0]?.word : undefined
}

/** Writes pieces one after the other. */
export const writePieces = (
  pool: Pool,
  state: Memory,
  at: Expression,
  pieces: ReadonlyArray<Piece>,
  trusted: HeapPointer.Trusted | undefined
): void => {
  let position = 0n
  for (const piece of pieces) {
    write(pool, state, pool.binary(Opcodes.ADD, at, pool.constant(position)), piece.length, piece, trusted)
    position += BigInt(piece.length)
  }
}

/**
 * What a word is made of: itself, an account that was put before a constant in it, as Solady keys its entries, or a
 * function's selector before a value that was read from memory, as abi.encodeWithSelector() does once the arguments are
 * there. `made` has the pieces of words that were read across several.
 */
export const piecesOf = (
  word: Expression,
  made: ReadonlyMap<Expression, ReadonlyArray<Piece>>
): ReadonlyArray<Piece> => {
  const whole = [{ word, from: 0, length: 32 }]
  if (word.op !== Opcodes.OR) return whole
  for (const [high, low] of [word.args, [...word.args].reverse()]) {
    const [by, what] = high?.op === Opcodes.SHL ? high.args : []
    if (what === undefined || by?.op !== Kind.constant || low?.op !== Kind.constant) continue
    const bytes = Number(by.value >> 3n)
    if (by.value % 8n !== 0n || bytes === 0 || bytes >= 32 || low.bits > 8 * bytes) continue
    return [
      { word: what, from: bytes, length: 32 - bytes },
      { word: low, from: 32 - bytes, length: bytes }
    ]
  }
  if (made.size === 0) return whole
  for (const [rest, name] of [word.args, [...word.args].reverse()]) {
    const [across, mask] = rest?.op === Opcodes.AND ? rest.args : []
    const pieces = across === undefined ? undefined : made.get(across)
    if (pieces === undefined || pieces.length === 0 || name?.op !== Kind.constant || mask?.op !== Kind.constant)
      continue
    if (mask.value !== lowBytes || (name.value & lowBytes) !== 0n) continue
    return [{ word: name, from: 0, length: 4 }, ...behind(pieces, 4)]
  }
  return whole
}

/** All but the four bytes of a selector. */
const lowBytes = (1n << 224n) - 1n

/** The words that pieces belong to; a word that was split and joined again counts once. */
export const wordsOf = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Expression> =>
  pieces.flatMap((piece, i) => {
    const before = pieces[i - 1]
    return before?.word === piece.word && before.from + before.length === piece.from ? [] : [piece.word]
  })

/** The pieces of `word` at an offset in memory with unknown first four bytes: compilers write the selector last. */
export const behindName = (
  pool: Pool,
  state: Memory,
  at: Expression,
  word: Expression,
  unwritten: Expression
): ReadonlyArray<Piece> => {
  const rest = readPieces(state, pool.binary(Opcodes.ADD, at, pool.constant(4n)), pool.constant(28n), unwritten)
  return rest === undefined ? [] : [{ word, from: 0, length: 4 }, ...rest]
}

/** The pieces after a number of bytes. */
const behind = (pieces: ReadonlyArray<Piece>, bytes: number): ReadonlyArray<Piece> => {
  let skipped = bytes
  return pieces.flatMap((piece): ReadonlyArray<Piece> => {
    const cut = Math.min(skipped, piece.length)
    skipped -= cut
    return cut === piece.length ? [] : [{ word: piece.word, from: piece.from + cut, length: piece.length - cut }]
  })
}

/** Copies memory, of which the beginning may be known alone, and answers how much work it was. */
export const copyMemory = (
  pool: Pool,
  state: Memory,
  at: Expression,
  source: Expression,
  length: Expression,
  unwritten: Expression,
  trusted: HeapPointer.Trusted | undefined
): number => {
  const least = leastOf(pool, length, state.facts)
  const { pieces } = readFirst(state, source, Math.min(least, maxCopied), unwritten)
  clobber(pool, state, at, length, trusted)
  writePieces(pool, state, at, pieces, trusted)
  return 1 + pieces.length
}

const maxCopied = 1024

/**
 * Does what a loop that copies memory does, leaves the stack as before the loop's last test, and answers how much work it
 * was.
 */
export const copyAtOnce = (
  pool: Pool,
  state: Memory & { readonly stack: Array<Expression>; facts: PathFacts.PathFacts },
  { done, length, source, target }: CopyLoop,
  unwritten: Expression,
  trusted: HeapPointer.Trusted | undefined
): number => {
  const place = (depth: number): number => state.stack.length - 1 - depth
  const of = (depth: number): Expression | undefined => state.stack[place(depth)]
  const [from, to, size] = [of(source), of(target), of(length)]
  if (from === undefined || to === undefined || size === undefined) return 0
  if (size.op === Kind.constant && (size.value > BigInt(maxCopied) || size.value === 0n)) return 0
  if (isOntoItself(from, to, size)) return 0
  const whole = pool.constant(maxWord - (word32 - 1n))
  if (done === undefined) {
    const words = pool.binary(Opcodes.AND, size, whole)
    if (words.op === Kind.constant && words.value === 0n) return 0
    const work = copyMemory(pool, state, to, from, words, unwritten, trusted)
    state.stack[place(source)] = pool.binary(Opcodes.ADD, from, words)
    state.stack[place(target)] = pool.binary(Opcodes.ADD, to, words)
    state.stack[place(length)] = pool.binary(Opcodes.AND, size, pool.constant(word32 - 1n))
    return work
  }
  const begun = of(done)
  if (begun?.op !== Kind.constant || begun.value !== 0n) return 0
  const words = pool.binary(Opcodes.AND, pool.binary(Opcodes.ADD, size, pool.constant(word32 - 1n)), whole)
  state.stack[place(done)] = words
  // A length that wraps to zero when it is rounded up would run the loop out of gas.
  state.facts = PathFacts.assume(pool, state.facts, pool.binary(Opcodes.LT, words, size), false)
  return copyMemory(pool, state, to, from, size, unwritten, trusted)
}

/** Whether the target of a copy overlaps the rest of its source, so that a loop reads what it has written. */
const isOntoItself = (from: Expression, to: Expression, size: Expression): boolean => {
  const [source, target] = [pointerOf(from), pointerOf(to)]
  const length = size.op === Kind.constant ? Number(size.value) : Number.POSITIVE_INFINITY
  return (
    source !== undefined &&
    target !== undefined &&
    source.base === target.base &&
    target.offset > source.offset &&
    target.offset < source.offset + length
  )
}

/** The size of a word. */
export const word32 = 32n

/**
 * The word in memory at a place, with the call's `selector` where it was moved to its low end; none where it is not
 * known.
 */
export const readWord = (
  pool: Pool,
  state: Memory,
  at: Expression,
  selector: Expression,
  firstWord: Expression,
  unwritten: Expression
): Expression | undefined => {
  const pieces = readPieces(state, at, pool.constant(word32), unwritten)
  if (pieces === undefined) return state.notes.get(at)
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined && only.length === 32) return only.word
  let value = 0n
  let variable: Expression | undefined
  for (const [i, piece] of pieces.entries()) {
    const bits = BigInt(8 * piece.length)
    if (piece.word.op === Kind.constant) {
      value =
        (value << bits) | ((piece.word.value >> BigInt(8 * (32 - piece.from - piece.length))) & ((1n << bits) - 1n))
    } else if (piece.word === firstWord && piece.from === 0 && piece.length === 4 && i === pieces.length - 1) {
      // The selector, moved to the low end of a word as Vyper does.
      value <<= bits
      variable = selector
    } else return undefined
  }
  return variable === undefined
    ? pool.constant(value)
    : value === 0n
      ? variable
      : pool.binary(Opcodes.OR, pool.constant(value), variable)
}

/** Whether segments hold the same. */
export const areSame = (a: ReadonlyArray<Segment>, b: ReadonlyArray<Segment>): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ at, piece }, i) => {
      const other = b[i] as Segment
      return (
        at === other.at &&
        piece.word === other.piece.word &&
        piece.from === other.piece.from &&
        piece.length === other.piece.length
      )
    }))

/** Whether two heaps have the same start and content. */
export const isSameHeap = (a: Heap | undefined, b: Heap | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.base === b.base &&
    a.isBehind === b.isBehind &&
    areSame(a.segments, b.segments))

/** The notes that all paths to a place share. */
export const commonNotes = (ways: ReadonlyArray<Notes>): Notes => {
  const [first, ...others] = ways as readonly [Notes, ...ReadonlyArray<Notes>]
  if (first.size === 0 || others.every((other) => other === first)) return first
  const kept = [...first].filter(([at, word]) => others.every((other) => other.get(at) === word))
  return kept.length === first.size ? first : kept.length === 0 ? noNotes : new Map(kept)
}

/** Whether the same is noted. */
export const areSameNotes = (a: Notes, b: Notes): boolean =>
  a === b || (a.size === b.size && [...a].every(([at, word]) => b.get(at) === word))
