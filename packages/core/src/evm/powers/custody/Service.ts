/** @internal */

import * as Slices from "../../../runtime/Slices.js"
import * as Selectors from "../../bytecode/Selectors.js"
import { isPrecompiled } from "../../expression/Precompile.js"
import type { ValueSource } from "../../expression/ValueSource.js"
import type { Call, Write } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Access from "../../token/Access.js"
import * as Erc20 from "../../token/Erc20.js"
import type { TokenBooks } from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as Custody from "./Custody.js"
import * as Payable from "./Payable.js"
import * as ServiceEntry from "./ServiceEntry.js"
import * as ServiceEntryGuard from "./ServiceEntryGuard.js"

/**
 * A contract that has no tokens of its own but that anyone can use: a sale, a pool, a game. Its powers are powers over
 * its users, as those of a token are over holders.
 *
 * `isDealtWith` is false where users call nothing: a privileged account only records and pays what is due.
 * `isStoppedElsewhere`: users' calls depend on another contract besides payments, which may stop them. `makesTokens`: a
 * privileged caller makes another contract mint. `sendsAway`: a privileged caller makes it pay out what is not due, or
 * sets the receiver or the rate.
 */
export interface Service {
  readonly gates: ReadonlyArray<ServiceEntryGuard.ServiceEntryGuard>
  readonly dues: ReadonlyArray<Payable.Payable>
  readonly isDealtWith: boolean
  readonly isStoppedElsewhere: boolean
  readonly makesTokens: boolean
  readonly sendsAway: boolean
}

/**
 * The service that a code offers its users; none where it has tokens of its own, where its code shows no users, or
 * where unnamed functions may be those of a token.
 */
export const of = (flow: StorageFlow, token: TokenBooks): Service | undefined => {
  if (isToken(flow) || isOpaque(flow)) return undefined
  const dealings = ServiceEntry.of(flow, token)
  const dues = Payable.of(flow, token)
  if (dealings.length + dues.length === 0) return undefined
  const ordered = flow.functions.flatMap((candidate) => {
    const isDealing = dealings.some((dealing) => dealing.candidate === candidate)
    return candidate.calls.filter(
      (call) =>
        call.order !== undefined &&
        Access.privilegesAt(flow, token, call).some(({ kind }) => !isDealing || kind !== "entry") &&
        !candidate.writes.some((write) => Payable.isPaidOut(write, call))
    )
  })
  const gates = ServiceEntryGuard.of(flow, token, dealings)
  const isReplaceable = makeReplaceable(flow, token)
  return {
    gates,
    dues,
    isDealtWith: dealings.length > 0,
    isStoppedElsewhere: dealings.some(({ candidate }) => candidate.calls.some((call) => !isPlain(call, isReplaceable))),
    makesTokens: ordered.some(({ order }) => order?.selector === Selectors.functions.mint),
    sendsAway:
      ordered.some(isSending) ||
      gates.some(({ kind }) => kind === "rate") ||
      flow.functions.some(({ calls }) => calls.some((call) => isReplaceable(ServiceEntry.receiverOf(call))))
  }
}

/** {@link of} a model, once. */
export const ofModel = Slices.oncePer(read)

function* read({ flow, token }: TokenModel): Slices.Slices<Service | undefined> {
  return of(flow, token)
}

/** A contract with only one of transfer() and balanceOf() moves nobody's tokens. */
const isToken = ({ functions }: StorageFlow): boolean =>
  functions.some(({ selector }) => selector === Selectors.functions.balanceOf) &&
  functions.some(({ selector }) => Erc20.transferSelectors.has(selector))

/** Whether what is not named may be answered: by another contract, with a word, or as all of a code without functions. */
const isOpaque = ({ functions }: StorageFlow): boolean =>
  functions.length < 2 ||
  functions.some(
    ({ calls, returns, selector }) =>
      selector === "fallback" && (returns !== undefined || calls.some((call) => !isOrdering(call)))
  )

/** Whether the function of a call is known, or the call only sends ether. */
const isOrdering = ({ kind, order }: Call): boolean =>
  kind === "staticcall" || (order !== undefined && (order.selector !== undefined || order.value !== undefined))

/** Whether a call only does what a token does, of a token that nobody can replace. */
const isPlain = ({ order, question, target }: Call, isReplaceable: IsReplaceable): boolean => {
  if (target.length > 0 && target.every(isHarmless)) return true
  const isPaying = order?.value !== undefined || isOfToken(order?.selector ?? question)
  return (
    isPaying &&
    target.length > 0 &&
    target.every(({ kind }) => kind === "constant" || kind === "storage" || kind === "argument") &&
    !isReplaceable(target)
  )
}

/** The caller, the contract itself, or a precompile. */
const isHarmless = (origin: ValueSource): boolean =>
  origin.kind === "caller" || origin.kind === "self" || isPrecompiled(origin)

/**
 * Makes a test of whether a privileged caller can replace the address in a variable that one of some accounts comes
 * from.
 */
const makeReplaceable = (flow: StorageFlow, token: TokenBooks): IsReplaceable => {
  const writesTo = new Map<string, Array<Write>>()
  for (const { writes } of flow.functions)
    for (const write of writes) {
      if (!write.lasts || write.slot.includes("[")) continue
      const known = writesTo.get(write.slot)
      if (known === undefined) writesTo.set(write.slot, [write])
      else known.push(write)
    }
  const found = new Map<string, boolean>()
  const isSet = (slot: string): boolean => {
    const known = found.get(slot)
    if (known !== undefined) return known
    const set = (writesTo.get(slot) ?? []).some((write) => Access.privilegesAt(flow, token, write).length > 0)
    found.set(slot, set)
    return set
  }
  return (accounts) => accounts.some((origin) => origin.kind === "storage" && isSet(origin.slot))
}

type IsReplaceable = (accounts: ReadonlyArray<ValueSource>) => boolean

const isOfToken = (selector: string | undefined): boolean =>
  selector !== undefined &&
  (Selectors.erc20.has(selector) ||
    selector === Selectors.functions.mint ||
    selector === Selectors.functions.decimals ||
    selector === Selectors.functions.balanceOf ||
    selector === Selectors.functions.allowance)

const isSending = (call: Call): boolean =>
  call.order?.value === undefined
    ? !Custody.isPull(call) && !isAsking(call)
    : !call.order.value.every(({ kind }) => kind === "value")

const isAsking = ({ order }: Call): boolean =>
  order?.selector === Selectors.functions.balanceOf || order?.selector === Selectors.functions.allowance
