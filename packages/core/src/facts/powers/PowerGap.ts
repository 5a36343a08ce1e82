/** @internal */

import * as Address from "../../domain/Address.js"
import type * as Controller from "../../domain/Controller.js"
import type { ValueSource } from "../../evm/expression/ValueSource.js"
import type * as TokenPowers from "../../evm/powers/TokenPowers.js"
import type { TransferHook } from "../../evm/powers/transfer/TransferHook.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as Getter from "../Getter.js"

/**
 * Why there may be more ways to use a power than those that were found: a gap of a code, delegation to code that was
 * not found (`unresolved`), an unknown upgrade path (`unknown_upgrade`), members of roles that no event shows
 * (`unread_grants`), or a token that the chain itself implements (`chain_code`). `names` are the selectors of the functions
 * with a gap, or the contracts that its transfers call. `by` are all accounts that can use the power if it exists, null
 * where that is not known.
 */
export interface PowerGap {
  readonly reason:
    | Exclude<TokenPowers.Reason, "uncertain_lever">
    | "unresolved"
    | "unknown_upgrade"
    | "unread_grants"
    | "chain_code"
  readonly names: ReadonlyArray<string>
  readonly by: ReadonlyArray<Controller.Controller> | null
}

/** Each name appears once. */
export const make = (
  reason: PowerGap["reason"],
  names: ReadonlyArray<string> = [],
  by: PowerGap["by"] = null
): PowerGap => ({
  reason,
  names: [...new Set(names)].sort(),
  by
})

/** A reason that a code gives, with where it is so. */
export const inCode = (
  reason: Exclude<TokenPowers.Reason, "uncertain_lever" | "external_call">,
  { flow }: LogicContract
): PowerGap => {
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
    case "no_balances":
    case "external_books":
    case "uncertain_transfer":
      return make(reason)
  }
}

/**
 * That transfers call contracts that can refuse them or change their amounts; `by` are all who can name the contracts, where
 * there are none yet.
 */
export const ofHooks = (hooks: ReadonlyArray<TransferHook>, by: PowerGap["by"] = null): PowerGap =>
  make(
    "external_call",
    hooks.map(({ target }) => nameOf(target)),
    by
  )

/** The gaps as one sentence without a full stop. */
export const describe = (gaps: ReadonlyArray<PowerGap>): string => [...new Set(gaps.map(sentence))].join("; ")

const sentence = ({ names, reason }: PowerGap): string => {
  const some = listed(names)
  switch (reason) {
    case "control_flow":
      return `not all code paths of ${some ?? "the contract"} could be analysed`
    case "write_location":
      return `the storage location that ${some ?? "the contract"} writes to is unknown`
    case "delegatecall":
      return `${some ?? "the contract"} delegates calls to other code`
    case "no_balances":
      return "no balances were found in the storage"
    case "external_books":
      return "another contract may hold the balances"
    case "external_call":
      return `transfers may depend on ${some ?? "another contract"}`
    case "uncertain_transfer":
      return "not all conditions of transfers are known"
    case "unresolved":
      return "calls are delegated to code that was not found"
    case "unknown_upgrade":
      return "the account that can replace the code is unknown"
    case "unread_grants":
      return "the members of its roles were not all read"
    case "chain_code":
      return "the token is implemented by the chain itself, so there is no code to read"
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
      return "the parties of the transfer"
    case "value":
    case "time":
    case "unknown":
      return "an account that the code does not name"
  }
}
