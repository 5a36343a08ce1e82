/** @internal */

import type { ValueSource } from "../../expression/ValueSource.js"
import type { Call, FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import type { Guard } from "../../summary/conditions/Guard.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Payment from "../../token/Payment.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import * as Custody from "./Custody.js"

/**
 * A function by which the caller pays in or is paid: ether, or a token of another contract. It is to such a contract
 * what a transfer is to a token.
 *
 * `parties` are the accounts that pay or are paid, `amounts` the amounts that they name, `rates` the shared variables
 * that go into what is kept or paid.
 */
export interface ServiceEntry {
  readonly candidate: FunctionFlow
  readonly parties: ReadonlyArray<ValueSource>
  readonly amounts: ReadonlyArray<ValueSource>
  readonly rates: ReadonlyArray<string>
}

/**
 * Finds them. A function for a privileged caller is none; one for accounts on a list is, where they pay in or are paid
 * what their own entry says.
 */
export const of = (flow: StorageFlow, token: TokenBooks): ReadonlyArray<ServiceEntry> =>
  flow.functions.flatMap((candidate): ReadonlyArray<ServiceEntry> => {
    const paying = candidate.calls.filter((call) => isPayingIn(call) && isOpen(flow, token, call))
    const paid = candidate.calls.filter((call) => isPaying(flow, token, candidate, call))
    const kept = candidate.writes.filter((write) => write.change.amount.some(isValue) && isOpen(flow, token, write))
    if (paying.length + paid.length + kept.length === 0) return []
    const own = candidate.writes.filter((write) => write.own && isOpen(flow, token, write))
    const said = [
      ...[...kept, ...own].flatMap(({ change }) => change.amount),
      ...paying.flatMap(({ order }) => order?.input[2] ?? []),
      ...paid.flatMap((call) => amountOf(call))
    ]
    return [
      {
        candidate,
        parties: [{ kind: "caller" }, ...paid.flatMap(receiverOf)],
        amounts: [{ kind: "value" }, ...said.filter(({ kind }) => kind === "argument")],
        rates: said.flatMap((origin) => (origin.kind === "storage" && !origin.slot.includes("[") ? [origin.slot] : []))
      }
    ]
  })

const isValue = ({ kind }: ValueSource): boolean => kind === "value"

const isPayingIn = (call: Call): boolean => Custody.isPull(call) || call.order?.value?.some(isValue) === true

/** Whether no privileged caller is needed: accounts on a list, or accepted by another contract, may be anyone. */
const isOpen = (flow: StorageFlow, token: TokenBooks, at: Pick<Write, "guards" | "shut">): boolean =>
  Access.privilegesAt(flow, token, at).every(isOfMany)

const isOfMany = ({ kind }: Guard): boolean => kind === "entry" || kind === "unknown"

const isPaying = (flow: StorageFlow, token: TokenBooks, { writes }: FunctionFlow, call: Call): boolean => {
  const receiver = receiverOf(call)
  if (receiver.length === 0 || !receiver.every(isCaller) || !isOpen(flow, token, call)) return false
  const isListed = Access.privilegesAt(flow, token, call).some(({ kind }) => kind === "entry")
  return (
    !isListed ||
    amountOf(call).some(
      (origin) => origin.kind === "storage" && writes.some((write) => write.own && write.slot === origin.slot)
    )
  )
}

const isCaller = ({ kind }: ValueSource): boolean => kind === "caller"

/** Whom a call pays: with ether, or with a token that is moved or made. */
export const receiverOf = (call: Call): ReadonlyArray<ValueSource> => {
  const payment = Payment.of(call)
  return payment?.certain === true && !Custody.isPull(call) ? payment.receiver : []
}

const amountOf = (call: Call): ReadonlyArray<ValueSource> => Payment.of(call)?.amount ?? []
