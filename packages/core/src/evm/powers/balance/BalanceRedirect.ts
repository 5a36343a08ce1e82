/** @internal */

import * as Selectors from "../../bytecode/Selectors.js"
import { unique } from "../../expression/ValueSource.js"
import { isOneOf, wholeWord } from "../../summary/conditions/FieldMask.js"
import type { Write } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as VariableWriter from "../../token/VariableWriter.js"

/**
 * A function that redirects balanceOf() to other storage: it sets a variable that is part of an entry's key, such as an
 * epoch number, or that selects one of several balance mappings, and writes no balance. The old balances stay in
 * storage but no longer count.
 *
 * `certain` is false where the variable shares its word with others, or where balanceOf() only reads it on the way and
 * there is no other mapping, so that it may decide nothing.
 */
export interface BalanceRedirect extends VariableWriter.VariableWriter {
  readonly certain: boolean
}

/** The functions that replace the entries of balances by others. */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): ReadonlyArray<BalanceRedirect> => {
  const getter = Erc20.functionOf(flow, Selectors.functions.balanceOf)
  if (getter === undefined || token.balances.length === 0) return []
  const deciding = unique(
    getter.reads
      .filter(({ slot }) => isOneOf(token.balances, slot, wholeWord))
      .flatMap(({ keys }) => keys.flatMap((key) => (key.kind === "storage" ? [key.slot] : [])))
  )
  const asked = getter.reads
    .map(({ slot }) => slot)
    .filter(
      (slot) =>
        !deciding.includes(slot) &&
        !TokenBooks.isBook(token, { slot, field: undefined }) &&
        getter.returns?.some((variable) => variable.slot === slot) === false
    )
  return [
    ...deciding.flatMap((slot) => movesBy(flow, token, slot)),
    ...unique(asked).flatMap((slot) => choicesBy(flow, token, slot))
  ]
}

/** Those who set a variable that is a part of the key of an entry. */
const movesBy = (flow: StorageFlow, token: TokenBooks.TokenBooks, slot: string): ReadonlyArray<BalanceRedirect> =>
  VariableWriter.of(flow, token, slot, undefined).flatMap((setter): ReadonlyArray<BalanceRedirect> => {
    const moving = setter.writes.filter(({ change, lasts, own }) => lasts && !own && change.kind !== "keep")
    if (moving.length === 0) return []
    const certain = !slot.includes("[") && isWhole(flow, slot) && moving.some(isChange)
    return [{ ...setter, writes: moving, certain }]
  })

/** Functions that set a variable which selects a balance mapping, and leave the mappings as they are. */
const choicesBy = (flow: StorageFlow, token: TokenBooks.TokenBooks, slot: string): ReadonlyArray<BalanceRedirect> =>
  VariableWriter.of(flow, token, slot, undefined).flatMap((setter): ReadonlyArray<BalanceRedirect> => {
    const choosing = setter.writes.filter(({ change, lasts, own }) => lasts && !own && change.kind !== "keep")
    const candidate = flow.functions.find(({ selector }) => selector === setter.selector)
    const writesBooks = candidate?.writes.some((write) => TokenBooks.isOfBalances(token, write)) !== false
    if (choosing.length === 0 || writesBooks) return []
    const isOfOne = choosing.some(({ keys: [account] }) => account?.kind === "argument")
    return [
      { ...setter, writes: choosing, certain: isOfOne && token.balances.length > 1 && candidate?.complete === true }
    ]
  })

const isWhole = (flow: StorageFlow, slot: string): boolean =>
  flow.functions.every(({ writes }) => writes.every((write) => write.slot !== slot || write.mask === wholeWord))

/** Whether a write certainly changes the value, or does so if the caller wants it. */
const isChange = ({ change }: Write): boolean =>
  change.kind === "increase" || (change.kind === "set" && change.amount.some(({ kind }) => kind === "argument"))
