/** @internal */

import * as Erc20 from "./Erc20.js"
import type { Write } from "./FunctionFlow.js"
import { unique } from "./Origin.js"
import { isOneOf, wholeWord } from "./Overlap.js"
import * as Selectors from "./Selectors.js"
import * as Setter from "./Setter.js"
import type { StorageFlow } from "./StorageFlow.js"
import * as TokenBooks from "./TokenBooks.js"

/**
 * A function by which balanceOf() looks elsewhere from then on: it sets a variable that says which entry is an account's, as
 * the number of a period does. What accounts had stays written down, and is theirs no more.
 *
 * `certain` is false where the variable shares its word with others, is one of each account, or where balanceOf() only asks
 * it on the way, so that it may decide nothing.
 *
 * @since 0.1.0
 * @category models
 */
export interface Displacement extends Setter.Setter {
  readonly certain: boolean
}

/**
 * The functions that put other entries in the place of balances.
 *
 * @since 0.1.0
 * @category combinators
 */
export const of = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks = TokenBooks.of(flow)
): ReadonlyArray<Displacement> => {
  const getter = Erc20.functionOf(flow, Selectors.functions.balanceOf)
  if (getter === undefined || token.balances.length === 0) return []
  const deciding = unique(
    getter.reads
      .filter(({ slot }) => isOneOf(token.balances, slot, wholeWord))
      .flatMap(({ keys }) => keys.flatMap((key) => (key.kind === "storage" ? [key.slot] : [])))
  )
  return deciding.flatMap((slot) =>
    Setter.of(flow, token, slot, undefined).flatMap((setter): ReadonlyArray<Displacement> => {
      const moving = setter.writes.filter(({ change, lasts, own }) => lasts && !own && change.kind !== "keep")
      if (moving.length === 0) return []
      const certain = !slot.includes("[") && isWhole(flow, slot) && moving.some(isChange)
      return [{ ...setter, writes: moving, certain }]
    })
  )
}

const isWhole = (flow: StorageFlow, slot: string): boolean =>
  flow.functions.every(({ writes }) => writes.every((write) => write.slot !== slot || write.mask === wholeWord))

/** Whether a write leaves no doubt that something else is there afterwards, or may be if whoever calls it likes. */
const isChange = ({ change }: Write): boolean =>
  change.kind === "increase" || (change.kind === "set" && change.amount.some(({ kind }) => kind === "argument"))
