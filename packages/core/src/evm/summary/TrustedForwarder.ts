/** @internal */

import { isPrecompiled } from "../expression/Precompile.js"
import { unique, type ValueSource } from "../expression/ValueSource.js"
import type { Call, FunctionFlow } from "./conditions/FunctionFlow.js"
import { type Guard, placeOf } from "./conditions/Guard.js"

/**
 * The functions of one code, with the trusted forwarders (ERC-2771) among their guards: a forwarder can name any
 * sender, so it passes every other condition on the caller as well.
 *
 * A contract that trusts itself gets no named sender where none of its calls can come back to it. Where one can, the
 * code that makes the call decides which sender it names, for example the signer of a signature. The same holds for a
 * multicall that delegates to itself: its caller controls the end of each inner calldata.
 *
 * @see https://www.openzeppelin.com/news/arbitrary-address-spoofing-vulnerability-erc2771context-multicall-public-disclosure
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

const isItself = ({ kind }: ValueSource): boolean => kind === "self"

/** A call that passes on the sender: the caller, or the account that he names. */
const ofNamed = (call: Call): Call => ({
  ...call,
  target: orNamed(call.target),
  ...(call.order === undefined ? {} : { order: { ...call.order, input: call.order.input.map(orNamed) } })
})

const orNamed = (origins: ReadonlyArray<ValueSource>): ReadonlyArray<ValueSource> =>
  origins.some(({ kind }) => kind === "caller") ? unique([...origins, { kind: "unknown" }]) : origins

/** Any account that can make the contract call or delegate to itself with a named sender. */
const somebody: Guard = { kind: "unknown", always: false, forwards: true }

interface Asking {
  readonly guards: ReadonlyArray<Guard>
}

/** The guards, but for callers that pass by being a trusted forwarder. */
const letThrough = <A extends Asking>(what: A, told: ReadonlyArray<Guard>, forwarders: ReadonlyArray<Guard>): A => {
  const named = new Set(told.map(placeOf))
  const asked = what.guards.filter((guard) => guard.always || !named.has(placeOf(guard)))
  return {
    ...what,
    guards: asked.length === 0 ? [] : unique([...asked.map((guard) => ({ ...guard, always: false })), ...forwarders])
  }
}

/** Whether a call may come back to a function that takes the end of its calldata for the sender. */
const mayForward = (flows: ReadonlyArray<FunctionFlow>, { kind, order, target }: Call): boolean => {
  if ((kind !== "call" && kind !== "callcode") || target.every(isPrecompiled)) return false
  const named = order?.selector
  const answering = flows.find(({ selector }) => selector === named) ?? flows.find(isFallback)
  return named === undefined || (answering?.forwarders ?? []).length > 0
}

const isFallback = ({ selector }: FunctionFlow): boolean => selector === "fallback"
