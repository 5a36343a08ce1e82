/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import type { ValueSource } from "../../expression/ValueSource.js"
import type { Place } from "../../summary/conditions/FieldMask.js"
import type { Call, FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import type { Condition, Side } from "../../summary/conditions/Precondition.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import * as VariableWriter from "../../token/VariableWriter.js"

/**
 * Another contract that a transfer calls, so that its code is part of the token's rules.
 *
 * - `target`: where its address comes from. The called function is given where the code shows it.
 * - `stops`: the transfer reverts where the call does. Otherwise it may still run out of gas in it.
 * - `tells`: the call certainly names a party of the transfer, so its answer can differ by account.
 * - `takes`: what an account loses by the transfer is computed from the answer.
 * - `setters`: the functions that put another address into the variable, where it is in one.
 */
export interface TransferHook {
  readonly target: ValueSource
  readonly asked: Hex | undefined
  readonly stops: boolean
  readonly tells: boolean
  readonly takes: boolean
  readonly setters: ReadonlyArray<HookSetter>
}

/** A function that puts another address into the variable `place` of a hook. */
export interface HookSetter extends VariableWriter.VariableWriter {
  readonly place: Place
}

/**
 * The contracts that transfers call, except their parties. A sender, receiver or spender decides on its own transfer
 * alone.
 */
export const of = (flow: StorageFlow, token: TokenBooks.TokenBooks): ReadonlyArray<TransferHook> => {
  const found = new Map<string, TransferHook>()
  for (const transfer of Erc20.transfers) {
    const candidate = Erc20.functionOf(flow, transfer.selector)
    if (candidate === undefined) continue
    const stops = isAnswerRequired(candidate)
    const takes = candidate.writes.some((write) => isTaking(write, token))
    for (const call of candidate.calls) {
      if (Erc20.callsNobody(call) || isOfParties(transfer, call)) continue
      const shared = { asked: askedBy(call), stops, takes, tells: isToldParties(transfer, call) }
      for (const target of call.target.length === 0 ? [unnamed] : call.target) {
        const hook: TransferHook = { ...shared, target, setters: settersOf(flow, token, target) }
        found.set(JSON.stringify([target, shared]), hook)
      }
    }
  }
  return [...found.values()]
}

/** Whether a transfer calls nobody but its parties. */
export const isOfParties = ({ receiver, sender }: Erc20.Transfer, { kind, target }: Call): boolean =>
  (kind === "call" || kind === "staticcall") &&
  target.every(
    (origin) =>
      origin.kind === "caller" ||
      origin.kind === "self" ||
      (origin.kind === "argument" && (origin.index === receiver || (sender !== undefined && origin.index === sender)))
  )

const unnamed: ValueSource = { kind: "unknown" }

const askedBy = ({ order, question }: Call): Hex | undefined => question ?? order?.selector

const isToldParties = ({ receiver, sender }: Erc20.Transfer, { order }: Call): boolean =>
  order?.input.some((input) =>
    input.some(
      (origin) =>
        origin.kind === "caller" ||
        (origin.kind === "argument" && (origin.index === receiver || origin.index === sender))
    )
  ) === true

const settersOf = (flow: StorageFlow, token: TokenBooks.TokenBooks, target: ValueSource): ReadonlyArray<HookSetter> => {
  if (target.kind !== "storage") return []
  const place = { slot: target.slot, field: undefined }
  return VariableWriter.reaching(flow, token, place).setters.flatMap((setter) => {
    const writes = setter.writes.filter((write) => write.lasts && isReplacing(write))
    return writes.length === 0 || !VariableWriter.isAtWill(setter) ? [] : [{ ...setter, writes, place }]
  })
}

/** Whether a write puts an address there that the code does not name. */
const isReplacing = ({ change }: Write): boolean =>
  change.kind !== "clear" &&
  change.kind !== "keep" &&
  change.amount.some(({ kind }) => kind === "argument" || kind === "unknown")

/** Whether a balance can become less by an amount that comes neither from arguments nor from storage. */
const isTaking = (write: Write, token: TokenBooks.TokenBooks): boolean =>
  TokenBooks.isOfBalances(token, write) &&
  write.change.kind !== "increase" &&
  write.change.amount.some(({ kind }) => kind === "unknown")

/** Whether a function requires a value from outside not to be zero: the success of a call, or its answer. */
const isAnswerRequired = ({ implied, requirements }: FunctionFlow): boolean =>
  [...requirements, ...implied].some(({ anyOf }) => anyOf.some(isOfAnswer))

const isOfAnswer = ({ holds, left, right, test }: Condition): boolean =>
  test === "equal" && !holds && ((isUntold(left) && isFixed(right)) || (isFixed(left) && isUntold(right)))

const isUntold = ({ about, reads }: Side): boolean =>
  reads.length === 0 && about.length > 0 && about.every(({ kind }) => kind === "unknown")

const isFixed = ({ about, reads }: Side): boolean =>
  reads.length === 0 && about.every(({ kind }) => kind === "constant")
