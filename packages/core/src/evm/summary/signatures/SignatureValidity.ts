/** @internal */

import type { Address } from "../../../domain/Address.js"
import { Opcodes } from "../../bytecode/Opcodes.js"
import * as Selectors from "../../bytecode/Selectors.js"
import {
  type Constant,
  type Expression,
  Kind,
  maxWord,
  type Pool,
  unmasked,
  unnegated
} from "../../expression/Expression.js"
import * as PathFacts from "../../expression/PathFacts.js"
import * as MemoryInput from "../../interpreter/MemoryInput.js"
import * as Signer from "../../interpreter/Signer.js"
import type { CallEvent, Trace } from "../../interpreter/Trace.js"
import * as SignatureChecker from "./SignatureChecker.js"

/**
 * The accounts that make the call or have agreed to it, each with the answers that show it: none for the caller,
 * otherwise the answer of `ecrecover` or of the account's own contract. All answers of an account have to hold.
 */
export type Vouched = ReadonlyMap<Expression, ReadonlyArray<Expression>>

/**
 * An answer that shows that `account` signed `hash`, where the call succeeded: a certain value from the account's own
 * contract, or any value but zero from a library that checks signatures of any account (`isChecker`). The hash is
 * undefined where it could not be followed.
 */
export interface Voucher {
  readonly call: CallEvent
  readonly account: Expression
  readonly hash: Expression | undefined
  readonly isChecker: boolean
}

/** Vouchers by the words that they answer. */
export type Vouchers = ReadonlyMap<Expression, Voucher>

/**
 * The accounts in a trace that verify a signature themselves (ERC-1271), and the `checkers` that verify signatures of
 * others.
 *
 * @see https://eips.ethereum.org/EIPS/eip-1271
 */
export const vouchersOf = (
  { blocks }: Trace,
  signers: ReadonlySet<Expression>,
  checkers: ReadonlyArray<Address>
): Vouchers => {
  const vouchers = new Map<Expression, Voucher>()
  for (const { events } of blocks)
    for (const event of events) {
      if (event.kind !== "call" || event.opcode !== Opcodes.STATICCALL) continue
      const [answer] = event.answers
      if (answer === undefined || signers.has(answer)) continue
      const question = SignatureChecker.askedIn(event, checkers)
      const voucher: Voucher = {
        call: event,
        account: unmasked(question?.account ?? event.target),
        hash: question === undefined ? event.asked?.words[0] : question.hash,
        isChecker: question !== undefined
      }
      vouchers.set(answer, voucher)
      vouchers.set(event.copied, voucher)
    }
  return vouchers
}

/** Finds the accounts that have signed where a condition holds, or where it does not. */
export const makeReader = (
  pool: Pool,
  signers: ReadonlySet<Expression>,
  vouchers: Vouchers
): ((condition: Expression, holds: boolean, facts: PathFacts.PathFacts) => Vouched) => {
  const caller = pool.nullary(Opcodes.CALLER)
  /** Whether it answered at least a word: an account without code answers nothing, and what was in memory stays there. */
  const isWhole = ({ answers: [answer] }: CallEvent, facts: PathFacts.PathFacts): boolean => {
    const size = MemoryInput.sizeOf(pool, answer)
    if (size === undefined) return false
    const isLess = [Opcodes.LT, Opcodes.SLT].map((test) => pool.binary(test, size, pool.constant(32n)))
    return (
      isLess.some((less) => PathFacts.decide(less, facts) === false) ||
      PathFacts.decide(pool.binary(Opcodes.LT, pool.constant(31n), size), facts) === true
    )
  }
  const ofEqual = (a: Expression, b: Expression, facts: PathFacts.PathFacts): Vouched => {
    const found = new Map<Expression, ReadonlyArray<Expression>>()
    for (const [who, other] of [
      [a, b],
      [b, a]
    ] as const) {
      if (who === caller) found.set(unmasked(other), [])
      else if (Signer.is(signers, who)) found.set(unmasked(other), [who])
      const answer = unmasked(who)
      const voucher = vouchers.get(answer)
      if (!isMagic(other) || voucher === undefined || voucher.isChecker) continue
      const { account, call } = voucher
      const left = answer === call.copied ? undefined : maskedAs(who, call.left)
      if ((left !== undefined && left !== other.value) || isWhole(call, facts)) found.set(account, [answer])
    }
    return found
  }
  const visit = (condition: Expression, holds: boolean, facts: PathFacts.PathFacts, depth: number): Vouched => {
    const { asked, same } = unnegated(condition)
    const isTrue = same === holds
    const [a, b] = asked.args
    const checked = isTrue ? vouchers.get(unmasked(asked)) : undefined
    if (checked?.isChecker === true)
      return PathFacts.decide(checked.call.success, facts) === true && isWhole(checked.call, facts)
        ? new Map([[checked.account, [unmasked(asked)]]])
        : nobody
    if (depth > maxDepth) return nobody
    if (asked.op === Kind.merge) {
      const ways = [...asked.alternatives].filter((way) => way.op !== Kind.constant || (way.value !== 0n) === isTrue)
      return inAll(ways.map((way) => visit(way, isTrue, facts, depth + 1)))
    }
    if (a === undefined || b === undefined) return nobody
    if (comparing.has(asked.op)) return (asked.op === Opcodes.EQ) === isTrue ? ofEqual(a, b, facts) : nobody
    const isBoth = isTrue ? both.has(asked.op) : asked.op === Opcodes.OR
    // Numbers of more than a bit may have none in common, and neither is zero.
    const isEither = isTrue ? asked.op === Opcodes.OR : both.has(asked.op) && a.bits <= 1 && b.bits <= 1
    if (!isBoth && !isEither) return nobody
    // In a conjunction, each side may rely on the other.
    const together = isBoth ? PathFacts.assume(pool, PathFacts.assume(pool, facts, a, isTrue), b, isTrue) : facts
    const ways = [a, b].map((way) => visit(way, isTrue, together, depth + 1))
    return isBoth ? new Map(ways.flatMap((way) => [...way])) : inAll(ways)
  }
  return (condition, holds, facts) => visit(condition, holds, facts, 0)
}

/** The value of a number under the same mask; undefined where it is not known. */
const maskedAs = ({ args, op }: Expression, what: Expression | undefined): bigint | undefined => {
  const mask = op === Opcodes.AND && args[1]?.op === Kind.constant ? args[1].value : maxWord
  return what?.op === Kind.constant ? what.value & mask : undefined
}

/** The accounts that have signed on every alternative, with all answers that show it on one of them. */
const inAll = (ways: ReadonlyArray<Vouched>): Vouched => {
  const [first, ...others] = ways
  if (first === undefined) return nobody
  return new Map(
    [...first].flatMap(([account, answers]) => {
      const more = others.map((way) => way.get(account))
      return more.every((one) => one !== undefined) ? [[account, [...answers, ...more.flat()]] as const] : []
    })
  )
}

const nobody: Vouched = new Map()

const maxDepth = 8

const comparing: ReadonlySet<number> = new Set([Opcodes.EQ, Opcodes.SUB, Opcodes.XOR])

/** Operations with a non-zero result only if neither operand is zero. */
const both: ReadonlySet<number> = new Set([Opcodes.AND, Opcodes.MUL])

/** Whether a number is what a contract answers with that vouches, as a word or at the end of one. */
const isMagic = (what: Expression): what is Constant =>
  what.op === Kind.constant && (what.value === magic || what.value === magic << 224n)

const magic = BigInt(Selectors.functions.isValidSignature)
