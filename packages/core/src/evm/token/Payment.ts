/** @internal */

import * as Selectors from "../bytecode/Selectors.js"
import type { ValueSource } from "../expression/ValueSource.js"
import type { Call } from "../summary/conditions/FunctionFlow.js"

/**
 * What a call pays, and whom: ether, or a token that is moved or made. `certain` is false of an order that no standard
 * knows, read as if the account came first and the amount second.
 */
export interface Payment {
  readonly receiver: ReadonlyArray<ValueSource>
  readonly amount: ReadonlyArray<ValueSource>
  readonly certain: boolean
}

/** Reads the payment in a call; none where it gives no order that can be read. */
export const of = ({ order, target }: Call): Payment | undefined => {
  if (order === undefined) return undefined
  if (order.value !== undefined) return { receiver: target, amount: order.value, certain: true }
  const [first = [], second = [], third = []] = order.input
  switch (order.selector) {
    case Selectors.functions.transfer:
    case Selectors.functions.mint:
      return { receiver: first, amount: second, certain: true }
    case Selectors.functions.transferFrom:
      return { receiver: second, amount: third, certain: true }
    default:
      return { receiver: first, amount: second, certain: false }
  }
}
