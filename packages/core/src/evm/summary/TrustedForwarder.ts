/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind, type Pool, unmasked, unnegated } from "../expression/Expression.js"
import { loadedField, type Origin, unique } from "../expression/Origin.js"
import type * as PathFacts from "../expression/PathFacts.js"
import { isPrecompiled } from "../expression/Precompile.js"
import type { Call, FunctionFlow } from "./conditions/FunctionFlow.js"
import { type Guard, placeOf } from "./conditions/Guard.js"

/**
 * Who a call says that its sender is: a contract that trusts its caller to pass on the calls of others takes the last 20
 * bytes of the calldata for the sender. `trust` is what was asked of the caller before, as the facts tell it.
 *
 * In a formula such a sender is the caller, since everything asks of it what it asks of a caller otherwise. That the
 * trusted caller may name anybody is told beside that, once, by the function's `forwarders`.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2771
 * @since 0.1.0
 * @category models
 */
export interface AppendedSender {
  readonly word: Expression
  readonly trust: { readonly condition: Expression; readonly holds: boolean }
}

/**
 * The sender that a word of calldata names; none where it is another word, or where nothing was asked of the caller.
 *
 * @since 0.1.0
 * @category constructors
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
        // Whoever reads the word that ends with the account cuts off what is before it.
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

/**
 * The last word of the calldata.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The functions of one code, each with those alone who can name a sender that is not theirs: whatever else is asked of the
 * caller, they are let through, too, since they may name whoever passes it.
 *
 * A contract that trusts itself is told nothing where none of its calls can come back to it. Where one can, what it is told
 * then is up to the code that makes the call, as where somebody's signature is asked for. So it is where a contract hands on
 * to itself what its trusted caller passes on, as in a batch of calls that whoever sends it ends as he likes.
 *
 * @see https://www.openzeppelin.com/news/arbitrary-address-spoofing-vulnerability-erc2771context-multicall-public-disclosure
 * @since 0.1.0
 * @category combinators
 */
export const apart = (flows: ReadonlyArray<FunctionFlow>): ReadonlyArray<FunctionFlow> => {
  if (flows.every(({ forwarders = [] }) => forwarders.length === 0)) return flows
  const calls = flows.flatMap((flow) => flow.calls)
  const isToldByItself = calls.some((call) => mayForward(flows, call))
  const isHandingOn = calls.some(({ kind, target }) => kind === "delegatecall" && target.some(isItself))
  return flows.map((flow) => {
    const told = flow.forwarders ?? []
    const forwarders = unique(
      told.flatMap(
        (guard): ReadonlyArray<Guard> =>
          isSelf(guard)
            ? isToldByItself
              ? [somebody]
              : []
            : [{ ...guard, forwards: true }, ...(isHandingOn ? [somebody] : [])]
      )
    )
    if (forwarders.length === 0) return { ...flow, forwarders }
    const past = <A extends Asking>(what: A): A => letThrough(what, told, forwarders)
    return {
      ...flow,
      forwarders,
      writes: flow.writes.map((write) => ({ ...past(write), skips: write.skips.map(past) })),
      calls: flow.calls.map((call) => ofNamed(past(call)))
    }
  })
}

const isSelf = (guard: Guard): boolean => guard.kind === "unknown" && guard.isSelf === true

const isItself = ({ kind }: Origin): boolean => kind === "self"

/** A call that is told who sends: the caller, or whom he names. */
const ofNamed = (call: Call): Call => ({
  ...call,
  target: orNamed(call.target),
  ...(call.order === undefined ? {} : { order: { ...call.order, input: call.order.input.map(orNamed) } })
})

const orNamed = (origins: ReadonlyArray<Origin>): ReadonlyArray<Origin> =>
  origins.some(({ kind }) => kind === "caller") ? unique([...origins, { kind: "unknown" }]) : origins

/** Whoever can make the contract call itself, or hand on to itself what somebody else is believed about. */
const somebody: Guard = { kind: "unknown", always: false, forwards: true }

interface Asking {
  readonly guards: ReadonlyArray<Guard>
}

/** What is asked of everybody but some, of whom no more is asked than whether they are those. */
const letThrough = <A extends Asking>(what: A, told: ReadonlyArray<Guard>, forwarders: ReadonlyArray<Guard>): A => {
  const named = new Set(told.map(placeOf))
  const asked = what.guards.filter((guard) => guard.always || !named.has(placeOf(guard)))
  return {
    ...what,
    guards: asked.length === 0 ? [] : unique([...asked.map((guard) => ({ ...guard, always: false })), ...forwarders])
  }
}

/** Whether a call may come back to a function that takes the end of what it is told for its sender. */
const mayForward = (flows: ReadonlyArray<FunctionFlow>, { kind, order, target }: Call): boolean => {
  if ((kind !== "call" && kind !== "callcode") || target.every(isPrecompiled)) return false
  const named = order?.selector
  const answering = flows.find(({ selector }) => selector === named) ?? flows.find(isFallback)
  return named === undefined || (answering?.forwarders ?? []).length > 0
}

const isFallback = ({ selector }: FunctionFlow): boolean => selector === "fallback"
