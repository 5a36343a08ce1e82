/** @internal */

import type { ValueSource } from "../../expression/ValueSource.js"
import type { Call } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Erc20 from "../../token/Erc20.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import * as TransferHook from "./TransferHook.js"

/**
 * Whether somebody else than its parties may make a transfer fail by the ether that the token pays out to one of them and
 * may lack. What a transfer calls besides is a {@link TransferHook}.
 *
 * `ofAll`: it may fail for everybody, or from some amount on. `ofSome`: for single accounts.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refusal {
  readonly ofAll: boolean
  readonly ofSome: boolean
}

/**
 * Reads it off the calls of transfers. `isDestructible` says that the ether of the contract may go away with it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = (flow: StorageFlow, token: TokenBooks, isDestructible: boolean): Refusal => {
  const found = Erc20.transfers.flatMap((transfer) =>
    (Erc20.functionOf(flow, transfer.selector)?.calls ?? []).flatMap((call): ReadonlyArray<Refusal> => {
      if (Erc20.callsNobody(call) || !TransferHook.isOfParties(transfer, call)) return []
      const amount = etherIn(call)
      if (amount.length === 0) return []
      const set = amount.filter((origin) => isSet(flow, token, origin))
      const ofSome = set.some((origin) => origin.kind !== "storage" || origin.slot.includes("["))
      return [{ ofAll: set.length > 0 || isDestructible || isDrained(flow, token), ofSome }]
    })
  )
  return { ofAll: found.some(({ ofAll }) => ofAll), ofSome: found.some(({ ofSome }) => ofSome) }
}

/** How much ether a call is sent of what the contract has; nothing where it only hands on what the caller brings along. */
const etherIn = ({ order }: Call): ReadonlyArray<ValueSource> =>
  order?.value === undefined || order.value.every(({ kind }) => kind === "value") ? [] : order.value

/** Whether somebody appointed decides what a part of an amount is, as far as the code tells. */
const isSet = (flow: StorageFlow, token: TokenBooks, origin: ValueSource): boolean =>
  origin.kind === "unknown" ||
  (origin.kind === "storage" &&
    flow.functions.some(({ writes }) =>
      writes.some((write) => write.slot === origin.slot && Access.privilegesAt(flow, token, write).length > 0)
    ))

/** Whether a call may take the ether out of which others are paid: at somebody appointed's word, or any amount of it. */
const isDrained = (flow: StorageFlow, token: TokenBooks): boolean =>
  flow.functions.some(({ calls }) =>
    calls.some((call) => {
      const amount = etherIn(call)
      return (
        amount.length > 0 &&
        (Access.privilegesAt(flow, token, call).length > 0 ||
          amount.some(({ kind }) => kind === "unknown" || kind === "argument"))
      )
    })
  )
