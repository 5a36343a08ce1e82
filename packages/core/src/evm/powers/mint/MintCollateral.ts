/** @internal */

import * as AddressBook from "../../../data/AddressBook.js"
import type { Hex } from "../../../domain/Hex.js"
import type * as Slices from "../../../runtime/Slices.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import { type Expression, isNumber, Kind, type Pool, unmasked } from "../../expression/Expression.js"
import * as PathFacts from "../../expression/PathFacts.js"
import * as Quotient from "../../expression/Quotient.js"
import { loadedField } from "../../expression/ValueSource.js"
import * as CodeModel from "../../interpreter/CodeModel.js"
import * as PathTree from "../../interpreter/PathTree.js"
import type { CallEvent } from "../../interpreter/Trace.js"
import * as Calls from "../../summary/conditions/Calls.js"
import * as FieldMask from "../../summary/conditions/FieldMask.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as NumberChange from "../../summary/writes/NumberChange.js"
import * as Access from "../../token/Access.js"
import * as Conservation from "../../token/Conservation.js"
import * as SingleUse from "../../token/SingleUse.js"
import type * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as Custody from "../custody/Custody.js"

/**
 * What backs the tokens that a function mints, over all of its paths.
 *
 * - `none-made`: on each path as much is taken off balances and off the supply as is added, as by a flash loan.
 * - `paid`: where more is added, the caller pays for it in ether or in a token of known worth (one that others are
 *   quoted in), at a rate that nobody can change, and gets nothing for nothing. The worth and the minters of other
 *   tokens are not in the code. The function itself pays nobody; whether the payment {@link stays} is a separate check.
 * - `untold`: neither could be shown.
 */
export type MintCollateral = "none-made" | "paid" | "untold"

/** Follows the paths of a function, in slices. */
export function* of({ code, flow, token }: TokenModel, selector: Hex): Slices.Slices<MintCollateral> {
  const [balances] = token.balances
  if (balances === undefined || token.balances.length > 1 || token.external) return "untold"
  const tree = yield* code.paths(selector, CodeModel.bounds.vault)
  if (!tree.trace.complete) return "untold"
  const { pool } = tree
  // No balance is above the supply: what some account has is there to be taken off it.
  const isEnough = (amount: Expression, facts: PathFacts.PathFacts): boolean =>
    NumberChange.isBelowAnyBalance(pool, [amount], facts)
  const sums = [yield* Conservation.sumsOf(tree, balances)]
  for (const supply of token.supply) sums.push(yield* Conservation.sumsOf(tree, supply, isEnough))
  const all = sums.flat()
  if (!all.every(({ sound }) => sound)) return "untold"
  const gaining = all.filter(({ gains }) => gains.length > 0)
  if (gaining.length === 0) return "none-made"
  const payments = new Map<number, ReadonlyArray<Payment>>()
  for (const { end, gains } of gaining) {
    const known = payments.get(end) ?? paymentsOn(tree, end)
    payments.set(end, known)
    const isMatched = gains.every((gain) => known.some((payment) => isPaidBy(tree, flow, token, gain, payment)))
    if (!isMatched) return "untold"
    yield undefined
  }
  return "paid"
}

/**
 * Whether the payment stays in the contract as long as the tokens that were minted for it: it pays out only what is
 * taken off balances, at a rate that nobody can change, and no privileged caller can make it call others. In slices.
 */
export function* stays(model: TokenModel): Slices.Slices<boolean> {
  const { code, flow, token } = model
  const [balances] = token.balances
  if (balances === undefined || !mayStay(model)) return false
  for (const { selector } of callingIn(flow)) {
    if (selector === "fallback") return false
    const tree = yield* code.paths(selector, CodeModel.bounds.vault)
    if (!tree.trace.complete) return false
    for (const { end, losses, sound } of yield* Conservation.sumsOf(tree, balances)) {
      if (!sound || !isPaidOutFor(tree, flow, token, end, losses)) return false
      yield undefined
    }
  }
  return true
}

/** Whether it is worth following paths to find out if the payment {@link stays}. */
export const mayStay = ({ flow, isDestructible, token }: TokenModel): boolean => {
  const calling = callingIn(flow)
  return (
    calling.length <= maxCalling &&
    !calling.some(({ orders }) => orders.some((call) => Access.privilegesAt(flow, token, call).length > 0)) &&
    !isDestructible()
  )
}

/** The functions that have others do something else than to bring what is paid. */
const callingIn = ({ functions }: StorageFlow) =>
  functions.flatMap(({ calls, selector }) => {
    const orders = calls.filter((call) => call.kind !== "staticcall" && !Custody.isPull(call))
    return orders.length === 0 ? [] : [{ selector, orders }]
  })

/** How many functions are followed path by path, so that work is bounded. */
const maxCalling = 8

/** Whether a path only pays out what it debits from accounts. */
const isPaidOutFor = (
  tree: PathTree.PathTree,
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  end: number,
  losses: ReadonlyArray<Expression>
): boolean => {
  const { calls, facts, isPlain } = walk(tree, end)
  // A rounded-up amount is debited in two parts.
  const [one, other, ...more] = losses
  const taken =
    one === undefined || other === undefined || more.length > 0
      ? losses
      : [...losses, tree.pool.binary(Opcodes.ADD, one, other)]
  return (
    isPlain &&
    calls.every(({ call }) => {
      if (call.opcode === Opcodes.STATICCALL || pulledBy(call) !== undefined) return true
      const sent = sentBy(call)
      return sent === undefined
        ? isHarmless(call)
        : taken.some((amount) =>
            isPaidBy(tree, flow, token, sent, { amount, facts, answers: answersOf(calls, call.target) })
          )
    })
  )
}

/** What whoever calls pays on a path. `answers` are what the token that he pays in says on it of itself. */
interface Payment {
  readonly amount: Expression
  readonly answers: ReadonlySet<Expression>
  readonly facts: PathFacts.PathFacts
}

/** The payments on a path on which nothing is paid out. */
const paymentsOn = (tree: PathTree.PathTree, end: number): ReadonlyArray<Payment> => {
  const { pool } = tree
  const { calls, facts, isPlain } = walk(tree, end)
  const successes = new Set(calls.map(({ call }) => call.success))
  const paid = calls
    .filter(({ call }) => call.opcode !== Opcodes.STATICCALL)
    .map(({ before, call }): Payment | undefined => {
      const amount = pulledBy(call)
      const isHeard = facts.some((fact) => !PathFacts.has(before, fact) && isYes(pool.get(fact >> 1), fact, successes))
      return amount !== undefined &&
        PathFacts.decide(call.success, facts) === true &&
        isHeard &&
        isKnownToken(call.target)
        ? { amount, facts, answers: answersOf(calls, call.target) }
        : undefined
    })
  const sent: Payment = { amount: pool.nullary(Opcodes.CALLVALUE), answers: new Set(), facts }
  return isPlain && paid.every((one) => one !== undefined) ? [sent, ...paid] : []
}

/** The calls on a path, each with the facts before it, and the facts at the end of the path. */
interface Walk {
  readonly calls: ReadonlyArray<{ readonly call: CallEvent; readonly before: PathFacts.PathFacts }>
  readonly facts: PathFacts.PathFacts
  /** No contract is made or destroyed. */
  readonly isPlain: boolean
}

const walk = (tree: PathTree.PathTree, end: number): Walk => {
  const { pool, trace } = tree
  const path = PathTree.pathTo(tree, end)
  const calls: Array<Walk["calls"][number]> = []
  let facts = PathFacts.none
  let isPlain = true
  for (const [i, index] of path.entries())
    for (const event of trace.blocks[index]?.events ?? []) {
      if (event.kind === "call") calls.push({ call: event, before: facts })
      else if (event.kind === "branch") facts = learn(pool, facts, event.condition, event.taken === path[i + 1])
      else if (event.kind === "create" || event.kind === "destroy") isPlain = false
    }
  return { calls, facts, isPlain }
}

/** What a contract says of itself on a path. */
const answersOf = (calls: Walk["calls"], target: Expression): ReadonlySet<Expression> =>
  new Set(
    calls.flatMap(({ call }) =>
      call.opcode === Opcodes.STATICCALL && unmasked(call.target) === unmasked(target) ? call.answers : []
    )
  )

/** What follows from a condition: of what has a bit in common both have one, whatever numbers they are. */
const learn = (pool: Pool, facts: PathFacts.PathFacts, condition: Expression, holds: boolean): PathFacts.PathFacts => {
  const [a, b] = condition.args
  if (condition.op === Opcodes.ISZERO && a !== undefined) return learn(pool, facts, a, !holds)
  if (PathFacts.has(facts, 2 * condition.id + (holds ? 0 : 1))) return facts
  const known = PathFacts.assume(pool, facts, condition, holds)
  if (condition.op !== Opcodes.AND || !holds || a === undefined || b === undefined || b.op === Kind.constant)
    return known
  return learn(pool, learn(pool, known, a, true), b, true)
}

/** How much a call takes from whoever calls, by the allowance that he gave. */
const pulledBy = (call: CallEvent): Expression | undefined => {
  const [, from, to, amount] = call.input ?? []
  return isOrder(call, Selectors.functions.transferFrom) && from?.op === Opcodes.CALLER && to?.op === Opcodes.ADDRESS
    ? amount
    : undefined
}

/** How much ether or of a token a call pays out. */
const sentBy = (call: CallEvent): Expression | undefined =>
  isWithoutEther(call)
    ? isOrder(call, Selectors.functions.transfer)
      ? call.input?.[2]
      : undefined
    : call.opcode === Opcodes.CALL
      ? call.value
      : undefined

/** Whether a call to another contract is no order to a token. */
const isHarmless = (call: CallEvent): boolean => {
  const selector = Calls.nameOf(call)
  return (
    call.opcode === Opcodes.CALL &&
    isWithoutEther(call) &&
    selector !== undefined &&
    ![...Selectors.erc20].some((standard) => BigInt(standard) === selector)
  )
}

const isOrder = (call: CallEvent, selector: Hex): boolean =>
  call.opcode === Opcodes.CALL && isWithoutEther(call) && Calls.nameOf(call) === BigInt(selector)

const isWithoutEther = ({ value }: CallEvent): boolean => value?.op === Kind.constant && value.value === 0n

/** Whether a fact says that a call answered yes, or nothing at all as old tokens do, and not only that it did not fail. */
const isYes = (condition: Expression, fact: number, successes: ReadonlySet<Expression>): boolean => {
  const holds = (fact & 1) === 0
  const isAnswer = (what: Expression | undefined): boolean =>
    what !== undefined && what.op === Kind.unknown && !successes.has(what)
  const [a, b] = condition.args
  if (condition.op === Opcodes.EQ)
    return holds && ((isNumber(a, 1n) && isAnswer(b)) || (isNumber(b, 1n) && isAnswer(a)))
  return holds ? isAnswer(condition) : condition.op === Opcodes.AND && isAnswer(unmasked(condition))
}

/** Whether an account is written into the code, and one of the tokens that others are quoted in on some chain. */
const isKnownToken = (account: Expression): boolean => {
  const bare = unmasked(account)
  return bare.op === Kind.constant && quoteTokens.has(bare.value)
}

const quoteTokens: ReadonlySet<bigint> = new Set(AddressBook.quotesAnywhere.map(BigInt))

/** Whether nobody changes a variable again. */
const isKept = (flow: StorageFlow, place: FieldMask.Place): boolean =>
  flow.functions.every(
    ({ selector, writes }) =>
      !writes.some((write) => FieldMask.isWritten(write, place)) || SingleUse.isSingleUse(flow, selector)
  )

const isPaidBy = (
  tree: PathTree.PathTree,
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  gain: Expression,
  payment: Payment
): boolean =>
  (isNothingWithout(gain, payment.amount, new Map()) &&
    isRateFixed(tree, flow, token, gain, payment.amount, payment)) ||
  (isRoundedUp(tree.pool, payment, gain) && isRateFixed(tree, flow, token, payment.amount, gain, payment))

/** Whether a formula is zero where another one, which it is made of, is. */
const isNothingWithout = (what: Expression, base: Expression, seen: Map<Expression, boolean>): boolean => {
  if (what === base) return true
  const known = seen.get(what)
  if (known !== undefined) return known
  const is = (arg: Expression | undefined): boolean => arg !== undefined && isNothingWithout(arg, base, seen)
  const [a, b] = what.args
  const answer = ((): boolean => {
    switch (what.op) {
      case Kind.constant:
        return what.value === 0n
      case Opcodes.MUL:
      case Opcodes.AND:
      case Opcodes.MULMOD:
        return is(a) || is(b)
      case Opcodes.DIV:
      case Opcodes.MOD:
        return is(a)
      case Opcodes.SHL:
      case Opcodes.SHR:
      case Opcodes.LT:
        return is(b)
      case Opcodes.ADD:
      case Opcodes.SUB:
      case Opcodes.OR:
      case Opcodes.XOR:
        return is(a) && is(b)
      case Opcodes.ISZERO:
        return a?.op === Opcodes.ISZERO && is(a.args[0])
      default:
        return false
    }
  })()
  seen.set(what, answer)
  return answer
}

/** Whether the payment is a share of the amount, rounded up, so that no amount is free. */
const isRoundedUp = (pool: Pool, { amount, facts }: Payment, gain: Expression): boolean => {
  const isOf = (quotient: Expression, division: Quotient.Division): boolean =>
    (division.x === gain || division.y === gain) && Quotient.isOf(pool, quotient, division, facts)
  const [a, b] = amount.op === Opcodes.ADD ? amount.args : []
  if (a !== undefined && b !== undefined) {
    const added = [
      [a, b],
      [b, a]
    ] as const
    for (const [up, quotient] of added) {
      const remainder = up.op === Opcodes.ISZERO && up.args[0]?.op === Opcodes.ISZERO ? up.args[0].args[0] : undefined
      const division = remainder === undefined ? undefined : Quotient.ofRemainder(remainder)
      if (division !== undefined && isOf(quotient, division)) return true
    }
  }
  // The rounding up by one is on a separate path.
  for (const fact of facts) {
    const division = Quotient.ofRemainder(pool.get(fact >> 1))
    if (division === undefined) continue
    const quotient = (fact & 1) === 1 ? amount : b?.op === Kind.constant && b.value === 1n ? a : undefined
    if (quotient !== undefined && isOf(quotient, division)) return true
  }
  return false
}

/** Whether nobody can change what a formula makes of another one: the books, and what is paid in, decide it. */
const isRateFixed = (
  { locator }: PathTree.PathTree,
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  what: Expression,
  base: Expression,
  { answers }: Payment
): boolean => {
  const pending = [what]
  const seen = new Set(pending)
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === base) continue
    const loaded = loadedField(part)
    if (loaded !== undefined) {
      const isKnown = locator.resolve(loaded.load.args[0])?.every(({ id }) => {
        const place = { slot: id, field: loaded.field }
        return (
          FieldMask.isOneOf([...token.supply, ...token.balances], id, FieldMask.maskOf(loaded.field)) ||
          isKept(flow, place)
        )
      })
      if (isKnown !== true) return false
      continue
    }
    if (part.op === Kind.constant || answers.has(part) || part.op === Opcodes.TIMESTAMP) continue
    // Any other leaf, such as an argument, can be chosen by an account.
    if (part.args.length === 0 || part.op === Kind.merge || part.op === Opcodes.CALLDATALOAD) return false
    for (const inner of part.args)
      if (!seen.has(inner)) {
        seen.add(inner)
        pending.push(inner)
      }
  }
  return true
}
