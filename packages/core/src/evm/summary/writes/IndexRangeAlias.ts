/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import * as StorageLocation from "../../expression/StorageLocation.js"
import type { FunctionFlow, Write } from "../conditions/FunctionFlow.js"

/**
 * The ranges of the computed slots behind each id, from all accesses of a code: those that are read and those that are
 * written.
 */
export interface Spans {
  readonly read: Map<string, StorageLocation.Span>
  readonly written: Map<string, StorageLocation.Span>
}

/** Nothing computed yet. */
export const makeSpans = (): Spans => ({ read: new Map(), written: new Map() })

/** Adds the range of one access to its id. */
export const note = (
  spans: Map<string, StorageLocation.Span>,
  id: string,
  { from, stride, to }: StorageLocation.Span
): void => {
  const known = spans.get(id)
  spans.set(
    id,
    known === undefined
      ? { from, stride, to }
      : {
          from: from < known.from ? from : known.from,
          stride: StorageLocation.commonStep(stride, known.stride),
          to: to === undefined || known.to === undefined ? undefined : to > known.to ? to : known.to
        }
  )
}

/** What several functions reach. */
export const join = (all: ReadonlyArray<Spans>): Spans => {
  const joined = makeSpans()
  for (const { read, written } of all) {
    for (const [id, span] of read) note(joined.read, id, span)
    for (const [id, span] of written) note(joined.written, id, span)
  }
  return joined
}

/**
 * The functions, with each write repeated for every id that its slot may have elsewhere in the code: one function
 * writes an array at a computed index, another reads it at a constant one. None where there are more than any contract
 * needs. In slices.
 */
export function* spread(
  functions: ReadonlyArray<FunctionFlow>,
  spans: Spans
): Slices.Slices<ReadonlyArray<FunctionFlow> | undefined> {
  if (spans.read.size + spans.written.size === 0) return functions
  const ids = new Set(functions.flatMap(({ reads, writes }) => [...reads, ...writes].map(({ slot }) => slot)))
  const all = [...ids].map(placeOf)
  const computed = all.filter(({ levels }) => levels.some(({ isComputed }) => isComputed))
  const others = new Map<string, ReadonlyArray<string>>()
  let pairs = 0
  for (const own of new Set(functions.flatMap(({ writes }) => writes.map(({ slot }) => slot)))) {
    const place = placeOf(own)
    const found: Array<string> = []
    for (const other of place.levels.some(({ isComputed }) => isComputed) ? all : computed) {
      if (++pairs > maxPairs) return undefined
      if (pairs % pairsPerSlice === 0) yield undefined
      if (other.id !== own && other.skeleton === place.skeleton && coincide(spans, place, other)) found.push(other.id)
    }
    others.set(own, found)
  }
  let added = 0
  const told: Array<FunctionFlow> = []
  for (const candidate of functions) {
    const more = candidate.writes.flatMap((write) =>
      (others.get(write.slot) ?? []).map((slot): Write => ({ ...write, slot }))
    )
    added += more.length
    if (added > maxAdded) return undefined
    told.push(more.length === 0 ? candidate : { ...candidate, writes: [...candidate.writes, ...more] })
  }
  return told
}

/** Pairs of ids that are looked at for one code; about 50 ms. */
const maxPairs = 100_000

const pairsPerSlice = 2_000

/** The most writes that are added. */
const maxAdded = 4_000

/** Whether a write to one id may change a slot of another one. */
const coincide = ({ read, written }: Spans, { id, levels }: Place, other: Place): boolean => {
  const own = written.get(id) ?? one
  // A write that may go anywhere at all leaves the whole code incomplete.
  if (own.to === undefined && levels[0]?.isComputed === true) return false
  const spans = [read.get(other.id), written.get(other.id)].filter((span) => span !== undefined)
  return (spans.length === 0 ? [one] : spans).some((span) =>
    levels.every((level, i) => meet(level, own, other.levels[i] as Level, span, i === 0))
  )
}

/** The range of a slot that is not computed. */
const one: StorageLocation.Span = { from: 0n, stride: 0n, to: 0n }

const meet = (
  a: Level,
  spanOfA: StorageLocation.Span,
  b: Level,
  spanOfB: StorageLocation.Span,
  isFirst: boolean
): boolean => {
  if (!a.isComputed && !b.isComputed) return a.offset === b.offset
  const [ofA, ofB] = [a.isComputed ? spanOfA : one, b.isComputed ? spanOfB : one]
  const step = StorageLocation.commonStep(ofA.stride, ofB.stride)
  if (step !== 0n && (a.offset - b.offset) % step !== 0n) return false
  // An array at a hashed slot has nothing else behind it.
  if (!isFirst) return true
  return (
    (ofB.to === undefined || a.offset + ofA.from <= b.offset + ofB.to) &&
    (ofA.to === undefined || b.offset + ofB.from <= a.offset + ofA.to)
  )
}

/** The part between two hashes: a slot or an offset from one. */
interface Level {
  readonly offset: bigint
  readonly isComputed: boolean
}

interface Place {
  readonly id: string
  readonly levels: ReadonlyArray<Level>
  /** The number of nested hashes, each with or without a key: slots that differ in it are never equal. */
  readonly skeleton: string
}

const placeOf = (id: string): Place => ({
  id,
  skeleton: id.startsWith("#") ? id : (id.match(/\[k\]|\[\]/g) ?? []).join(""),
  levels: id.split(/\[k\]|\[\]/).map((text, i) => {
    const [, root = "0", rest = text] = (i === 0 && /^(0x[0-9a-f]+)(.*)$/.exec(text)) || []
    return {
      offset: [...rest.matchAll(/\+([0-9a-f]+)/g)].reduce((sum, [, n]) => sum + BigInt(`0x${n}`), BigInt(root)),
      isComputed: rest.includes("[i]")
    }
  })
})
