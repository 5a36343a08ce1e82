/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Argument from "../../expression/Argument.js"
import { type Expression, fold, innerOf, Kind, maxWord, unmasked } from "../../expression/Expression.js"
import type { FunctionRun } from "../../interpreter/FunctionRun.js"
import * as Erc20 from "../../token/Erc20.js"
import * as KeptNumber from "../../token/KeptNumber.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as HardcodedFee from "./HardcodedFee.js"

/**
 * Whether the numbers that are written into a transfer make out how much of an amount arrives, and by more than what is
 * usual, in slices. It is for transfers with too many paths to follow each, or with more than one balance mapping. A
 * value from storage, such as the worth of a share, counts as the same on both sides.
 */
export function* isUneven({ merged, token }: TokenModel): Slices.Slices<boolean> {
  for (const run of yield* merged()) {
    const transfer = Erc20.transferOf(run.selector)
    if (transfer !== undefined && (!run.trace.complete || (yield* isUnevenIn(run, token, transfer)))) return true
  }
  return false
}

function* isUnevenIn(
  { locator, pool, trace }: FunctionRun,
  token: TokenBooks,
  transfer: Erc20.Transfer
): Slices.Slices<boolean> {
  const valuesOf = makeValues(transfer.amount)
  const given = new Set<bigint>()
  for (const block of trace.blocks) {
    if (!block.succeeds) continue
    for (const event of block.events) {
      if (event.kind !== "store") continue
      const slots = waysOf(event.slot)
      for (const { mask, slot: book } of token.balances) {
        const received = slots.filter((slot) =>
          (locator.resolve(slot) ?? []).some(
            ({ id, keys }) => id === book && keys.some((key) => Argument.isAt(unmasked(key), transfer.receiver))
          )
        )
        const bits = BigInt(mask)
        const number = received.length === 0 ? undefined : KeptNumber.of(pool, event, bits)
        if (number === undefined) continue
        const ways = waysOf(number.after)
        // With too many alternatives, some are left out.
        if (slots.length + ways.length > maxValues) return true
        for (const value of ways) {
          // Where one code writes several entries, each alternative belongs to the entry that it starts from.
          if (slots.some((slot) => !received.includes(slot) && numbersIn(value, [slot], bits).length > 0)) continue
          const added = addedBy(value, [number.before, ...numbersIn(value, received, bits)], valuesOf)
          if (added === undefined) return true
          for (const one of added) given.add(one)
        }
      }
    }
    yield undefined
  }
  const all = [...given].reduce((most, one) => (one > most ? one : most), 0n)
  return [...given].some((one) => (all - one) * 10_000n > all * BigInt(HardcodedFee.usual))
}

/** What a formula may come to for the sample; none where that goes on without end, or is too much. */
type Values = (what: Expression) => ReadonlySet<bigint> | undefined

/** The alternatives of a formula, with nested merges resolved. */
const waysOf = (what: Expression): ReadonlyArray<Expression> => {
  const seen = new Set([what])
  for (const one of seen)
    if (one.op === Kind.merge && seen.size <= 2 * maxValues) for (const way of one.alternatives) seen.add(way)
  return [...seen].filter(({ op }) => op !== Kind.merge)
}

/** The terms of a sum or difference. */
const termsOf = (what: Expression): ReadonlyArray<Expression> => {
  const parts = new Set([what])
  for (const { args, op } of parts) if (op === Opcodes.ADD || op === Opcodes.SUB) for (const arg of args) parts.add(arg)
  return [...parts].filter(({ op }) => op !== Opcodes.ADD && op !== Opcodes.SUB)
}

/** The terms that are the stored value of some bits at some slots. */
const numbersIn = (what: Expression, slots: ReadonlyArray<Expression>, bits: bigint): ReadonlyArray<Expression> =>
  termsOf(what).filter((term) => slots.some((slot) => KeptNumber.isAt(term, slot, bits)))

/** What a new value may add to the old one, the amount of the transfer being the sample; what is taken off is nothing. */
const addedBy = (
  value: Expression,
  old: ReadonlyArray<Expression>,
  valuesOf: Values
): ReadonlySet<bigint> | undefined => {
  let sums: ReadonlySet<bigint> | undefined = new Set([0n])
  let isOld = false
  const pending: Array<Expression> = [value]
  let looks = maxTerms
  for (let what = pending.pop(); what !== undefined; what = pending.pop()) {
    // A repeated term counts as often as it occurs.
    if (--looks < 0) return undefined
    if (old.includes(what) && !isOld) isOld = true
    else if (what.op === Opcodes.ADD) pending.push(...what.args)
    else {
      const values = valuesOf(what)
      sums = values === undefined ? undefined : crossed(Opcodes.ADD, sums, values)
      if (sums === undefined) return undefined
    }
  }
  return isOld ? sums : undefined
}

const makeValues = (amount: number): Values => {
  const known = new Map<Expression, ReadonlySet<bigint> | undefined>()
  const sent = new Map<Expression, boolean>()
  let looks = maxLooks
  /** Whether the amount is in a formula. */
  const isOfAmount = (what: Expression, depth: number): boolean => {
    const before = sent.get(what)
    if (before !== undefined) return before
    sent.set(what, false)
    const found =
      Argument.isAt(what, amount) ||
      (what.op !== Opcodes.SLOAD && depth < maxDepth && [...innerOf(what)].some((part) => isOfAmount(part, depth + 1)))
    sent.set(what, found)
    return found
  }
  const valuesOf = (what: Expression, open: ReadonlySet<Expression>): ReadonlySet<bigint> | undefined => {
    if (known.has(what)) return known.get(what)
    const values = compute(what, open)
    if (open.size === 0) known.set(what, values)
    return values
  }
  const compute = (what: Expression, open: ReadonlySet<Expression>): ReadonlySet<bigint> | undefined => {
    if (--looks < 0) return undefined
    if (what.op === Kind.constant) return new Set([what.value])
    if (Argument.isAt(what, amount)) return new Set([HardcodedFee.sample])
    if (what.op === Kind.merge) {
      const ways = [...what.alternatives].filter((way) => way !== what && !open.has(way))
      const isOneOfNumbers = ways.every(({ op }) => op === Kind.constant || op === Kind.merge)
      if (!isOneOfNumbers && !isOfAmount(what, 0) && ways.every(({ op }) => op !== Kind.constant)) return one
      const all = new Set<bigint>()
      for (const way of ways) {
        const values = valuesOf(way, new Set([...open, what]))
        if (values === undefined) return undefined
        for (const value of values) all.add(value)
      }
      return all.size === 0 || all.size > maxValues ? undefined : all
    }
    // A number that a loop changes may have any value.
    if (what.args.some((arg) => open.has(arg)) && isOfAmount(what, 0)) return undefined
    const [a, b] = what.args
    if (what.op === Opcodes.SLOAD || a === undefined || b === undefined || open.size > maxDepth)
      return isOfAmount(what, 0) ? undefined : one
    if (!isOfAmount(what, 0) && !isNumbers(what, 0)) return one
    const [left, right] = [valuesOf(a, open), valuesOf(b, open)]
    return left === undefined || right === undefined ? undefined : crossed(what.op, left, right)
  }
  return (what) => {
    looks = maxLooks
    return valuesOf(what, new Set())
  }
}

/** The sample for values independent of the amount, such as the value of a share or a rate in storage. */
const one: ReadonlySet<bigint> = new Set([1n])

/** Whether a formula is made of numbers in the code alone. */
const isNumbers = (what: Expression, depth: number): boolean =>
  what.op === Kind.constant ||
  (depth < 8 &&
    (what.op === Kind.merge
      ? [...what.alternatives].every((way) => isNumbers(way, depth + 1))
      : what.args.length === 2 && what.args.every((arg) => isNumbers(arg, depth + 1))))

const crossed = (
  op: number,
  left: ReadonlySet<bigint>,
  right: ReadonlySet<bigint>
): ReadonlySet<bigint> | undefined => {
  const found = new Set<bigint>()
  for (const a of left)
    for (const b of right) {
      // What would be below nothing reverts.
      if (op === Opcodes.SUB && b > a) continue
      const value = fold(op, a, b)
      if (value === undefined) return undefined
      found.add(value & maxWord)
    }
  return found.size === 0 || found.size > maxValues ? undefined : found
}

const maxValues = 64

/** Parts of one formula that are looked at, each as often as ways lead to it. */
const maxLooks = 4_000

const maxDepth = 24

const maxTerms = 1_000
