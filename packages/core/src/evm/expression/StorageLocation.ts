/** @internal */

import type { Bytecode } from "../bytecode/Bytecode.js"
import { Opcodes } from "../bytecode/Opcodes.js"
import * as BytePosition from "./BytePosition.js"
import { addressBits, type Expression, type KeccakHash, Kind, type Merge, maxWord, type Pool } from "./Expression.js"
import * as PackedHash from "./PackedHash.js"
import type * as PathFacts from "./PathFacts.js"
import * as WrittenHashes from "./WrittenHashes.js"

/**
 * Where a slot formula points: a variable, or an entry of a mapping or array below one.
 *
 * `id` is the same for all entries of a mapping: the root slot in hex (for Solady's mappings `#` and the layout), then
 * `[k]` for each key of a mapping's entry, `[]` for an array's data, `[i]` for a computed place in it and `+n` for a
 * struct member. `keys` are the mapping keys, outermost first; `indices` are the offsets that were added to the start
 * of an array.
 */
export interface StorageLocation {
  readonly id: string
  readonly keys: ReadonlyArray<Expression>
  readonly indices: ReadonlyArray<Expression>
}

/** Resolves slot formulas of one code to places. */
export interface Locator {
  /** The places a slot formula may point to; undefined when one of them is not known. */
  readonly resolve: (slot: Expression) => ReadonlyArray<StorageLocation> | undefined
  /** Whether a place is what it seems, given the facts that hold there; see {@link makeLocator}. */
  readonly isBounded: (location: StorageLocation, facts: PathFacts.PathFacts) => boolean
  /** How far what was added to the start of something may reach, given the facts that hold there. */
  readonly spanOf: (location: StorageLocation, facts: PathFacts.PathFacts) => Span
}

/**
 * Computed places from the start of something: `from` to `to` slots behind it (none: any number), by steps of `stride`.
 */
export interface Span {
  readonly from: bigint
  readonly to: bigint | undefined
  readonly stride: bigint
}

/**
 * A locator for code in which a compiler may have computed some hashes: slots of arrays, or of entries with a constant
 * key.
 *
 * A place is bounded when every index in it is known to be small (it was compared with a bound, has few bits, is the
 * array's own length, or a loop counts it up), and when the number is not a possible hash. Hashes are 2^200 and more
 * apart, so a little is enough; in an array of fixed length, which has other variables behind it, only a constant bound
 * is. A place that is not bounded may be any slot at all.
 *
 * @see https://docs.soliditylang.org/en/latest/internals/layout_in_storage.html
 */
export const makeLocator = (pool: Pool, hashes: WrittenHashes.WrittenHashes): Locator => {
  let left = 0
  let looks = 0

  const resolve = (slot: Expression): ReadonlyArray<StorageLocation> | undefined => {
    left = maxParts
    return locate(slot)
  }

  const locate = (slot: Expression): ReadonlyArray<StorageLocation> | undefined => {
    if (--left < 0) return undefined
    switch (slot.op) {
      case Kind.constant:
        return [placed(slot.value) ?? at(slot.value)]
      case Opcodes.KECCAK256:
        return locateHash(slot)
      case Opcodes.ADD: {
        const [a, b] = slot.args
        if (b.op === Kind.constant) {
          const base = WrittenHashes.isHashLike(b.value) ? undefined : locate(a)
          // A number that a loop counts up is no variable, though it begins as the number of one.
          const isCounted = base?.some(({ id }) => /^0x[0-9a-f]+\[i\]/.test(id)) === true
          // An index that counts from the end is not a member.
          if (base !== undefined && !isCounted)
            return b.value >> 64n === 0n
              ? base.map((location) => moved(location, b.value))
              : base.map((location) => ({ ...location, indices: [...location.indices, b] }))
          // A computed place after a fixed slot: an array of fixed length, or the data of a dynamic array with a hash
          // that the compiler computed.
          if (isStepSize(b) && b.value >> 255n === 1n) return undefined
          // An index that counts from one is taken off where the array begins.
          const { id, keys } = placed(b.value) ?? placed(b.value + 1n) ?? at(b.value)
          return [{ id: `${id}[i]`, keys, indices: [a] }]
        }
        // A number that is added to a hash is an index.
        const first = isBesideHash(b) && !isBesideHash(a) ? undefined : locate(a)
        const [base, index] = first === undefined ? [locate(b), a] : [first, b]
        return base?.map((location) => ({
          id: `${location.id}[i]`,
          keys: location.keys,
          indices: [...location.indices, index]
        }))
      }
      case Kind.merge:
        return locateMerge(slot)
      default:
        return undefined
    }
  }

  /** The place at an offset behind another one. It is a separate variable where both slots are constants. */
  const moved = (location: StorageLocation, by: bigint): StorageLocation => {
    if (!/^0x[0-9a-f]+$/.test(location.id)) return { ...location, id: `${location.id}+${by.toString(16)}` }
    const slot = (BigInt(location.id) + by) & maxWord
    return placed(slot) ?? at(slot)
  }

  /** The place of a slot with a hash that a compiler computed. */
  const placed = (slot: bigint): StorageLocation | undefined => {
    if (slot >> 192n === 0n) return undefined
    for (let member = 0n; member < 16n; member++) {
      const known = hashes.find(slot - member)
      if (known === undefined) continue
      const suffix = member === 0n ? "" : `+${member.toString(16)}`
      const keys = known.key === undefined ? [] : [pool.constant(known.key)]
      return { id: `0x${known.root.toString(16)}${known.key === undefined ? "[]" : "[k]"}${suffix}`, keys, indices: [] }
    }
    return undefined
  }

  const locateMerge = (slot: Merge): ReadonlyArray<StorageLocation> | undefined => {
    // All the merge points a pointer went through, and the places it started from. A step that a loop moves it on by
    // keeps it in what it points into: to leave that would take 2^200 rounds.
    const met = new Set([slot])
    const found: Array<StorageLocation> = []
    const indices: Array<Expression> = []
    let steps = false
    for (const merge of met) {
      if (met.size > 32) return undefined
      for (const alternative of merge.alternatives) {
        if (alternative.op === Kind.merge) {
          met.add(alternative)
          continue
        }
        const [a, b] = alternative.op === Opcodes.ADD ? alternative.args : []
        const [pointer, index] = a?.op === Kind.merge ? [a, b] : b?.op === Kind.merge ? [b, a] : []
        if (pointer !== undefined && index !== undefined) {
          steps = true
          met.add(pointer)
          indices.push(index)
        } else {
          const locations = locate(alternative)
          if (locations === undefined) return undefined
          found.push(...locations)
        }
      }
    }
    if (found.length === 0 || found.length > 64) return undefined
    return unique(
      steps
        ? found.map((location) => ({
            ...location,
            id: `${location.id}[i]`,
            indices: [...location.indices, ...indices]
          }))
        : found
    )
  }

  const locateHash = (slot: KeccakHash): ReadonlyArray<StorageLocation> | undefined => {
    const [first, key] = slot.args
    const last = slot.args.at(-1) ?? first
    if (slot.detail === "words" && slot.args.length === 1)
      return locate(last)?.map((location) => ({ ...location, id: `${location.id}[]` }))
    if (slot.detail === "words" || (slot.args.length > 1 && slot.detail.at(-1)?.length === 32)) {
      const inner = locate(last)?.map((location) => ({
        ...location,
        id: `${location.id}[k]`,
        keys: [...location.keys, ...slot.args.slice(0, -1)]
      }))
      // Vyper puts the slot before the key. An account that the code names may be either.
      const swapped =
        key !== undefined && slot.args.length === 2 && (inner === undefined || isAccount(key))
          ? locate(first)?.map((location) => ({
              ...location,
              id: `${location.id}[k]`,
              keys: [...location.keys, key]
            }))
          : undefined
      if (inner !== undefined || swapped !== undefined) return [...(inner ?? []), ...(swapped ?? [])]
    }
    return slot.detail === "words" ? undefined : locatePacked(slot)
  }

  /** Solady hashes accounts and a seed in less than two words. The bytes may also equal those of a usual mapping. */
  const locatePacked = (slot: KeccakHash): ReadonlyArray<StorageLocation> | undefined => {
    const packed = PackedHash.read(pool, slot)
    if (packed === undefined) return undefined
    const { keys, layout, root } = packed
    if (root === undefined) return [{ id: `#${layout}${"[k]".repeat(keys.length)}`, keys, indices: [] }]
    return locate(pool.constant(root))?.map((location) => ({
      ...location,
      id: `${location.id}[k]`,
      keys: [...location.keys, ...keys]
    }))
  }

  const isBounded = (location: StorageLocation, facts: PathFacts.PathFacts): boolean => {
    looks = maxParts
    const [, root = ""] = /^0x([0-9a-f]+)$/.exec(location.id) ?? []
    if (root !== "" && WrittenHashes.isHashLike(BigInt(`0x${root}`))) return false
    return location.indices.every((index) =>
      /^0x[0-9a-f]+\[i\]/.test(location.id)
        ? limitsOf(pool, index, facts).some((limit) => limit.op === Kind.constant && limit.value < 1n << 32n)
        : isSmall(index, facts, location, new Set(), 0)
    )
  }

  const isSmall = (
    index: Expression,
    facts: PathFacts.PathFacts,
    location: StorageLocation,
    met: ReadonlySet<Expression>,
    depth: number
  ): boolean => {
    if (index.bits <= 64) return true
    if (depth > 12 || --looks < 0) return false
    if (limitsOf(pool, index, facts).length > 0) return true
    switch (index.op) {
      case Opcodes.SLOAD: {
        const own = resolve(index.args[0])
        return own?.some((length) => location.id.startsWith(`${length.id}[]`)) ?? false
      }
      case Kind.merge:
        // A value that went round a loop and had little added: rounds are bounded by gas.
        if (met.has(index) || BytePosition.is(index)) return true
        return [...index.alternatives].every((alternative) =>
          isSmall(alternative, facts, location, new Set([...met, index]), depth + 1)
        )
      case Opcodes.ADD:
      case Opcodes.SUB:
        return index.args.every((arg) => isSmall(arg, facts, location, met, depth + 1))
      case Opcodes.DIV:
      case Opcodes.SHR:
        return isSmall(index.args[index.op === Opcodes.DIV ? 0 : 1], facts, location, new Set(), depth + 1)
      case Opcodes.AND:
        return index.args.some((arg) => isSmall(arg, facts, location, new Set(), depth + 1))
      case Opcodes.MUL: {
        const [what, by] = index.args
        return by.op === Kind.constant && by.value < 1n << 32n && isSmall(what, facts, location, new Set(), depth + 1)
      }
      case Opcodes.SHL: {
        const [by, what] = index.args
        return by.op === Kind.constant && by.value < 32n && isSmall(what, facts, location, new Set(), depth + 1)
      }
      default:
        return isStepSize(index)
    }
  }

  const spanOf = ({ indices }: StorageLocation, facts: PathFacts.PathFacts): Span => {
    const ranges = indices.map((index) => rangeOf(pool, index, facts, 0))
    return {
      from: ranges.reduce((sum, range) => sum + (range?.[0] ?? 0n), 0n),
      to: ranges.reduce<bigint | undefined>(
        (sum, range) => (sum === undefined || range === undefined ? undefined : sum + range[1]),
        0n
      ),
      stride: indices.reduce((step, index) => commonStep(step, strideOf(index)), 0n)
    }
  }

  return { resolve, isBounded, spanOf }
}

/** Whether the place of a slot formula is looked up among the hashes that are constants of the code. */
export const isWritten = (slot: Expression): boolean =>
  (slot.op === Opcodes.ADD ? slot.args : [slot]).some((part) => part.op === Kind.constant && part.value >> 192n !== 0n)

/** A locator for a code, with the hashes that are constants in it. */
export const ofCode = (pool: Pool, bytecode: Bytecode): Locator => makeLocator(pool, WrittenHashes.ofCode(bytecode))

/** Parts of one slot formula that are looked at. */
const maxParts = 400

const at = (slot: bigint): StorageLocation => ({ id: `0x${slot.toString(16)}`, keys: [], indices: [] })

/** Whether a formula is a hash, or something added to one. */
const isBesideHash = ({ args, op }: Expression, depth = 0): boolean =>
  op === Opcodes.KECCAK256 || (op === Opcodes.ADD && depth < 4 && args.some((part) => isBesideHash(part, depth + 1)))

const isAccount = (what: Expression): boolean => what.op === Kind.constant && what.bits > 64 && what.bits <= addressBits

const isStepSize = (step: Expression): boolean =>
  step.op === Kind.constant && (step.value < 1n << 32n || step.value > maxWord - (1n << 32n))

const unique = (locations: ReadonlyArray<StorageLocation>): ReadonlyArray<StorageLocation> =>
  locations.filter((location, i) => {
    const same = (other: StorageLocation): boolean =>
      other.id === location.id && other.keys.every((key, k) => key === location.keys[k])
    return location.indices.length > 0 || locations.findIndex(same) === i
  })

/** The lower and upper bound of an index; none where nothing bounds it. */
const rangeOf = (
  pool: Pool,
  index: Expression,
  facts: PathFacts.PathFacts,
  depth: number
): readonly [bigint, bigint] | undefined => {
  // A constant is what a loop moves a pointer on by, however often.
  if (index.op === Kind.constant) return depth === 0 ? undefined : [index.value, index.value]
  for (const fact of facts) {
    const condition = pool.get(fact >> 1)
    if (condition.op !== Opcodes.LT) continue
    const holds = (fact & 1) === 0
    // index < limit, or not limit < index
    const [bound, limit] = holds ? condition.args : [...condition.args].reverse()
    if (bound === undefined || limit?.op !== Kind.constant || limit.bits > 32) continue
    const most = holds ? limit.value - 1n : limit.value
    if (bound === index) return [0n, most]
    const [base, step]: ReadonlyArray<Expression> = bound.op === Opcodes.ADD ? bound.args : []
    if (base !== index || step?.op !== Kind.constant || !isStepSize(step)) continue
    const by = step.value >> 255n === 1n ? step.value - maxWord - 1n : step.value
    return [-by, most - by]
  }
  if (depth < 6) {
    const inner = (part: Expression | undefined) =>
      part === undefined ? undefined : rangeOf(pool, part, facts, depth + 1)
    const times = multiplied(index)
    if (times !== undefined) {
      const range = inner(times.what)
      if (range !== undefined) return [range[0] * times.by, range[1] * times.by]
    } else if (index.op === Kind.merge && index.alternatives.size <= 8) {
      const ranges = [...index.alternatives].map(inner)
      if (ranges.length > 0 && ranges.every((range) => range !== undefined))
        return ranges.reduce((a, b) => [a[0] < b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]])
    }
  }
  return index.bits <= 16 ? [0n, (1n << BigInt(index.bits)) - 1n] : undefined
}

const multiplied = ({
  args: [a, b],
  op
}: Expression): { readonly what: Expression; readonly by: bigint } | undefined =>
  op === Opcodes.SHL && a?.op === Kind.constant && a.value < 32n && b !== undefined
    ? { what: b, by: 1n << a.value }
    : op === Opcodes.MUL && b?.op === Kind.constant && b.bits <= 32 && a !== undefined
      ? { what: a, by: b.value }
      : undefined

/** What an index is a multiple of. */
const strideOf = (index: Expression): bigint =>
  index.op === Kind.constant
    ? index.value >> 255n === 1n
      ? maxWord + 1n - index.value
      : index.value
    : (multiplied(index)?.by ?? 1n)

/** The largest step that two others are multiples of. */
export const commonStep = (a: bigint, b: bigint): bigint => (b === 0n ? a : commonStep(b, a % b))

/** What an index, or the index just before or after it, was found to be below. */
const limitsOf = (pool: Pool, index: Expression, facts: PathFacts.PathFacts): ReadonlyArray<Expression> => {
  const limits: Array<Expression> = []
  for (const fact of facts) {
    const condition = pool.get(fact >> 1)
    if (condition.op !== Opcodes.LT) continue
    // index < limit, or not limit < index
    const [bound, limit] = (fact & 1) === 0 ? condition.args : [...condition.args].reverse()
    if (bound === undefined || limit === undefined) continue
    if (bound === index || (bound.op === Opcodes.ADD && bound.args[0] === index && isStepSize(bound.args[1])))
      limits.push(limit)
  }
  return limits
}
