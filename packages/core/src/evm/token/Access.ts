/** @internal */

import { isOfContract, unique } from "../expression/ValueSource.js"
import { type FunctionFlow, mayRaise, type Write } from "../summary/conditions/FunctionFlow.js"
import type { Guard } from "../summary/conditions/Guard.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import * as TokenBooks from "./TokenBooks.js"

/**
 * Whether a condition about the caller is a privilege that was granted, rather than the result of the caller's own
 * actions (staked, bought): an address in a variable or in the code, or an entry of a list in which one account can
 * enter another.
 */
export const isPrivilege = (flow: StorageFlow, token: TokenBooks.TokenBooks, guard: Guard): boolean =>
  isAppointment(flow, token, guard, new Set())

const isAppointment = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  guard: Guard,
  seen: ReadonlySet<string>
): boolean => {
  if (guard.kind === "constant" || guard.kind === "unknown") return true
  const { slot } = guard
  if (!slot.includes("[")) return true
  if ([...token.balances, ...token.allowances].some((variable) => variable.slot === slot)) return false
  const entering = flow.functions.flatMap((candidate) =>
    candidate.writes.filter((write) => write.slot === slot && mayRaise(write.change))
  )
  // Members of a list that no function adds to were added by the constructor.
  if (entering.length === 0) return true
  // Owners in an array were added by owners.
  if (!slot.includes("[k]")) return entering.every((write) => write.shut)
  const entered = new Set([...seen, slot])
  return entering.some(
    (write) =>
      write.keys.some((key) => key.kind === "argument" || key.kind === "unknown") &&
      !write.keys.some((key) => key.kind === "caller") &&
      write.guards.some((other) =>
        // A list with members that add others is a list of roles. The owner of a single entry only passes on what is
        // his own.
        (other.kind === "entry" || other.kind === "slot") && entered.has(other.slot)
          ? guard.kind === "entry" && other.kind === "entry" && other.slot === slot
          : isAppointment(flow, token, other, entered)
      )
  )
}

/** The conditions of a write or call that are privileges; none where it can be reached without them. */
export const privilegesAt = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  { guards, shut }: Pick<Write, "guards" | "shut">
): ReadonlyArray<Guard> => {
  const appointed = guards.filter((guard) => isPrivilege(flow, token, guard))
  const always = appointed.filter((guard) => guard.always)
  if (always.length > 0) return always
  return shut && appointed.length === guards.length ? appointed : []
}

/** The conditions of some writes that are privileges. Where they are alternatives, all of them have to be. */
export const privilegesOf = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  writes: ReadonlyArray<Write>
): ReadonlyArray<Guard> => unique(writes.flatMap((write) => privilegesAt(flow, token, write)))

/**
 * Lists with an amount of tokens for the caller that the function does not use up: an entry works like a passed
 * condition. An amount that is used up was granted to the caller before.
 */
export const allotments = ({ reads, writes }: FunctionFlow, token: TokenBooks.TokenBooks): ReadonlyArray<Guard> => {
  const given = writes.filter(
    (write) => TokenBooks.isBook(token, write) && mayRaise(write.change) && !write.change.matched
  )
  const amounts = new Set(given.flatMap(({ change }) => change.sources.map(({ slot }) => slot)))
  const used = new Set(writes.flatMap(({ change, slot }) => (mayRaise(change) ? [] : [slot])))
  return unique(
    reads.flatMap(
      ({ keys, slot }): ReadonlyArray<Guard> =>
        amounts.has(slot) && !used.has(slot) && keys.some(({ kind }) => kind === "caller" || kind === "unknown")
          ? [{ kind: "entry", slot, always: false }]
          : []
    )
  )
}

/** A condition on an allowance from one fixed account to the caller: that account decides who passes. */
export const favours = ({ reads }: FunctionFlow, token: TokenBooks.TokenBooks): ReadonlyArray<Guard> =>
  reads.some(
    ({ keys, slot }) =>
      token.allowances.some((variable) => variable.slot === slot) &&
      keys.some(({ kind }) => kind === "caller") &&
      keys.some(isOfContract)
  )
    ? [{ kind: "unknown", always: false }]
    : []

/** Whether any caller may use a function at any time, without a balance or a payment. */
export const isFree = ({ calls, gates, writes }: FunctionFlow, token: TokenBooks.TokenBooks): boolean =>
  calls.length === 0 &&
  writes.every(({ guards }) => guards.length === 0) &&
  gates.every(
    ({ about, compares, computes, reads }) =>
      !about.includes("caller") &&
      !about.includes("unknown") &&
      // A function that requires no ether is free, one that requires enough is not.
      !(about.includes("value") && (compares || computes || reads.length > 0)) &&
      reads.every((read) => TokenBooks.isBook(token, read) || !read.keys.some((key) => key.kind === "caller"))
  )
