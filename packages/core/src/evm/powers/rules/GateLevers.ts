/** @internal */

import * as Selectors from "../../bytecode/Selectors.js"
import type { ValueSource } from "../../expression/ValueSource.js"
import * as FieldMask from "../../summary/conditions/FieldMask.js"
import type { StorageFlow, Write } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import type { TransferGate } from "../transfer/TransferGate.js"
import type { Sign } from "./DetectorRule.js"
import * as Lever from "./Lever.js"
import type { Power } from "./Power.js"

/**
 * What a variable that decides over transfers is a sign of. Who is on a list until something opens for good is no more to be
 * feared once it has.
 */
export const signOf = (model: TokenModel, gate: TransferGate): Sign => {
  const { field, kind, slot } = gate
  const sign = { power: powerOf(gate), gate: { kind, slot, field }, levers: of(model, gate) }
  return kind === "list" ? { ...sign, mayBeSpent: ({ until }) => until !== undefined } : sign
}

const powerOf = ({ kind, passes }: TransferGate): Power => {
  switch (kind) {
    case "flag":
    case "time":
      return "pause"
    case "list":
      return passes === "nonzero" ? "whitelist" : "blacklist"
    case "limit":
      return "limit"
    case "rate":
      return "tax"
  }
}

/** The functions that set such a variable by choice, rather than as a counter. */
export const of = ({ flow, token }: TokenModel, gate: TransferGate): ReadonlyArray<Lever.Lever> =>
  gate.setters.flatMap((setter): ReadonlyArray<Lever.Lever> => {
    const lasting = setter.writes.filter(({ lasts }) => lasts)
    const variable = { slot: gate.slot, field: gate.field, passes: gate.passes }
    const setting = lasting.filter((write) => isSetting(write, gate, setter))
    const others = lasting.filter(
      (write) => isForwarding(flow, token, write, gate) || isChanging(token, write, gate, setter)
    )
    const writes = setting.length > 0 ? setting : others
    const certain =
      gate.decisive &&
      setting.length > 0 &&
      !VariableWriter.isDated({ ...setter, writes }) &&
      !setting.every((write) => isMovedAlong(flow, write))
    const until = gate.until === undefined ? {} : { until: gate.until }
    return writes.length === 0 ? [] : [{ ...Lever.of({ ...setter, certain, writes }), variable, ...until }]
  })

/** Whether a write decides by itself what a variable is, rather than keeping count. */
const isSetting = (
  { change, keys, own }: Write,
  { kind }: TransferGate,
  { privileged }: VariableWriter.VariableWriter
): boolean => {
  // What a call does to its own caller's entry is no power over others.
  if (kind === "list" && keys.length > 0 && (own || !keys.some(isOther))) return false
  const { amount } = change
  const isTold = (!isNumber(kind) || privileged) && amount.some((origin) => origin.kind === "argument")
  switch (change.kind) {
    case "set":
      // A limit that is set to another stored number, such as the supply, is lifted.
      return !isNumber(kind) || amount.some((origin) => origin.kind !== "storage")
    case "clear":
      return true
    case "raise":
    case "keep":
    case "flip":
      return !isNumber(kind)
    case "increase":
    case "decrease":
      // A counter that only privileged callers can move is theirs to set.
      return (
        isTold ||
        (isNumber(kind) && privileged && amount.length > 0 && amount.every((origin) => origin.kind === "constant"))
      )
    case "unknown":
      return isTold
  }
}

/** Whether a number is computed from its old value and an argument, as in transfers: it may follow balances. */
const isMovedAlong = (flow: StorageFlow, { change, mask, slot }: Write): boolean => {
  const isMoved = (amount: ReadonlyArray<ValueSource>): boolean =>
    amount.some((origin) => origin.kind === "storage" && origin.slot === slot)
  return (
    change.kind === "unknown" &&
    isMoved(change.amount) &&
    Erc20.transfers.some(({ selector }) =>
      Erc20.functionOf(flow, selector)?.writes.some(
        (write) => write.slot === slot && FieldMask.overlap(write.mask, mask) && isMoved(write.change.amount)
      )
    )
  )
}

/**
 * Whether a variable becomes a value that the code does not show, such as a share of its old value or of another
 * variable. A count of a user's trades is not chosen, and a bound as high as the supply is no bound.
 */
const isChanging = (
  { supply }: TokenBooks.TokenBooks,
  { change: { copied, kind: change, sources }, keys, own }: Write,
  { kind, passes }: TransferGate,
  { selector }: VariableWriter.VariableWriter
): boolean => {
  const isLifting =
    change === "clear" ||
    (change === "keep" && passes === "zero") ||
    (kind === "limit" && copied === true && sources.every(({ mask, slot }) => FieldMask.isOneOf(supply, slot, mask)))
  return (
    !Selectors.erc20.has(selector) &&
    !isLifting &&
    (kind !== "list" || keys.length === 0 || (!own && keys.some(isOther)))
  )
}

const isNumber = (kind: TransferGate["kind"]): boolean => kind !== "flag" && kind !== "list"

/** Whether a number is copied from another variable that a privileged caller sets. */
const isForwarding = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  { change }: Write,
  { kind }: TransferGate
): boolean =>
  isNumber(kind) &&
  change.kind === "set" &&
  change.sources.some(
    (source) =>
      !FieldMask.isOneOf(TokenBooks.booksOf(token), source.slot, source.mask) &&
      VariableWriter.of(flow, token, source.slot, undefined).some(({ privileged }) => privileged)
  )

const isOther = (origin: ValueSource): boolean => origin.kind === "argument" || origin.kind === "unknown"
