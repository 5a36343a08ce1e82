/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool, unmasked, unnegated } from "./Expression.js"
import type * as PathFacts from "./PathFacts.js"
import { loadedField } from "./ValueSource.js"

/**
 * The sender that a call names in its calldata (ERC-2771): a contract that trusts its caller to forward calls takes the
 * last 20 bytes of the calldata for the sender. `trust` is the condition on the caller that the path has passed before.
 *
 * In a formula such a sender stands as the caller, because the code treats it so. The function's `forwarders` say once
 * that the trusted caller may name anyone.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2771
 */
export interface AppendedSender {
  readonly word: Expression
  readonly trust: { readonly condition: Expression; readonly holds: boolean }
}

/**
 * The sender that a word of calldata names; none where it is another word, or where the path has no condition on the
 * caller.
 */
export const senderIn = (pool: Pool, word: Expression, facts: PathFacts.PathFacts): AppendedSender | undefined => {
  const distance = distanceFromEnd(pool, word)
  if (distance === undefined) return undefined
  const caller = pool.nullary(Opcodes.CALLER)
  for (const fact of facts) {
    const [condition, holds] = [pool.get(fact >> 1), (fact & 1) === 0]
    const { asked, same } = unnegated(condition)
    if (isOfCaller(asked, same === holds))
      return {
        // Code that reads the word that ends with the account masks the bytes before it.
        word: distance === 32n ? caller : pool.binary(Opcodes.SHL, pool.constant(96n), caller),
        trust: { condition, holds }
      }
  }
  return undefined
}

/** How far before the end of the calldata a word of it begins that holds its last 20 bytes at one of its ends. */
const distanceFromEnd = (pool: Pool, { args: [at], op }: Expression): bigint | undefined =>
  op === Opcodes.CALLDATALOAD
    ? [20n, 32n].find((distance) => placesBeforeEnd(pool, distance).some((place) => place === at))
    : undefined

/** A compiler takes a number away, or adds what comes to the same. */
const placesBeforeEnd = (pool: Pool, distance: bigint): readonly [Expression, Expression] => {
  const size = pool.nullary(Opcodes.CALLDATASIZE)
  return [
    pool.binary(Opcodes.ADD, size, pool.constant(2n ** 256n - distance)),
    pool.binary(Opcodes.SUB, size, pool.constant(distance))
  ]
}

/** The last word of the calldata. */
export const lastWord = (pool: Pool): Expression => pool.node(Opcodes.CALLDATALOAD, [placesBeforeEnd(pool, 32n)[0]])

/** Whether a condition says that the caller is the contract itself, or an account in the code or in storage. */
const isOfCaller = (asked: Expression, holds: boolean): boolean => {
  if (!holds) return false
  if (isEntryOfCaller(asked)) return true
  const [a, b] = asked.args
  if (asked.op !== Opcodes.EQ || a === undefined || b === undefined) return false
  return [
    [a, b],
    [b, a]
  ].some(
    ([one, other]) =>
      one !== undefined &&
      other !== undefined &&
      (unmasked(one).op === Opcodes.CALLER
        ? other.op === Opcodes.ADDRESS || other.op === Kind.constant || loadedField(other) !== undefined
        : isEntryOfCaller(one) && other.op === Kind.constant && other.value !== 0n)
  )
}

const isEntryOfCaller = (what: Expression): boolean => {
  const place = loadedField(what)?.load.args[0]
  return place?.op === Opcodes.KECCAK256 && place.args.some((key) => unmasked(key).op === Opcodes.CALLER)
}
