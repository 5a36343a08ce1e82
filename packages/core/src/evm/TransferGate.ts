/** @internal */

import * as Decisive from "./Decisive.js"
import * as Erc20 from "./Erc20.js"
import type { Write } from "./FunctionFlow.js"
import { isLock } from "./Latch.js"
import { type Field, fieldOf } from "./Origin.js"
import { isOneOf, type Place } from "./Overlap.js"
import * as Setter from "./Setter.js"
import type { StorageFlow } from "./StorageFlow.js"
import * as TokenBooks from "./TokenBooks.js"
import type { Variable } from "./Variable.js"

/**
 * A variable that decides whether a transfer goes through or how much of it arrives, and who can change it.
 *
 * - `flag`: one switch for everybody. `list`: an answer about the sender, the receiver or the caller.
 * - `limit`: a number that the amount or a balance is compared with, or a delay between transfers. `time`: a moment.
 * - `rate`: a number that goes into what the receiver gets.
 *
 * `passes` says what lets through: that it is zero or that it is not; undefined where neither does by itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransferGate {
  readonly kind: "flag" | "list" | "limit" | "time" | "rate"
  readonly slot: string
  readonly field: Field | undefined
  readonly passes: "zero" | "nonzero" | undefined
  readonly setters: ReadonlyArray<Setter.Setter>
}

/**
 * The variables besides balances, allowances and supply on which transfer() or transferFrom() may revert or end without
 * having moved anything, or which lower what arrives, with the functions that write them; those that nothing writes cannot
 * change and are left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): ReadonlyArray<TransferGate> => {
  const gates = new Map<string, TransferGate>()
  const add = (kind: TransferGate["kind"], { field, slot }: Place, passes: TransferGate["passes"]): void => {
    const key = JSON.stringify([kind, slot, field, passes])
    if (gates.has(key)) return
    const setters = Setter.of(flow, token, slot, field)
    if (setters.length > 0) gates.set(key, { kind, slot, field, passes, setters })
  }
  for (const transfer of Erc20.transfers) {
    const candidate = Erc20.functionOf(flow, transfer.selector)
    for (const requirement of candidate?.requirements ?? [])
      for (const decisive of Decisive.of(requirement, partiesOf(transfer), token))
        if (candidate === undefined || !isLock(candidate, decisive.read))
          add(decisive.kind, decisive.read, decisive.passes)
    for (const write of candidate?.writes ?? [])
      for (const source of ratesIn(write, transfer, token))
        add("rate", { slot: source.slot, field: fieldOf(BigInt(source.mask)) }, "zero")
  }
  return [...gates.values()]
}

const partiesOf = ({ amount }: Erc20.Transfer): Decisive.Parties => ({
  isParty: (origin) => origin.kind === "caller" || (origin.kind === "argument" && origin.index !== amount),
  isAmount: (origin) => origin.kind === "argument" && origin.index === amount
})

/** The variables that lower, by how much the amount is multiplied with them, what a transfer's receiver gets. */
const ratesIn = (write: Write, transfer: Erc20.Transfer, token: TokenBooks.TokenBooks): ReadonlyArray<Variable> => {
  const isReceived =
    TokenBooks.isOfBalances(token, write) &&
    write.keys.some((key) => key.kind === "argument" && key.index === transfer.receiver)
  if (
    !isReceived ||
    !write.change.amount.some((origin) => origin.kind === "argument" && origin.index === transfer.amount)
  )
    return []
  return write.change.sources.filter(({ mask, slot }) => !isOneOf(TokenBooks.booksOf(token), slot, mask))
}
