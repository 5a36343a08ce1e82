/** @internal */

import { type Call, type FunctionFlow, mayLower, mayRaise, type Write } from "../../summary/conditions/FunctionFlow.js"
import type { Guard } from "../../summary/conditions/Guard.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Payment from "../../token/Payment.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import * as Custody from "./Custody.js"

/**
 * A function by which a privileged caller rewrites what is due to an account: an entry in a mapping of a contract that
 * is no token, which pays each account what its entry says.
 *
 * - `raises`: more is due than before. All are paid from the same funds, so others get less; this is the contract's
 *   counterpart of minting.
 * - `lowers`: less is due, and it is not paid.
 *
 * `certain` is false where it is not plain how the number changes, or where what is paid is not ether or a token.
 */
export interface Payable {
  readonly selector: FunctionFlow["selector"]
  readonly kind: "raises" | "lowers"
  readonly certain: boolean
  readonly guards: ReadonlyArray<Guard>
  readonly writes: ReadonlyArray<Write>
}

/** Finds every such function. */
export const of = (flow: StorageFlow, token: TokenBooks): ReadonlyArray<Payable> => {
  const books = booksIn(flow)
  return flow.functions.flatMap((candidate) => {
    const entered = candidate.writes.filter(({ slot }) => books.has(slot))
    const dueOf = (kind: Payable["kind"], some: ReadonlyArray<Write>, isPlain: (write: Write) => boolean) => {
      const guards = Access.privilegesOf(flow, token, some)
      if (guards.length === 0) return []
      const certain = some.filter((write) => isPlain(write) && books.get(write.slot) === true)
      const writes = certain.length > 0 ? certain : some
      return [{ selector: candidate.selector, kind, certain: certain.length > 0, guards, writes }]
    }
    return [
      ...dueOf(
        "raises",
        entered.filter((write) => isRaise(write) && !isBroughtAlong(candidate, write)),
        // What goes off another entry may be as much.
        (write) =>
          isSaid(write) && !entered.some(({ change, slot }) => slot === write.slot && change.kind === "decrease")
      ),
      ...dueOf(
        "lowers",
        entered.filter(
          (write) =>
            isOfOther(write) && mayLower(write.change) && !candidate.calls.some((call) => isPaidOut(write, call))
        ),
        ({ change }) => change.kind === "decrease" || change.kind === "clear"
      )
    ]
  })
}

/** The books by their slots, and whether it is certain that something is paid out of one. */
const booksIn = ({ functions }: StorageFlow): ReadonlyMap<string, boolean> => {
  const books = new Map<string, boolean>()
  for (const { calls, writes } of functions)
    for (const write of writes) {
      if (!write.slot.includes("[k]") || !mayLower(write.change)) continue
      for (const call of calls)
        if (isPaidOut(write, call))
          books.set(write.slot, books.get(write.slot) === true || Payment.of(call)?.certain === true)
    }
  return books
}

/** Whether what an entry says, or what is taken off it, is paid to its account. */
export const isPaidOut = ({ change, keys, slot }: Write, call: Call): boolean => {
  const payment = Payment.of(call)
  if (payment === undefined) return false
  const { amount, receiver } = payment
  return (
    amount.some(
      (origin) =>
        (origin.kind === "storage" && origin.slot === slot) ||
        (origin.kind === "argument" && change.kind === "decrease" && Custody.sharesOne([origin], change.amount))
    ) &&
    receiver.length > 0 &&
    receiver.every((origin) => Custody.sharesOne([origin], keys))
  )
}

const isRaise = ({ change, lasts }: Write): boolean => lasts && !change.matched && mayRaise(change)

const isSaid = ({ change }: Write): boolean =>
  (change.kind === "increase" || change.kind === "set") && change.amount.some(({ kind }) => kind === "argument")

const isOfOther = ({ keys, own }: Write): boolean =>
  !own && keys.some(({ kind }) => kind === "argument" || kind === "unknown")

/** Whether who calls brings along what he writes down. */
const isBroughtAlong = ({ calls }: FunctionFlow, { change }: Write): boolean =>
  calls.some(Custody.isPull) || change.amount.some(({ kind }) => kind === "value")
