/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { type Expression, Kind, unmasked } from "../../expression/Expression.js"
import * as TakenShare from "../../expression/TakenShare.js"
import type { Tracer } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import type { DebitedAmounts } from "./DebitedAmounts.js"

/**
 * That an entry of a mapping of mappings (an allowance, an operator) was found to be enough on one side of a branch. `slot`
 * is that of the mapping, `account` who gave it.
 */
export interface Approval {
  readonly slot: string
  readonly account: Expression
  /** More may be taken off the account's entries than what it is enough for. */
  readonly besides?: true
  /** The places of what the amount is multiplied with before that is taken; nothing where it is left out. */
  readonly factors?: ReadonlySet<string>
}

/**
 * The approvals of an accepted spender (`isSpender`) on one side of a condition: an allowance of at least the amount
 * that the call names and takes, an unlimited one, or an operator's approval. A mere read of an entry is none;
 * `isAgain` says that the condition is in a loop and checked in each round.
 */
export const of = (
  tracer: Tracer,
  isSpender: (what: Expression) => boolean,
  taken: ReadonlyMap<Expression, DebitedAmounts>,
  condition: Expression,
  holds: boolean,
  isAgain: boolean
): ReadonlyArray<Approval> => {
  const entriesOf = (what: Expression): ReadonlyArray<Approval> => {
    const load = unmasked(what)
    if (load.op !== Opcodes.SLOAD) return []
    const locations = tracer.locate(load.args[0]) ?? []
    const found = locations.flatMap(
      ({ id, keys: [account, spender, ...others] }): ReadonlyArray<Approval> =>
        id.endsWith("[k][k]") &&
        account !== undefined &&
        spender !== undefined &&
        others.length === 0 &&
        isSpender(spender)
          ? [{ slot: id, account: unmasked(account) }]
          : []
    )
    return found.length === locations.length ? found : []
  }
  /** What an entry that is no less than a number is enough for. */
  const enough = (entry: Expression, amount: Expression): ReadonlyArray<Approval> => {
    const entries = entriesOf(entry)
    if (entries.length === 0 || isEndless(amount)) return entries
    const named = namedIn(amount, entry, 0)
    return entries.flatMap((approval): ReadonlyArray<Approval> => {
      const takings = taken.get(approval.account)
      if (named === undefined) return amount.op !== Kind.constant && takings?.only === amount ? [approval] : []
      if (takings === undefined) return [approval]
      const isOneOf = (values: ReadonlySet<Expression>): boolean =>
        [...values].some((value) => named.includes(value) || named.includes(unmasked(value)))
      const { often, together, twice, values } = takings
      if (isOneOf(twice) || (!isAgain && isOneOf(often))) return []
      if (values.size === 0) return [approval]
      if (![...values].some((value) => named.some((one) => isPartOf(one, value)))) return []
      const shares = together.map((all) => TakenShare.of(tracer, all, offOf(amount, entry), named))
      const factors = new Set(shares.flatMap((share) => [...(share ?? [])]))
      return [
        { ...approval, ...(shares.includes(undefined) ? { besides: true } : factors.size > 0 ? { factors } : {}) }
      ]
    })
  }
  const read = (what: Expression, isTrue: boolean, depth: number): ReadonlyArray<Approval> => {
    const [a, b] = what.args
    if (depth > maxDepth) return []
    if (a === undefined || b === undefined) {
      if (what.op === Opcodes.ISZERO && a !== undefined) return read(a, !isTrue, depth + 1)
      // Solady tests for all bits set.
      return what.op === Opcodes.NOT && a !== undefined && !isTrue ? entriesOf(a) : []
    }
    switch (what.op) {
      case Opcodes.LT:
        // amount < entry, or not entry < amount
        return isTrue ? enough(b, a) : enough(a, b)
      case Opcodes.EQ:
      case Opcodes.SUB:
      case Opcodes.XOR:
        if ((what.op === Opcodes.EQ) !== isTrue) return []
        return isEndless(b) || isYes(b, a) ? entriesOf(a) : isEndless(a) || isYes(a, b) ? entriesOf(b) : []
      case Opcodes.ADD:
        // A compiler's test for all bits set: one more would be zero.
        return !isTrue && b.op === Kind.constant && b.value === 1n ? entriesOf(a) : []
      case Opcodes.AND:
      case Opcodes.OR: {
        if (a.bits > 1 || b.bits > 1) return isTrue && what.bits <= 8 ? entriesOf(what) : []
        if ((what.op === Opcodes.AND) === isTrue) return [...read(a, isTrue, depth + 1), ...read(b, isTrue, depth + 1)]
        const [first, second] = [read(a, isTrue, depth + 1), read(b, isTrue, depth + 1)]
        return first.filter((one) => second.some((other) => other.slot === one.slot && other.account === one.account))
      }
      default:
        return []
    }
  }
  return read(condition, holds, 0)
}

const maxDepth = 8

/** Whether a number counts as an unlimited allowance: it is far above every supply. */
const isEndless = (what: Expression): boolean => what.op === Kind.constant && what.bits >= 90

const isYes = (one: Expression, entry: Expression): boolean =>
  one.op === Kind.constant && one.value === 1n && entry.bits <= 8

/**
 * The amount that a call names in a formula: the formula is that amount, at least that amount, or the rest of the entry
 * after it; none in others. Truncation far above every supply does not matter.
 */
const namedIn = (what: Expression, entry: Expression, depth: number): ReadonlyArray<Expression> | undefined => {
  if (depth > maxDepth) return undefined
  const bare = unmasked(what)
  switch (bare.op) {
    case Opcodes.CALLDATALOAD:
      return [what.bits >= 90 ? bare : what]
    case Opcodes.ADD: {
      const named = bare.args.flatMap((arg) => namedIn(arg, entry, depth + 1) ?? [])
      return named.length === 0 ? undefined : named
    }
    case Opcodes.SUB:
      return unmasked(bare.args[0]) === unmasked(entry) ? namedIn(bare.args[1], entry, depth + 1) : undefined
    case Kind.merge: {
      const ways = [...bare.alternatives].map((way) => namedIn(way, entry, depth + 1))
      return ways.length > 0 && ways.every((way) => way !== undefined) ? ways.flat() : undefined
    }
    default:
      return undefined
  }
}

/** The amount that is taken off an entry, where the formula is the rest. */
const offOf = (amount: Expression, entry: Expression): Expression => {
  const [from, off] = amount.op === Opcodes.SUB ? amount.args : []
  return from !== undefined && off !== undefined && unmasked(from) === unmasked(entry) ? off : amount
}

/** Whether a formula is worked out of another one, as far as that is followed. */
const isPartOf = (part: Expression, what: Expression): boolean => {
  for (const one of Walk.parts([what], { most: maxParts })) if (one === part) return true
  return false
}

const maxParts = 2_048
