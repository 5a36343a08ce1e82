/** @internal */

import { type Expression, Kind, unmasked } from "./Expression.js"
import { Opcodes } from "./Opcodes.js"
import type { Tracer } from "./Origin.js"
import type { Trace } from "./Trace.js"

/**
 * That an entry of a mapping of mappings (an allowance, an operator) was found to be enough on one side of a branch. `slot`
 * is that of the mapping, `account` who gave it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Approval {
  readonly slot: string
  readonly account: Expression
}

/**
 * What is taken off the entries of accounts in mappings: for each account the one formula that is, or none where several
 * are or an entry becomes something else.
 *
 * @since 0.1.0
 * @category constructors
 */
export const takenIn = (tracer: Tracer, { blocks }: Trace): ReadonlyMap<Expression, Expression | undefined> => {
  const taken = new Map<Expression, Expression | undefined>()
  for (const block of blocks)
    for (const event of block.events) {
      if (event.kind !== "store" || !block.succeeds) continue
      const [before, amount] = event.value.op === Opcodes.SUB ? event.value.args : []
      // What is added to an entry takes nothing.
      if (event.value.op === Opcodes.ADD) continue
      for (const { id, keys } of tracer.locate(event.slot) ?? []) {
        const account = keys[0] === undefined ? undefined : unmasked(keys[0])
        if (account === undefined || id.endsWith("[k][k]")) continue
        const isTaken = before?.op === Opcodes.SLOAD && before.args[0] === event.slot
        const other = taken.has(account) ? taken.get(account) : amount
        taken.set(account, isTaken && other === amount ? amount : undefined)
      }
    }
  return taken
}

/**
 * The approvals of whoever `isSpender` accepts that hold where a condition goes a way: an allowance of no less than what
 * the call names, one without a bound, or an operator's yes. That an entry is only looked at is none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (
  tracer: Tracer,
  isSpender: (what: Expression) => boolean,
  taken: ReadonlyMap<Expression, Expression | undefined>,
  condition: Expression,
  holds: boolean
): ReadonlyArray<Approval> => {
  const entriesOf = (what: Expression): ReadonlyArray<Approval> => {
    const load = unmasked(what)
    if (load.op !== Opcodes.SLOAD) return []
    const locations = tracer.locate(load.args[0] as Expression) ?? []
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
  const enough = (entry: Expression, amount: Expression): ReadonlyArray<Approval> =>
    isEndless(amount) || isAmount(amount, entry, 0)
      ? entriesOf(entry)
      : entriesOf(entry).filter(({ account }) => amount.op !== Kind.constant && taken.get(account) === amount)
  const read = (what: Expression, isTrue: boolean, depth: number): ReadonlyArray<Approval> => {
    const [a, b] = what.args
    if (depth > maxDepth) return []
    if (a === undefined || b === undefined) {
      if (what.op === Opcodes.ISZERO && a !== undefined) return read(a, !isTrue, depth + 1)
      // Solady asks whether all bits are set.
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
        // Compilers ask so whether all bits are set: one more would be zero.
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

/** Whether nobody counts down from a number: no supply comes near it. */
const isEndless = (what: Expression): boolean => what.op === Kind.constant && what.bits >= 90

const isYes = (one: Expression, entry: Expression): boolean =>
  one.op === Kind.constant && one.value === 1n && entry.bits <= 8

/** Whether a formula is what a call names, or no less than that, or what is left of the entry after it. */
const isAmount = (what: Expression, entry: Expression, depth: number): boolean => {
  if (depth > maxDepth) return false
  const bare = unmasked(what)
  switch (bare.op) {
    case Opcodes.CALLDATALOAD:
      return true
    case Opcodes.ADD:
      return bare.args.some((arg) => isAmount(arg, entry, depth + 1))
    case Opcodes.SUB:
      return (
        unmasked(bare.args[0] as Expression) === unmasked(entry) &&
        isAmount(bare.args[1] as Expression, entry, depth + 1)
      )
    case Kind.merge:
      return bare.alternatives.size > 0 && [...bare.alternatives].every((way) => isAmount(way, entry, depth + 1))
    default:
      return false
  }
}
