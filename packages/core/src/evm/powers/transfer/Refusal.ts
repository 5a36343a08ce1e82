/** @internal */

import type { ValueSource } from "../../expression/ValueSource.js"
import type { Call } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Erc20 from "../../token/Erc20.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import * as TransferHook from "./TransferHook.js"

/**
 * Whether another account than its parties may make a transfer fail, because the token pays ether to a party and may
 * run out of it. Other calls of a transfer are a {@link TransferHook}.
 *
 * `ofAll`: it may fail for everybody, or from some amount on. `ofSome`: for single accounts.
 */
export interface Refusal {
  readonly ofAll: boolean
  readonly ofSome: boolean
}

/** Reads it off the calls of transfers. `isDestructible` says that the ether of the contract may go away with it. */
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

/** How much of the contract's ether a call sends; nothing where it only forwards the ether of its own call. */
const etherIn = ({ order }: Call): ReadonlyArray<ValueSource> =>
  order?.value === undefined || order.value.every(({ kind }) => kind === "value") ? [] : order.value

/** Whether a privileged caller may decide a part of an amount. */
const isSet = (flow: StorageFlow, token: TokenBooks, origin: ValueSource): boolean =>
  origin.kind === "unknown" ||
  (origin.kind === "storage" &&
    flow.functions.some(({ writes }) =>
      writes.some((write) => write.slot === origin.slot && Access.privilegesAt(flow, token, write).length > 0)
    ))

/** Whether a call may take the ether that others are paid from: by a privileged caller, or in any amount. */
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
