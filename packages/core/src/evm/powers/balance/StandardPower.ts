/** @internal */

import * as Selectors from "../../bytecode/Selectors.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import { type Guard, placeOf } from "../../summary/conditions/Guard.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as BalanceSeizure from "./BalanceSeizure.js"

/**
 * A condition about the caller, and what a caller that passes it can do that others cannot.
 *
 * - `rule`: the effect of a function that is not part of ERC-20, or of one that is on the balances of others or on
 *   guards.
 * - `bypass`: it spends what others have without an allowance. `note`: a transfer or approval by that account also
 *   writes other variables or calls another contract. An account that only moves what its customers order has neither.
 */
export interface AskedCaller {
  readonly guard: Guard
  readonly gives: "rule" | "bypass" | "note"
}

/**
 * The conditions about the caller of a function that give a power over others. In ERC-20 functions, an account moves
 * its own tokens and gives its own allowances, and an exemption is no power over others. There, only a caller that
 * needs no allowance, or that may do what nobody else may, has a power.
 */
export const makeReader = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks
): ((entry: FunctionFlow) => ReadonlyArray<AskedCaller>) => {
  const sparing = new Set(
    BalanceSeizure.of(flow, token)
      .filter(({ kind }) => kind === "bypass")
      .flatMap(({ guards }) => guards.map(placeOf))
  )
  const asking = new Set(
    flow.functions.flatMap(({ calls, writes }) =>
      [...writes, ...calls].flatMap(({ guards }) =>
        guards.flatMap((guard) => {
          const place = guard.kind === "unknown" ? guard.signer : guard.kind === "slot" ? guard : undefined
          return place === undefined ? [] : [place.slot]
        })
      )
    )
  )
  return (entry) => {
    const { forwarders = [], selector, writes } = entry
    // A trusted forwarder can do in any account's name what that account may do for itself.
    const naming = forwarders.map((guard): AskedCaller => ({ guard, gives: "rule" }))
    // A STATICCALL changes nothing, as in a getter that answers some callers differently.
    const calls = entry.calls.filter(({ kind }) => kind !== "staticcall")
    if (!Selectors.erc20.has(selector))
      return [
        ...naming,
        ...[...writes, ...calls].flatMap(({ guards }) => guards.map((guard) => ({ guard, gives: "rule" as const })))
      ]
    // A smaller supply takes nothing from holders.
    const isOpen = ({ mask, slot }: Write, name: string): boolean =>
      isOneOf(token.supply, slot, mask) ||
      writes.some((other) => other.slot === slot && isUsual(token, other) && !asksAlways(other, name))
    return [
      ...naming,
      ...writes.flatMap((write) =>
        write.guards.flatMap((guard): ReadonlyArray<AskedCaller> => {
          const name = JSON.stringify(guard)
          if (selector === Selectors.functions.transferFrom && sparing.has(placeOf(guard)))
            return [{ guard, gives: "bypass" }]
          if (!isPassed(write, guard)) return []
          if (TokenBooks.isBook(token, write))
            return isUsual(token, write) && isOpen(write, name) ? [] : [{ guard, gives: "rule" }]
          if (asking.has(write.slot)) return [{ guard, gives: "rule" }]
          return write.own ? [] : [{ guard, gives: "note" }]
        })
      ),
      ...calls.flatMap((call) =>
        call.guards.filter((guard) => isPassed(call, guard)).map((guard) => ({ guard, gives: "note" as const }))
      )
    ]
  }
}

/** Whether every caller that gets there passes the condition, or one of several including it. */
const isPassed = ({ guards, shut }: Pick<Write, "guards" | "shut">, { always }: Guard): boolean =>
  always || (shut && !guards.some((other) => other.always))

const asksAlways = ({ guards }: Write, name: string): boolean => guards.some((guard) => JSON.stringify(guard) === name)

/** Whether a write is part of moving one's own tokens, or those that one was allowed, or of allowing. */
const isUsual = (token: TokenBooks.TokenBooks, write: Write): boolean => {
  const { asks, change, mask, own, slot } = write
  const isConsented = own || asks.some((asked) => token.allowances.some((variable) => variable.slot === asked))
  if (change.kind === "keep") return true
  if (isOneOf(token.allowances, slot, mask)) return isConsented
  if (!TokenBooks.isOfBalances(token, write)) return change.kind === "decrease"
  // Who sends gets nothing by it.
  return change.kind === "increase"
    ? change.matched && !own
    : isConsented && ["decrease", "clear"].includes(change.kind)
}
