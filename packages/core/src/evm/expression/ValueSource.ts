/** @internal */

import * as OxHex from "ox/Hex"
import type { Hex } from "../../domain/Hex.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, fold, innerOf, Kind, type Load, maxWord } from "./Expression.js"
import type * as StorageLocation from "./StorageLocation.js"

/** Where a mapping key, an amount or an address comes from. */
export type ValueSource =
  | { readonly kind: "caller" }
  | { readonly kind: "self" }
  /** A 32-byte word of the arguments by its number, or (none) a computed place behind them. */
  | { readonly kind: "argument"; readonly index: number | undefined }
  | { readonly kind: "constant"; readonly value: Hex }
  | { readonly kind: "storage"; readonly slot: string }
  | { readonly kind: "value" }
  | { readonly kind: "time" }
  /** The answer of another contract, or anything else that the code alone does not show. */
  | { readonly kind: "unknown" }

/**
 * Bytes `offset` to `offset + size` of a slot's word, counted from its low end as Solidity packs variables; a bit of a byte
 * is an eighth of it.
 */
export interface Field {
  readonly offset: number
  readonly size: number
}

/**
 * Reads formulas back: what they point to and what they are made of. Answers are kept, and the work is bounded: past the
 * bound everything is unknown and `exhausted` is true.
 */
export interface Tracer {
  readonly locate: (slot: Expression) => ReadonlyArray<StorageLocation.StorageLocation> | undefined
  /** The one thing a formula comes from, through masks and past constants it may have instead. */
  readonly origin: (what: Expression) => ValueSource
  readonly origins: (what: Expression) => ReadonlyArray<ValueSource>
  /** Every SLOAD in a formula. */
  readonly loads: (what: Expression) => ReadonlyArray<Load>
  /** Slots that a formula reads. */
  readonly slots: (what: Expression) => ReadonlySet<string>
  /** Every part of a formula, itself first. */
  readonly parts: (what: Expression) => Iterable<Expression>
  readonly exhausted: () => boolean
}

/** A tracer over a locator that looks at no more than `bound` parts of formulas. */
export const makeTracer = (locator: StorageLocation.Locator, bound: number): Tracer => {
  let left = bound
  const keep = <A>(compute: (what: Expression) => A): ((what: Expression) => A) => {
    const kept = new Map<Expression, A>()
    return (what) => {
      const known = kept.get(what)
      if (known !== undefined) return known
      const computed = compute(what)
      kept.set(what, computed)
      return computed
    }
  }

  const parts = function* (what: Expression): Iterable<Expression> {
    const pending = [what]
    const seen = new Set(pending)
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (--left < 0) return
      yield part
      // The key of a loaded entry is no part of its value.
      if (part.op === Opcodes.SLOAD) continue
      for (const inner of innerOf(part)) {
        if (seen.has(inner)) continue
        seen.add(inner)
        pending.push(inner)
      }
    }
  }

  const located = new Map<Expression, ReadonlyArray<StorageLocation.StorageLocation> | undefined>()
  const locate = (slot: Expression): ReadonlyArray<StorageLocation.StorageLocation> | undefined => {
    if (located.has(slot)) return located.get(slot)
    left -= 8
    const locations = left < 0 ? undefined : locator.resolve(slot)
    located.set(slot, locations)
    return locations
  }

  const origins = keep((what: Expression): ReadonlyArray<ValueSource> => {
    const found: Array<ValueSource> = []
    const pending = [what]
    const seen = new Set(pending)
    const visit = (inner: Expression): void => {
      if (seen.has(inner)) return
      seen.add(inner)
      pending.push(inner)
    }
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      if (--left < 0) return [{ kind: "unknown" }]
      switch (part.op) {
        case Kind.constant:
          // Inside a formula a mask, shift or unit says nothing about where the number comes from.
          if (part === what) found.push({ kind: "constant", value: OxHex.fromNumber(part.value) })
          break
        case Opcodes.CALLER:
        case Opcodes.ORIGIN:
          found.push({ kind: "caller" })
          break
        case Opcodes.ADDRESS:
          found.push({ kind: "self" })
          break
        case Opcodes.CALLVALUE:
          found.push({ kind: "value" })
          break
        case Opcodes.TIMESTAMP:
        case Opcodes.NUMBER:
          found.push({ kind: "time" })
          break
        case Opcodes.CALLDATALOAD: {
          const at = part.args[0]
          const isWord = at?.op === Kind.constant && at.value >= 4n && at.value < 1n << 16n && at.value % 32n === 4n
          found.push({ kind: "argument", index: isWord ? Number((at.value - 4n) / 32n) : undefined })
          break
        }
        case Opcodes.SLOAD: {
          const locations = locate(part.args[0])
          if (locations === undefined) found.push({ kind: "unknown" })
          else found.push(...locations.map(({ id }): ValueSource => ({ kind: "storage", slot: id })))
          break
        }
        case Kind.unknown:
        case Opcodes.KECCAK256:
          found.push({ kind: "unknown" })
          break
        case Kind.merge:
          for (const inner of part.alternatives) {
            if (inner.op === Kind.constant) found.push({ kind: "constant", value: OxHex.fromNumber(inner.value) })
            else visit(inner)
          }
          break
        default:
          for (const inner of part.args) visit(inner)
      }
    }
    return unique(found)
  })

  const origin = keep((what: Expression): ValueSource => {
    const all = origins(what)
    const [only] = all
    if (all.length === 1 && only !== undefined) return only
    const others = all.filter((candidate) => candidate.kind !== "constant")
    return others.length === 1 ? (others[0] as ValueSource) : { kind: "unknown" }
  })

  const loads = keep((what: Expression): ReadonlyArray<Load> => {
    const found: Array<Load> = []
    for (const part of parts(what)) if (part.op === Opcodes.SLOAD) found.push(part)
    return found
  })

  const slots = keep(
    (what: Expression): ReadonlySet<string> =>
      new Set(loads(what).flatMap((load) => (locate(load.args[0]) ?? []).map((location) => location.id)))
  )

  return { locate, origin, origins, loads, slots, parts, exhausted: () => left < 0 }
}

/** {@link Tracer.origins} of a number that is kept: what is worked out from constants is none of them. */
export const originsOfNumber = (tracer: Tracer, what: Expression): ReadonlyArray<ValueSource> => {
  const told = tracer.origins(what)
  if (what.op === Kind.constant || told.length === 0 || told.some(({ kind }) => kind !== "constant")) return told
  const values = valuesOf(what)
  return values === undefined
    ? [{ kind: "unknown" }]
    : [...values].map((value): ValueSource => ({ kind: "constant", value: OxHex.fromNumber(value) }))
}

/** All the numbers that a formula of constants can be; none where a loop makes ever more of them. */
const valuesOf = (what: Expression, depth = 0): ReadonlySet<bigint> | undefined => {
  if (what.op === Kind.constant) return new Set([what.value])
  const ways = [...innerOf(what)]
  if (depth > maxDepth || ways.length > 4) return undefined
  const parts = ways.map((part) => valuesOf(part, depth + 1))
  if (parts.length === 0 || !parts.every((part) => part !== undefined)) return undefined
  if (what.op === Kind.merge) {
    const all = new Set(parts.flatMap((part) => [...part]))
    return all.size > maxFolds ? undefined : all
  }
  const [first, second] = parts
  if (first === undefined || first.size * (second?.size ?? 1) > maxFolds) return undefined
  const values = new Set<bigint>()
  for (const a of first)
    for (const b of second ?? [0n]) {
      const value = parts.length === 2 ? fold(what.op, a, b) : negated(what.op, a)
      if (value === undefined || parts.length > 2) return undefined
      values.add(value)
    }
  return values
}

const negated = (op: number, value: bigint): bigint | undefined =>
  op === Opcodes.ISZERO ? (value === 0n ? 1n : 0n) : op === Opcodes.NOT ? maxWord ^ value : undefined

const maxFolds = 16

const maxDepth = 5

/**
 * Whether a value is the same in every call until it is set again: a constant, or a variable outside of mappings and
 * arrays.
 */
export const isOfContract = (origin: ValueSource): boolean =>
  origin.kind === "constant" || (origin.kind === "storage" && !origin.slot.includes("["))

/** The number that an origin is, where it is a constant. */
export const constantOf = (origin: ValueSource): ReadonlyArray<bigint> =>
  origin.kind === "constant" ? [BigInt(origin.value)] : []

/** The values without repeats, compared by their JSON. */
export const unique = <A>(values: ReadonlyArray<A>): ReadonlyArray<A> =>
  values.length < 2 ? values : [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]

/**
 * The bytes that a mask of ones covers, where they are in one row; none for the whole word. Bits within a byte count for all
 * of it, unless others below them do not belong to it.
 */
export const fieldOf = (mask: bigint): Field | undefined => {
  if (mask === 0n || mask === maxWord) return undefined
  const offset = offsetOf(mask)
  let left = mask >> BigInt(8 * offset)
  if (isLowMask(left)) return { offset, size: Math.ceil(left.toString(2).length / 8) }
  let bits = 0
  while ((left & 1n) === 0n) {
    left >>= 1n
    bits++
  }
  return isLowMask(left) ? { offset: offset + bits / 8, size: left.toString(2).length / 8 } : undefined
}

/** The byte at which the bits of a mask begin, from the low end. */
export const offsetOf = (mask: bigint): number => {
  let offset = 0
  for (let left = mask; left !== 0n && (left & 0xffn) === 0n; left >>= 8n) offset++
  return offset
}

/** Whether a mask has all its ones at the low end. */
export const isLowMask = (mask: bigint): boolean => (mask & (mask + 1n)) === 0n

/** A part of a word in storage that a formula is: its SLOAD, and what of it is left. */
export interface LoadedField {
  readonly load: Load
  readonly field: Field | undefined
  readonly mask: bigint
}

/**
 * {@link loadedField} of the parts of one formula, each called once and from the outside in. A load that was seen
 * through a shift or mask is met again without it, and is not reported twice.
 */
export const makeFieldReader = (): ((part: Expression) => LoadedField | undefined) => {
  const told = new Set<Expression>()
  return (part) => {
    const loaded = told.has(part) ? undefined : loadedField(part)
    if (loaded !== undefined) for (const inner of [loaded.load, ...part.args]) told.add(inner)
    return loaded
  }
}

/**
 * The SLOAD that a formula is, and the part of its word that is left after shift and mask; none for another formula.
 */
export const loadedField = (what: Expression): LoadedField | undefined => {
  if (what.op === Opcodes.SLOAD) return { load: what, field: undefined, mask: maxWord }
  const [a, b] = what.args
  if (what.op === Opcodes.SHR && a?.op === Kind.constant && b?.op === Opcodes.SLOAD) {
    const mask = (maxWord >> a.value) << a.value
    return { load: b, field: fieldOf(mask), mask }
  }
  if (what.op !== Opcodes.AND || a === undefined || b?.op !== Kind.constant) return undefined
  const shift = a.op === Opcodes.SHR && a.args[0]?.op === Kind.constant ? a.args[0].value : 0n
  const load = a.op === Opcodes.SHR ? a.args[1] : a
  const mask = (b.value << shift) & maxWord
  return load?.op === Opcodes.SLOAD ? { load, field: fieldOf(mask), mask } : undefined
}
