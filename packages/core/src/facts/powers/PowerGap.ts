/** @internal */

import * as Address from "../../domain/Address.js"
import type { ValueSource } from "../../evm/expression/ValueSource.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import * as Refusal from "../../evm/powers/transfer/Refusal.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as Getter from "../Getter.js"

/**
 * Why there may be more ways to use a power than those that were found: of a code, or that it hands calls on to code that was
 * not found (`unresolved`), or that it could not be told who may replace it (`unknown_upgrade`). `names` are the functions
 * where it is so by their selectors, or the accounts that its transfers call.
 *
 * @since 0.1.0
 * @category models
 */
export interface PowerGap {
  readonly reason: Exclude<TokenPowers.Reason, "uncertain_lever"> | "unresolved" | "unknown_upgrade"
  readonly names: ReadonlyArray<string>
}

/**
 * Names are told once.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (reason: PowerGap["reason"], names: ReadonlyArray<string> = []): PowerGap => ({
  reason,
  names: [...new Set(names)].sort()
})

/**
 * A reason that a code gives, with where it is so.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inCode = (reason: Exclude<TokenPowers.Reason, "uncertain_lever">, { flow }: LogicContract): PowerGap => {
  switch (reason) {
    case "control_flow":
    case "write_location":
      return make(
        reason,
        flow.functions.filter(({ complete }) => !complete).map(({ selector }) => selector)
      )
    case "delegatecall":
      return make(
        reason,
        flow.delegations.filter(({ target }) => target.kind !== "self").flatMap(({ selectors }) => selectors)
      )
    case "uncertain_transfer":
      return make(reason, Refusal.callees(flow).map(nameOf))
    case "no_balances":
    case "external_books":
      return make(reason)
  }
}

/**
 * What stands in the way, in a sentence without its end.
 *
 * @since 0.1.0
 * @category combinators
 */
export const describe = (gaps: ReadonlyArray<PowerGap>): string => [...new Set(gaps.map(sentence))].join("; ")

const sentence = ({ names, reason }: PowerGap): string => {
  const some = listed(names)
  switch (reason) {
    case "control_flow":
      return `not every path through ${some ?? "its code"} was followed`
    case "write_location":
      return `it could not be told where ${some ?? "its code"} writes`
    case "delegatecall":
      return `${some ?? "its code"} runs other code on its storage`
    case "no_balances":
      return "no balances were found in its storage"
    case "external_books":
      return "its books may be kept by another contract"
    case "uncertain_transfer":
      return some === undefined
        ? "not all that its transfers go by could be told"
        : `its transfers may be decided by ${some}`
    case "unresolved":
      return "it hands calls on to code that was not found"
    case "unknown_upgrade":
      return "it could not be told who may replace its code"
  }
}

const maxNames = 4

const listed = (names: ReadonlyArray<string>): string | undefined => {
  if (names.length === 0) return undefined
  const more = names.length - maxNames
  return `${names.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const nameOf = (origin: ValueSource): string => {
  switch (origin.kind) {
    case "constant":
      return Address.fromWord(Getter.word(origin.value))
    case "storage":
      return `the account in slot ${origin.slot}`
    case "caller":
    case "argument":
    case "self":
      return "those whose transfer it is"
    case "value":
    case "time":
    case "unknown":
      return "an account that its code does not name"
  }
}
