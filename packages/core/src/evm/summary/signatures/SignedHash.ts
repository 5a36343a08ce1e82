/** @internal */

import { Opcodes } from "../../bytecode/Opcodes.js"
import { addressBits, type Expression, Kind, maxWord, unmasked, unnegated } from "../../expression/Expression.js"
import { loadedField } from "../../expression/ValueSource.js"
import * as Walk from "../../expression/Walk.js"
import type { Trace } from "../../interpreter/Trace.js"
import type * as SignatureValidity from "./SignatureValidity.js"

/**
 * Makes a test of whether the account that `ecrecover` returns agreed to an action with some accounts or numbers. They
 * have to be part of the signed hash, and so has a nonce that the function counts up or marks as used, so that a
 * signature works once.
 *
 * A signature of a hash that the caller chooses proves nothing: anyone can compute a pair of hash and signature for a
 * public key, or reuse a signature from elsewhere.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2612
 */
export const makeReader = (
  { blocks }: Trace,
  signers: ReadonlySet<Expression>,
  vouchers: SignatureValidity.Vouchers
): ((signer: Expression, others: ReadonlyArray<Expression>) => boolean) => {
  const hashes = new Map<Expression, Expression | undefined>()
  const stored = new Set<Expression>()
  const struck = new Set<Expression>()
  // What has to be the number that is kept, as Dai has its holders sign it.
  const counted = new Map<Expression, Expression>()
  for (const [answer, { hash }] of vouchers) hashes.set(answer, hash)
  const events =
    signers.size + vouchers.size === 0 ? [] : blocks.flatMap((block) => (block.succeeds ? block.events : []))
  for (const event of events)
    if (event.kind === "store") stored.add(event.slot)
    else if (event.kind === "call") {
      const [answer] = event.answers
      if (answer !== undefined && signers.has(answer)) hashes.set(answer, event.input?.[0])
    } else if (event.kind === "branch") {
      const { asked, same } = unnegated(event.condition)
      const isEqual = (asked.op === Opcodes.EQ) === same
      if (comparing.has(asked.op) && blocks[isEqual ? event.passed : event.taken]?.succeeds !== true)
        for (const [number, kept] of [asked.args, [...asked.args].reverse()]) {
          const slot = kept === undefined ? undefined : loadedField(kept)?.load.args[0]
          if (number?.op === Opcodes.CALLDATALOAD && slot !== undefined) counted.set(slot, number)
        }
      // A comparison with the largest number is the compiler's check before an increment.
      const isAnswer = asked.args.some((arg) => arg.op === Kind.constant && arg.value !== maxWord)
      for (const what of isAnswer ? [asked, ...asked.args] : [asked]) {
        const loaded = loadedField(what)
        if (loaded !== undefined) struck.add(loaded.load.args[0])
      }
    }
  const parts = new Map<Expression, ReadonlySet<Expression>>()
  const partsOf = (formula: Expression): ReadonlySet<Expression> => {
    const known = parts.get(formula)
    if (known !== undefined) return known
    const found = new Set(Walk.parts([formula], { most: maxParts }))
    parts.set(formula, found)
    return found
  }
  const isOnce = (hash: Expression): boolean => {
    const went = partsOf(hash)
    return (
      [...went].some(({ args: [slot], op }) => op === Opcodes.SLOAD && slot !== undefined && stored.has(slot)) ||
      [...counted].some(([slot, number]) => stored.has(slot) && went.has(number)) ||
      [...stored].some(
        (slot) =>
          struck.has(slot) &&
          [...partsOf(slot)].some((part) => part === hash || (part.op === Opcodes.CALLDATALOAD && went.has(part)))
      )
    )
  }
  return (signer, others) => {
    const answers = waysOf(signer).filter((way) => signers.has(way) || vouchers.has(way))
    return answers.every((answer) => {
      const hash = hashes.get(answer)
      // What could not be followed on its way through memory may be what the caller names.
      if (hash === undefined) return false
      return waysOf(hash).every((formula) => {
        if (formula.op !== Opcodes.KECCAK256) return false
        return (
          isOnce(formula) &&
          others.every((other) => isFixed(other) || [other, unmasked(other)].some((one) => isIn(formula, one)))
        )
      })
    })
  }
}

/** Whether a part goes into a formula, whichever of several values is behind a merge point. */
const isIn = (formula: Expression, part: Expression): boolean => {
  const open = new Set<Expression>()
  let left = maxParts
  const visit = (what: Expression): boolean => {
    if (what === part) return true
    if (left-- <= 0) return false
    if (what.op !== Kind.merge) return wholeIn(what).some(visit)
    // A value that is made of itself has the part if what it began as has.
    if (open.has(what)) return true
    open.add(what)
    const isInAll = what.alternatives.size > 0 && [...what.alternatives].every(visit)
    open.delete(what)
    return isInAll
  }
  return visit(formula)
}

/**
 * The parts of a formula that determine it: another address or amount gives another result, so a signature covers no
 * other.
 */
const wholeIn = (what: Expression): ReadonlyArray<Expression> => {
  const { args, op } = what
  const [a, b] = args
  if (what.op === Opcodes.KECCAK256) {
    const ranges = what.detail
    if (ranges === "words") return what.args
    return what.args.filter((word, i) => {
      const { from, length } = ranges[i] ?? { from: 0, length: 0 }
      if (8 * length < addressBits) return false
      return from + length === 32 || (from === 0 && isShifted(word, 8 * (32 - length)))
    })
  }
  if (op === Opcodes.AND) return b?.op === Kind.constant && b.bits >= addressBits ? args : []
  if (op === Opcodes.SHL) return a?.op === Kind.constant && a.value <= BigInt(256 - addressBits) ? args : []
  if (op === Opcodes.ADD || op === Opcodes.SUB || op === Opcodes.XOR)
    return args.some((arg) => arg.op === Kind.constant) ? args : []
  return keeping.has(op) ? args : []
}

const isShifted = ({ args: [by], op }: Expression, least: number): boolean =>
  op === Opcodes.SHL && by?.op === Kind.constant && by.value >= BigInt(least)

const keeping: ReadonlySet<number> = new Set([Opcodes.OR, Opcodes.NOT, Opcodes.SIGNEXTEND])

/** The possible values of a formula. */
const waysOf = (formula: Expression): ReadonlyArray<Expression> => {
  const seen = new Set([unmasked(formula)])
  for (const what of seen)
    if (what.op === Kind.merge && seen.size < maxParts) for (const way of what.alternatives) seen.add(unmasked(way))
  return [...seen].filter(({ op }) => op !== Kind.merge)
}

/** Whether the caller cannot choose the value. */
const isFixed = (what: Expression): boolean => {
  const { op } = unmasked(what)
  return op === Kind.constant || op === Opcodes.SLOAD || op === Opcodes.ADDRESS
}

const comparing: ReadonlySet<number> = new Set([Opcodes.EQ, Opcodes.SUB, Opcodes.XOR])

const maxParts = 1_024
