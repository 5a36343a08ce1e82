/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../bytecode/Selectors.js"
import type { Circumstance } from "../expression/Circumstance.js"
import { isOfContract, type ValueSource } from "../expression/ValueSource.js"
import type { Entry } from "../summary/conditions/Deciding.js"
import { isOneOf, wholeWord } from "../summary/conditions/FieldMask.js"
import type { FunctionFlow, StorageFlow } from "../summary/StorageFlow.js"
import * as Erc20 from "./Erc20.js"
import * as TokenBooks from "./TokenBooks.js"
import * as VariableWriter from "./VariableWriter.js"

/** What trades of a token depend on besides their parties, amounts, time and storage. */
export interface TradeCircumstances {
  /** Everything that a transfer depends on, even if it only decides how much the contract swaps of its own tokens. */
  readonly any: ReadonlySet<Circumstance>
  /** What decides whether a transfer or an approval succeeds, or what `balanceOf` returns, which pools read. */
  readonly deciding: ReadonlySet<Circumstance>
}

/**
 * The circumstances of the transfers of a code, of `approve` and of `balanceOf`.
 *
 * `approve` and `balanceOf` have nothing to do but to write and to read an entry, so all that they depend on counts. The return
 * value of another contract does not: who can replace that contract is found elsewhere. `functionOf` gives these functions as they
 * are once some variables can no longer change; those of the code by default.
 */
export const of = (
  flow: StorageFlow,
  functionOf: (selector: Hex) => FunctionFlow | undefined = (selector) => Erc20.functionOf(flow, selector)
): TradeCircumstances => {
  const token = TokenBooks.of(flow)
  // Nobody has more than there is.
  const isLess = ({ against }: Entry): boolean =>
    against?.every((slot) => isOneOf(TokenBooks.booksOf(token), slot, wholeWord)) === true
  const holding = (
    entries: ReadonlyArray<Entry>,
    isNamed: (key: ValueSource) => boolean
  ): ReadonlyArray<Circumstance> =>
    entries.some(
      (entry) =>
        !isLess(entry) &&
        (entry.keys.length === 0
          ? VariableWriter.isHashed(flow, entry.slot)
          : entry.keys.every(isNamed) && isOneOf(token.balances, entry.slot, wholeWord))
    )
      ? ["holding"]
      : []
  const transfers = Erc20.transfers.flatMap(({ selector }) => functionOf(selector) ?? [])
  const others = besides.flatMap((selector) => functionOf(selector) ?? [])
  const deciding = [...transfers, ...others].flatMap((one) => [
    ...(one.deciding?.circumstances ?? []),
    // What a pool holds that a variable names changes with each trade, which trades show.
    ...holding(one.deciding?.entries ?? [], ({ kind }) => kind === "self" || kind === "constant")
  ])
  const aside = others.flatMap((one) => [
    ...(one.circumstances ?? []).filter((kind) => kind !== "answer"),
    ...holding(one.reads, (key) => key.kind === "self" || isOfContract(key))
  ])
  return {
    any: new Set(transfers.flatMap(({ circumstances }) => circumstances ?? [])),
    deciding: new Set([...deciding, ...aside])
  }
}

/** Functions besides the transfers that trades call. */
const besides = [Selectors.functions.approve, Selectors.functions.balanceOf]
