/** @internal */

import * as Selectors from "../bytecode/Selectors.js"
import type { ValueSource } from "../expression/ValueSource.js"
import type { Variable } from "../expression/Variable.js"
import { isOneOf, maskOf, type Place, wholeWord } from "../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import * as Erc20 from "./Erc20.js"

/**
 * The variables of an ERC-20 token, as its standard getters read them.
 *
 * `supply` is what totalSupply() returns, `balances` and `allowances` are the mappings that balanceOf() and allowance()
 * read with their arguments, `scalings` are the other values that balanceOf() computes with (an index or rate, in
 * rebasing tokens). `external` says that one of them calls another contract, so that the balances are kept elsewhere.
 */
export interface TokenBooks {
  readonly supply: ReadonlyArray<Variable>
  readonly balances: ReadonlyArray<Variable>
  readonly allowances: ReadonlyArray<Variable>
  readonly scalings: ReadonlyArray<Variable>
  readonly external: boolean
}

/** Finds the variables of a token; all lists are empty for code that has no such getters. */
export const of = (flow: StorageFlow): TokenBooks => {
  const ofSupply = Erc20.functionOf(flow, Selectors.functions.totalSupply)
  const ofBalance = Erc20.functionOf(flow, Selectors.functions.balanceOf)
  const ofAllowance = Erc20.functionOf(flow, Selectors.functions.allowance)
  const balances = variablesOf(ofBalance, (keys) => asks(keys, 1))
  return {
    supply: variablesOf(ofSupply, () => true).filter((variable) => !isOneOf(balances, variable.slot, variable.mask)),
    balances,
    allowances: variablesOf(ofAllowance, (keys) => asks(keys, 2)),
    scalings: variablesOf(ofBalance, (keys) => !asks(keys, 1)),
    external: [ofSupply, ofBalance].some((getter) =>
      getter?.calls.some((call) => call.kind !== "delegatecall" || call.target.some((target) => target.kind !== "self"))
    )
  }
}

/** The variables that a getter returns; values that it only tests (is the account excluded?) do not count. */
const variablesOf = (
  getter: FunctionFlow | undefined,
  accept: (keys: ReadonlyArray<ValueSource>) => boolean
): ReadonlyArray<Variable> => {
  if (getter === undefined) return []
  const accepted = new Set(getter.reads.filter((read) => accept(read.keys)).map((read) => read.slot))
  // Where the answer itself could not be read, everything that was looked at may be in it.
  const answered =
    getter.returns ?? (getter.calls.length > 0 ? [] : [...accepted].map((slot) => ({ slot, mask: wholeWord })))
  return answered.filter((variable) => accepted.has(variable.slot))
}

/** Whether each of the first `count` arguments is a key of an entry. */
export const asks = (keys: ReadonlyArray<ValueSource>, count: number): boolean =>
  new Set(
    keys.flatMap((key) => (key.kind === "argument" && key.index !== undefined && key.index < count ? [key.index] : []))
  ).size === count

/** All variables of a token. */
export const booksOf = (token: TokenBooks): ReadonlyArray<Variable> => [
  ...token.supply,
  ...token.balances,
  ...token.allowances,
  ...token.scalings
]

/** Whether a slot has bits of any of these variables. */
export const isBook = (token: TokenBooks, { field, slot }: Place): boolean =>
  isOneOf(booksOf(token), slot, maskOf(field))

/** Whether a write is one to the balances of a token. */
export const isOfBalances = ({ balances }: TokenBooks, { mask, slot }: Pick<Write, "mask" | "slot">): boolean =>
  isOneOf(balances, slot, mask)

/** Whether a variable is part of the value of a share, for tokens with balances in shares. */
export const isWorth = ({ scalings, supply }: TokenBooks, place: string): boolean =>
  [...scalings, ...supply].some(({ slot }) => slot === place)

/** Whether a write sets what balanceOf() multiplies or divides with as the caller says, and all balances with it. */
export const isRescaling = ({ change, mask, slot }: Write, token: TokenBooks): boolean =>
  !slot.includes("[") &&
  isOneOf(token.scalings, slot, mask) &&
  change.kind === "set" &&
  change.amount.some((origin) => origin.kind === "argument")
