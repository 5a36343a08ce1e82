/** @internal */

import * as CanonicalJson from "../domain/CanonicalJson.js"
import type { Change } from "../domain/ChangeReport.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"

/**
 * How far apart two values are: the difference of two numbers as decimal strings (`relative` to the earlier one, null
 * where that is zero), or what was added to and removed from a set.
 *
 * @since 0.1.0
 * @category models
 */
export type Delta = NonNullable<Change["delta"]>

/**
 * Two values are the same when their canonical JSON is, lists being sets.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isSame = (before: unknown, after: unknown): boolean => canonical(before) === canonical(after)

/**
 * The difference where there is one thing to tell: the one list that changed, or else the one number that is all that
 * changed; null otherwise.
 *
 * @since 0.1.0
 * @category constructors
 */
export const between = (before: unknown, after: unknown): Delta | null => {
  const leaves = leavesOf(before, after)
  const sets = leaves.flatMap((leaf) =>
    Array.isArray(leaf.before) && Array.isArray(leaf.after) ? [setDelta(leaf.before, leaf.after)] : []
  )
  const [set] = sets
  if (set !== undefined) return sets.length === 1 ? set : null
  const [leaf] = leaves
  return leaf !== undefined && leaves.length === 1 ? numberDelta(leaf) : null
}

/**
 * Whether a value rose (1), fell (-1), or neither can be said (0). A set rises when it only gains members.
 *
 * @since 0.1.0
 * @category combinators
 */
export const trend = (delta: Delta | null): -1 | 0 | 1 => {
  if (delta === null) return 0
  if ("absolute" in delta) return delta.absolute.startsWith("-") ? -1 : 1
  if (delta.added.length > 0 && delta.removed.length > 0) return 0
  return delta.added.length > 0 ? 1 : -1
}

/**
 * Whether two values differ only in how much was seen: a value whose `complete` is false is a lower bound, and what
 * its lists do not name, or its members do not know, is out of sight rather than gone. Null where something else differs.
 *
 * @since 0.1.0
 * @category combinators
 */
export const visibility = (before: unknown, after: unknown): "lost" | "gained" | null => {
  const leaves = leavesOf(withoutComplete(before), withoutComplete(after))
  if (isPartial(after) && leaves.every(isLoss)) return "lost"
  if (isPartial(before) && leaves.every((leaf) => isLoss({ before: leaf.after, after: leaf.before }))) return "gained"
  return null
}

/**
 * Whether numbers are all that changed and each moved less than the tolerance.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isWithin = (before: unknown, after: unknown, tolerance: NonNullable<EvidenceRule["tolerance"]>): boolean =>
  leavesOf(before, after).every((leaf) => {
    const from = decimal(leaf.before)
    const to = decimal(leaf.after)
    const amount = decimal(tolerance.amount)
    if (from === null || to === null || amount === null) return false
    const moved = magnitude(minus(to, from))
    return isLess(moved, tolerance.kind === "relative" ? times(amount, magnitude(from)) : amount)
  })

interface Leaf {
  readonly before: unknown
  readonly after: unknown
}

const canonical = (value: unknown): string => CanonicalJson.stringify(CanonicalJson.unordered(value))

const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const leavesOf = (before: unknown, after: unknown): ReadonlyArray<Leaf> => {
  if (isSame(before, after)) return []
  const [from, to] = [byAddress(before), byAddress(after)]
  if (from !== null && to !== null) {
    const isMoved = from.size !== to.size || [...from.keys()].some((key) => !to.has(key))
    const shared = [...from.keys()].filter((key) => to.has(key)).sort()
    return [...(isMoved ? [{ before, after }] : []), ...shared.flatMap((key) => leavesOf(from.get(key), to.get(key)))]
  }
  if (!isRecord(before) || !isRecord(after)) return [{ before, after }]
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].sort().flatMap((key) => leavesOf(before[key], after[key]))
}

/** The members of a list of records that each name an address of their own, such as pools; null for any other value. */
const byAddress = (value: unknown): ReadonlyMap<string, unknown> | null => {
  if (!Array.isArray(value)) return null
  const members = new Map<string, unknown>()
  for (const member of value as ReadonlyArray<unknown>) {
    const key = isRecord(member) ? member.address : undefined
    if (typeof key !== "string" || members.has(key)) return null
    members.set(key, member)
  }
  return members
}

const setDelta = (
  before: ReadonlyArray<unknown>,
  after: ReadonlyArray<unknown>
): Extract<Delta, { added: unknown }> => {
  const isKeyed = byAddress(before) !== null && byAddress(after) !== null
  const identity = (member: unknown) => canonical(isKeyed && isRecord(member) ? member.address : member)
  const missingFrom = (others: ReadonlyArray<unknown>, members: ReadonlyArray<unknown>) => {
    const there = new Set(others.map(identity))
    return (CanonicalJson.unordered(members) as ReadonlyArray<unknown>).filter((member) => !there.has(identity(member)))
  }
  return { added: missingFrom(before, after), removed: missingFrom(after, before) }
}

const withoutComplete = (value: unknown): unknown => {
  if (!isRecord(value)) return value
  const { complete: _, ...rest } = value
  return rest
}

const isPartial = (value: unknown): boolean => isRecord(value) && value.complete === false

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "unknown"

const isLoss = ({ after, before }: Leaf): boolean =>
  Array.isArray(before) && Array.isArray(after)
    ? setDelta(before, after).added.length === 0
    : !isNothing(before) && isNothing(after)

const numberDelta = (leaf: Leaf): Delta | null => {
  const before = decimal(leaf.before)
  const after = decimal(leaf.after)
  if (before === null || after === null) return null
  const moved = minus(after, before)
  if (moved.digits === 0n) return null
  return { absolute: format(moved), relative: before.digits === 0n ? null : ratio(moved, magnitude(before)) }
}

/** `digits / 10^scale`: quantities have more digits than a double, and 0.04 - 0.92 is -0.88. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const decimal = (value: unknown): Decimal | null => {
  const text = typeof value === "number" ? spelled(value) : value
  const parts = typeof text === "string" ? /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) : null
  if (parts === null) return null
  const [, sign = "", whole = "", fraction = ""] = parts
  return { digits: BigInt(`${sign}${whole}${fraction}`), scale: fraction.length }
}

const spelled = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : String(value).includes("e") ? value.toFixed(20) : String(value)

const magnitude = ({ digits, scale }: Decimal): Decimal => ({ digits: digits < 0n ? -digits : digits, scale })

const aligned = (a: Decimal, b: Decimal): readonly [bigint, bigint, number] => {
  const scale = Math.max(a.scale, b.scale)
  const raised = (value: Decimal) => value.digits * 10n ** BigInt(scale - value.scale)
  return [raised(a), raised(b), scale]
}

const minus = (a: Decimal, b: Decimal): Decimal => {
  const [x, y, scale] = aligned(a, b)
  return { digits: x - y, scale }
}

const times = (a: Decimal, b: Decimal): Decimal => ({ digits: a.digits * b.digits, scale: a.scale + b.scale })

const isLess = (a: Decimal, b: Decimal): boolean => {
  const [x, y] = aligned(a, b)
  return x < y
}

/** To three decimals, half away from zero, so that the opposite difference is spelled alike. */
const ratio = (part: Decimal, whole: Decimal): string => {
  const [x, y] = aligned(magnitude(part), whole)
  const thousandths = (x * 2000n + y) / (y * 2n)
  return format({ digits: part.digits < 0n ? -thousandths : thousandths, scale: 3 })
}

const format = ({ digits, scale }: Decimal): string => {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0")
  const whole = text.slice(0, text.length - scale)
  const fraction = text.slice(text.length - scale).replace(/0+$/, "")
  return `${digits < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}
