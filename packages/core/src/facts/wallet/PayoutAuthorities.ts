/** @internal */

import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import type { Field } from "../../evm/expression/ValueSource.js"
import type { Guard } from "../../evm/summary/conditions/Guard.js"
import type { Call, FunctionFlow, Order, StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Access from "../../evm/token/Access.js"
import * as TokenBooks from "../../evm/token/TokenBooks.js"
import { isFree, isNamed, isSelf, isUnasked, isVacant, transfersFrom } from "../code/CallConditions.js"

/**
 * Who can make an account pay out what it has, as the code that it runs says.
 *
 * - `anybody`: any caller of a function. `constant`: accounts that are constants of the code.
 * - `appointed`: on every path of every function only an account in a variable, or the account itself.
 * - `unclear`: none of these was seen, and not all that the code does could be followed.
 */
export type Driving =
  | { readonly kind: "anybody"; readonly selector: FunctionFlow["selector"] }
  | {
      readonly kind: "constant"
      readonly selector: FunctionFlow["selector"]
      readonly accounts: ReadonlyArray<Address>
    }
  | { readonly kind: "appointed" | "unclear" }

/** Reads it off what the code's functions call. */
export const of = (flows: ReadonlyArray<StorageFlow>): Driving => {
  const payments = flows.flatMap(paymentsIn)
  const open = payments.find(({ by }) => by === "anybody")
  if (open !== undefined) return { kind: "anybody", selector: open.selector }
  const named = payments.find(({ accounts }) => accounts.length > 0)
  if (named !== undefined) return { kind: "constant", selector: named.selector, accounts: named.accounts }
  const isFollowed = flows.length > 0 && flows.every(({ completeness }) => completeness.complete)
  return { kind: isFollowed && payments.every(({ by }) => by === "appointed") ? "appointed" : "unclear" }
}

/** A variable of the account. Only the address in it can make the account pay by a function. */
export interface Appointment {
  readonly selector: FunctionFlow["selector"]
  readonly slot: string
  readonly field: Field | undefined
}

/**
 * The variables with an address that can make the account pay by itself, also those that a caller may set to his own.
 */
export const appointments = (flows: ReadonlyArray<StorageFlow>): ReadonlyArray<Appointment> => {
  const found = flows.flatMap(paymentsIn).flatMap(({ appointed }) => appointed)
  return [...new Map(found.map((each) => [`${each.slot} ${each.field?.offset}`, each])).values()]
}

/**
 * Whether each payment in the code requires a caller that not everyone can become: an account in the code or in a
 * variable, the account itself, or one with a signature. Without any payment, whether all of the code was followed.
 */
export const areRestricted = (flows: ReadonlyArray<StorageFlow>): boolean => {
  const payments = flows.flatMap(paymentsIn)
  return payments.length === 0
    ? flows.every(({ completeness }) => completeness.complete)
    : payments.every(({ by }) => by === "appointed" || by === "unread")
}

interface Payment {
  readonly selector: FunctionFlow["selector"]
  readonly by: "anybody" | "appointed" | "unread" | "unclear"
  readonly accounts: ReadonlyArray<Address>
  readonly appointed: ReadonlyArray<Appointment>
}

const paymentsIn = (flow: StorageFlow): ReadonlyArray<Payment> => {
  const token = TokenBooks.of(flow)
  return flow.functions.flatMap((entry) =>
    entry.calls.flatMap((call): ReadonlyArray<Payment> => {
      if (!paysOut(call)) return []
      const guards = Access.privilegesAt(flow, token, call)
      const { selector } = entry
      const appointed = isUnasked(entry, call) ? sufficient(guards).map((place) => ({ selector, ...place })) : []
      const payment = (by: Payment["by"], accounts: Payment["accounts"] = []): ReadonlyArray<Payment> => [
        { selector, by, accounts, appointed }
      ]
      if (guards.some((guard) => isVacant(flow, guard))) return payment("unclear")
      if (guards.some(({ kind }) => kind === "unknown")) return payment("unread")
      if (guards.length > 0)
        return payment(
          "appointed",
          isUnasked(entry, call) && guards.every(({ kind }) => kind === "constant")
            ? guards.flatMap((guard) => (guard.kind === "constant" ? [guard.address] : []))
            : []
        )
      if (isCertain(call) && isFree(entry, call)) return payment("anybody")
      return payment(isUnasked(entry, call) ? "unclear" : "unread")
    })
  )
}

/** The variables with an address that passes all of some conditions. */
const sufficient = (guards: ReadonlyArray<Guard>): ReadonlyArray<Pick<Appointment, "slot" | "field">> =>
  guards.some(({ always }) => always) && guards.length > 1
    ? []
    : guards.flatMap((guard) => (guard.kind === "slot" ? [{ slot: guard.slot, field: guard.field }] : []))

/** Whether a call may take something from the account: of others only what is known to take from its caller does not. */
const paysOut = ({ kind, order, target }: Call): boolean => {
  if (kind === "staticcall") return false
  if (kind !== "call") return !target.every(isSelf)
  if (order?.selector === undefined || order.value !== undefined) return true
  return !(transfersFrom.has(order.selector) && isOfOthers(order))
}

/** Whether the caller chooses the receiver of a payment, or the token that is moved. */
const isCertain = ({ kind, order, target }: Call): boolean =>
  kind === "call" &&
  order !== undefined &&
  target.some(isNamed) &&
  (order.selector === undefined
    ? order.value?.some(isNamed) === true
    : giving.has(order.selector) || (transfersFrom.has(order.selector) && order.input[0]?.some(isSelf) === true))

/** Whether the moved tokens come from the caller, and never from the account. */
const isOfOthers = ({ input: [source = []] }: Order): boolean =>
  source.length > 0 && source.every(({ kind }) => kind === "caller")

const { functions } = Selectors

const giving: ReadonlySet<Hex> = new Set([
  functions.transfer,
  functions.approve,
  functions.increaseAllowance,
  functions.setApprovalForAll
])
