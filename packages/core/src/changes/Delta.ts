/** @internal */

import { Predicate } from "effect"
import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Change } from "../domain/ChangeReport.js"
import * as Decimal from "./Decimal.js"
import * as Measure from "./Measure.js"

/**
 * The difference of two values: of two numbers as decimal strings (`relative` to the earlier one, null where that is
 * zero), or the added and removed members of a set.
 */
export type Delta = NonNullable<Change["delta"]>

/**
 * A path in a value where two documents differ, with the value on each side. The path has member names, and the keys of
 * list members. A list with added or removed members is one leaf.
 */
export interface Leaf {
  readonly path: ReadonlyArray<string>
  readonly before: unknown
  readonly after: unknown
}

/** Whether the canonical JSON of two values is the same; lists compare as sets. */
export const isSame = (before: unknown, after: unknown): boolean => {
  if (before === after) return true
  if (Array.isArray(before) && Array.isArray(after)) return isSameSet(before, after)
  if (!Predicate.isReadonlyRecord(before) || !Predicate.isReadonlyRecord(after)) return false
  // An undefined member is absent, as in JSON.
  for (const key in before) if (!isSame(before[key], after[key])) return false
  for (const key in after) if (before[key] === undefined && after[key] !== undefined) return false
  return true
}

/** The leaves where two values differ, ordered by path. */
export const leaves = (before: unknown, after: unknown): ReadonlyArray<Leaf> => leavesAt([], before, after)

/** The last name of a path; empty for a value without names. */
export const nameOf = (leaf: Leaf): string => leaf.path[leaf.path.length - 1] ?? ""

/** The same leaf with both sides swapped. */
export const turned = (leaf: Leaf): Leaf => ({ ...leaf, before: leaf.after, after: leaf.before })

/**
 * The difference of two values where it is a single one: the only list that changed, or else the only number if nothing
 * else changed; null otherwise.
 */
export const between = (before: unknown, after: unknown): Delta | null => {
  const found = leaves(before, after)
  const sets = found.flatMap((leaf) => setOf(leaf) ?? [])
  const [set] = sets
  if (set !== undefined) return sets.length === 1 ? set : null
  const [leaf] = found
  return leaf !== undefined && found.length === 1 ? numberDelta(leaf) : null
}

/** The added and removed members, where both sides are lists. */
export const setOf = ({ after, before }: Leaf): Extract<Delta, { added: unknown }> | null =>
  Array.isArray(before) && Array.isArray(after) ? setDelta(before, after) : null

/**
 * Whether a leaf rose (1), fell (-1) or neither (0): numbers, timestamps, and sets, which rise when they only gain
 * members.
 */
export const trend = (leaf: Leaf): -1 | 0 | 1 => {
  const set = setOf(leaf)
  if (set !== null)
    return set.added.length > 0 && set.removed.length > 0
      ? 0
      : set.added.length > 0
        ? 1
        : set.removed.length > 0
          ? -1
          : 0
  const { after, before } = leaf
  if (isMoment(before) && isMoment(after)) return before < after ? 1 : before > after ? -1 : 0
  const [from, to] = [Decimal.make(before), Decimal.make(after)]
  if (from === null || to === null) return 0
  return Decimal.isLess(from, to) ? 1 : Decimal.isLess(to, from) ? -1 : 0
}

/** Whether a value is a number or a decimal string. */
export const isNumeric = (value: unknown): boolean => Decimal.make(value) !== null

/** Whether a value is the number zero. */
export const isZero = (value: unknown): boolean => Decimal.make(value)?.digits === 0n

/** The addresses and hashes anywhere in a value, in lower case. */
export const namesIn = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part === "string") {
      if (isName(part)) found.add(part.toLowerCase())
    } else if (typeof part === "object" && part !== null) Object.values(part).forEach(visit)
  }
  visit(value)
  return found
}

/** Whether a text is an address or a hash: only these identify the same thing in any place. */
export const isName = (text: string): boolean => /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text)

/**
 * Whether a place holds a number on both sides that moved less than `amount`, a part of the earlier one or an absolute.
 */
export const isWithin = (leaf: Leaf, unit: "relative" | "absolute", amount: number): boolean => {
  const from = Decimal.make(leaf.before)
  const to = Decimal.make(leaf.after)
  const most = Decimal.make(amount)
  if (from === null || to === null || most === null) return false
  return Decimal.isLess(
    Decimal.magnitude(Decimal.minus(to, from)),
    unit === "relative" ? Decimal.times(most, Decimal.magnitude(from)) : most
  )
}

/** Whether each of these is less than `amount`. */
export const areBelow = (values: ReadonlyArray<unknown>, amount: number): boolean => {
  const most = Decimal.make(amount)
  return values.every((value) => {
    const number = Decimal.make(value)
    return number !== null && most !== null && Decimal.isLess(Decimal.magnitude(number), most)
  })
}

const canonical = (value: unknown): string => CanonicalJson.stringify(CanonicalJson.unordered(value))

// RFC 3339 in UTC, which sorts as text.
const isMoment = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

const isSameSet = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): boolean => {
  if (before.length === after.length && before.every((member, index) => isSame(member, after[index]))) return true
  const [from, to] = [new Set(before.map(spelling)), new Set(after.map(spelling))]
  return from.size === to.size && [...from].every((member) => to.has(member))
}

// Text cannot be mistaken for the JSON of anything else once it is marked.
const spelling = (member: unknown): string => (typeof member === "string" ? `"${member}` : canonical(member))

const leavesAt = (path: ReadonlyArray<string>, before: unknown, after: unknown): ReadonlyArray<Leaf> => {
  if (before === after) return []
  if (Array.isArray(before) && Array.isArray(after)) {
    if (isSameSet(before, after)) return []
    const members = byIdentity(before, after)
    if (members === null) return [{ path, before, after }]
    const [from, to] = members
    const isMoved = from.size !== to.size || [...from.keys()].some((key) => !to.has(key))
    const shared = [...from.keys()].filter((key) => to.has(key)).sort()
    return [
      ...(isMoved ? [{ path, before, after }] : []),
      ...shared.flatMap((key) => leavesAt([...path, key], from.get(key), to.get(key)))
    ]
  }
  if (!Predicate.isReadonlyRecord(before) || !Predicate.isReadonlyRecord(after))
    return isSame(before, after) ? [] : [{ path, before, after }]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].sort().flatMap((key) => leavesAt([...path, key], before[key], after[key]))
}

type Members = ReadonlyMap<string, unknown>

/**
 * The members of two lists of records by their key: the address or account, or else all members that are not measures.
 * Null where neither does in both lists, or they are no records.
 */
const byIdentity = (
  before: ReadonlyArray<unknown>,
  after: ReadonlyArray<unknown>
): readonly [Members, Members] | null => {
  if (!before.every(Predicate.isReadonlyRecord) || !after.every(Predicate.isReadonlyRecord)) return null
  for (const identity of [addressOf, lasting]) {
    const [from, to] = [mapOf(before, identity), mapOf(after, identity)]
    if (from !== null && to !== null) return [from, to]
  }
  return null
}

type Fields = { readonly [key: string]: unknown }

const addressOf = ({ account, address = account }: Fields): string | null =>
  typeof address === "string" ? address : null

const lasting = (member: Fields): string =>
  canonical(Object.fromEntries(Object.entries(member).filter(([name]) => !Measure.isMeasured(name))))

const mapOf = (members: ReadonlyArray<Fields>, identity: (member: Fields) => string | null): Members | null => {
  const map = new Map<string, unknown>()
  for (const member of members) {
    const key = identity(member)
    if (key === null || map.has(key)) return null
    map.set(key, member)
  }
  return map
}

const setDelta = (
  before: ReadonlyArray<unknown>,
  after: ReadonlyArray<unknown>
): Extract<Delta, { added: unknown }> => {
  const [from, to] = byIdentity(before, after) ?? [bySpelling(before), bySpelling(after)]
  return { added: missing(from, to), removed: missing(to, from) }
}

const bySpelling = (members: ReadonlyArray<unknown>): Members =>
  new Map(members.map((member) => [spelling(member), member]))

const missing = (from: Members, members: Members): ReadonlyArray<unknown> =>
  CanonicalJson.unordered(
    [...members].flatMap(([key, member]) => (from.has(key) ? [] : [member]))
  ) as ReadonlyArray<unknown>

const numberDelta = (leaf: Leaf): Delta | null => {
  const before = Decimal.make(leaf.before)
  const after = Decimal.make(leaf.after)
  if (before === null || after === null) return null
  const moved = Decimal.minus(after, before)
  if (moved.digits === 0n) return null
  return {
    absolute: Decimal.format(moved),
    relative: before.digits === 0n ? null : Decimal.ratio(moved, Decimal.magnitude(before))
  }
}
