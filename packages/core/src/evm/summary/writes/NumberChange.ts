/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, maxWord, type Pool, unmasked } from "../../expression/Expression.js"
import { isAtLeast, isSumWithin } from "../../expression/Ordering.js"
import type * as PathFacts from "../../expression/PathFacts.js"
import type * as StorageLocation from "../../expression/StorageLocation.js"
import { type Field, isLowMask, type Tracer } from "../../expression/ValueSource.js"
import type { StoreEvent } from "../../interpreter/Trace.js"
import type { Change } from "../conditions/FunctionFlow.js"
import type { FieldWrite } from "../signatures/FieldWrite.js"

/** What one write does to the number that was there, with the amounts it adds or takes off. */
export interface NumberChange {
  readonly kind: Change["kind"]
  readonly amounts: ReadonlyArray<Expression>
  /** The overflow check used the entry's value from before another write. */
  readonly isByEarlier?: true
  /** The sum may exceed a word; the slots of variables that the same amount was added to with a proof that it fits. */
  readonly wraps?: ReadonlyArray<string>
}

/** The changes that a write makes: one for each value that it may store. */
export const of = (
  pool: Pool,
  tracer: Tracer,
  { location, event, value, field }: FieldWrite
): ReadonlyArray<NumberChange> => {
  const found: Array<NumberChange> = []
  const seen = new Set<Expression>()
  const visit = (what: Expression, depth: number): void => {
    if (seen.has(what)) return
    seen.add(what)
    if (what.op === Kind.merge && depth < 4 && what.alternatives.size <= 8) {
      for (const alternative of what.alternatives) visit(alternative, depth + 1)
      return
    }
    found.push(changeBy(pool, tracer, what, event, location, field))
  }
  visit(value, 0)
  return found
}

const changeBy = (
  pool: Pool,
  tracer: Tracer,
  value: Expression,
  event: StoreEvent,
  location: StorageLocation.StorageLocation,
  field: Field | undefined
): NumberChange => {
  if (value.op === Kind.constant)
    return { kind: value.value === 0n ? "clear" : "set", amounts: value.value === 0n ? [] : [value] }
  const isOld = (what: Expression): boolean => {
    if (what === event.current) return true
    const [a, b] = what.args
    if (what.op === Opcodes.AND && b?.op === Kind.constant && a !== undefined) return isOld(a)
    return (
      what.op === Opcodes.SHR &&
      field !== undefined &&
      a?.op === Kind.constant &&
      a.value === BigInt(8 * field.offset) &&
      b !== undefined &&
      isOld(b)
    )
  }
  if (isFlipped(value, isOld)) return { kind: "flip", amounts: [] }
  const added: Array<Expression> = []
  const taken: Array<Expression> = []
  let wraps = false
  let mayWrap = false
  let raises = false
  let lowers = false
  const part = field === undefined ? maxWord : (1n << BigInt(8 * field.size)) - 1n
  let cut = part
  // A repeated part is visited once.
  const others = new Set<Expression>()
  const spine = (what: Expression, depth: number): boolean => {
    if (depth > maxDepth || others.has(what)) return false
    const found = isSpine(what, depth + 1)
    if (!found) others.add(what)
    return found
  }
  const isSpine = (what: Expression, depth: number): boolean => {
    if (isOld(what)) return true
    switch (what.op) {
      case Opcodes.ADD: {
        const [a, b] = what.args
        for (const [base, amount] of [
          [a, b],
          [b, a]
        ] as const) {
          if (!spine(base, depth)) continue
          if (amount.op === Kind.constant && amount.value >> 255n === 1n) {
            const size = pool.constant(maxWord + 1n - amount.value)
            taken.push(size)
            if (!isAtLeast(pool, base, size, event.facts)) wraps = true
          } else {
            added.push(amount)
            const isUsual = cut === maxWord && amount.bits <= usualBits
            if (!isUsual && !isSumWithin(pool, base, amount, cut, event.facts)) mayWrap = true
          }
          return true
        }
        return false
      }
      case Opcodes.SUB: {
        const [a, b] = what.args
        if (!spine(a, depth)) return false
        // Only the kept bits of the debit count: `(a - b) & cut` is `(a - (b & cut)) & cut`.
        const isEnough = isAtLeast(pool, a, b, event.facts)
        const kept = isEnough || !isLowMask(cut) ? b : pool.binary(Opcodes.AND, b, pool.constant(cut))
        taken.push(kept)
        if (!isEnough && (kept === b || !isAtLeast(pool, a, kept, event.facts))) wraps = true
        return true
      }
      case Opcodes.AND: {
        const [a, b] = what.args
        if (b.op !== Kind.constant) return false
        const before = cut
        cut &= b.value
        if (!spine(a, depth)) {
          cut = before
          return false
        }
        if ((b.value & part) !== part) lowers = true
        return true
      }
      case Opcodes.OR: {
        const [a, b] = what.args
        if (!(b.op === Kind.constant ? spine(a, depth) : a.op === Kind.constant && spine(b, depth))) return false
        raises = true
        return true
      }
      default:
        return false
    }
  }
  if (spine(value, 0)) {
    // Two switches in one word, of which one is turned on and one off.
    if (raises && (lowers || added.length + taken.length > 0)) return { kind: "unknown", amounts: [...added, ...taken] }
    if (added.length > 0 && taken.length === 0)
      return {
        kind: "increase",
        amounts: added,
        ...(mayWrap ? { wraps: fittingIn(pool, tracer, added, cut, event.facts) } : {})
      }
    if (taken.length > 0 && added.length === 0) {
      const decrease = { kind: "decrease", amounts: taken } as const
      if (!wraps) return decrease
      // Any of several may apply, and not all of them.
      if (taken.length > 1) return { kind: "unknown", amounts: taken }
      // No balance is above the supply, so that what came off a balance comes off here.
      if (location.keys.length === 0 && isBelowAnyBalance(pool, taken, event.facts)) return decrease
      // Something may have been put into other entries since this one was found to be enough.
      const isOwn = (slot: Expression): boolean => slot === event.slot
      return location.keys.length === 1 && isBelowAnyBalance(pool, taken, event.facts, isOwn)
        ? { ...decrease, isByEarlier: true }
        : { kind: "unknown", amounts: taken }
    }
    if (added.length === 0) return { kind: raises ? "raise" : "keep", amounts: [] }
    return { kind: "unknown", amounts: [...added, ...taken] }
  }
  return { kind: tracer.slots(value).has(location.id) ? "unknown" : "set", amounts: [value] }
}

/** The variables that an amount can be added to without a wrap, also after truncation. */
const fittingIn = (
  pool: Pool,
  tracer: Tracer,
  amounts: ReadonlyArray<Expression>,
  part: bigint,
  facts: PathFacts.PathFacts
): ReadonlyArray<string> => {
  const [amount, ...others] = amounts
  if (amount === undefined || others.length > 0) return []
  const sides = new Set<Expression>()
  for (const fact of facts)
    for (const side of pool.get(fact >> 1).args) {
      // Of a sum that is compared with a part of it, or the part that is compared with what is left beside the amount.
      sides.add(side)
      if (side.op === Opcodes.ADD) for (const part of side.args) sides.add(part)
    }
  const isBeside = (side: Expression): boolean =>
    [amount, unmasked(amount)].some((whole) => isSumWithin(pool, side, whole, part, facts))
  return [...sides].flatMap((side) =>
    side.op === Opcodes.SLOAD && isBeside(side) ? (tracer.locate(side.args[0]) ?? []).map(({ id }) => id) : []
  )
}

const isFlipped = ({ args: [a, b], op }: Expression, isOld: (what: Expression) => boolean): boolean => {
  if (a === undefined) return false
  if (op === Opcodes.ISZERO) return isOld(a)
  if (b === undefined) return false
  switch (op) {
    case Opcodes.XOR:
      return [a, b].some(isOld) && [a, b].some((side) => side.op === Kind.constant)
    // Its position in its word.
    case Opcodes.SHL:
      return a.op === Kind.constant && isFlipped(b, isOld)
    case Opcodes.AND:
      return b.op === Kind.constant && isFlipped(a, isOld)
    default:
      return false
  }
}

/** Whether some entry of a mapping, at a slot that is accepted, is or was known to be at least each of the amounts. */
export const isBelowAnyBalance = (
  pool: Pool,
  amounts: ReadonlyArray<Expression>,
  facts: PathFacts.PathFacts,
  accept: (slot: Expression) => boolean = () => true
): boolean =>
  amounts.every((amount) => {
    for (const fact of facts) {
      const condition = pool.get(fact >> 1)
      if (condition.op !== Opcodes.LT) continue
      const [smaller, larger] = (fact & 1) === 1 ? [condition.args[1], condition.args[0]] : condition.args
      if (smaller === undefined || larger === undefined) continue
      const entry = ({ args: [slot], op }: Expression): boolean =>
        op === Opcodes.SLOAD && slot?.op === Opcodes.KECCAK256 && accept(slot)
      if (smaller === amount && entry(larger)) return true
      // entry - amount <= entry
      if (smaller.op === Opcodes.SUB && smaller.args[0] === larger && smaller.args[1] === amount && entry(larger))
        return true
    }
    return false
  })

/** An amount of at most this many bits fits beside any balance. */
const usualBits = 128

/** Nobody adds up as much in one go. */
const maxDepth = 128
