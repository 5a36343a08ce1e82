/** @internal */

import * as Selectors from "../../bytecode/Selectors.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"

/**
 * Whether a write is part of letting an account back into a book of shares, out of which it stood on a list that balanceOf()
 * asks: its entry in the other book is emptied, and its shares are those of the day it was left out. As transfers lower
 * what all shares are out of, a share has become worth more since, and the shares that come back make all others worth
 * less: whoever bought while the account was out loses a part of what he paid for, to an account that he did not choose.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isReadmission = (
  flow: StorageFlow,
  token: TokenBooks.TokenBooks,
  candidate: FunctionFlow,
  write: Write
): boolean => {
  const ofSameAccount = ({ keys: [account] }: Write): boolean =>
    JSON.stringify(account) === JSON.stringify(write.keys[0])
  const asked = Erc20.functionOf(flow, Selectors.functions.balanceOf)?.reads ?? []
  return (
    write.change.kind === "clear" &&
    !candidate.writes.some(
      (other) => other.slot !== write.slot && TokenBooks.isOfBalances(token, other) && ofSameAccount(other)
    ) &&
    candidate.writes.some(
      (other) =>
        (other.change.kind === "clear" || other.change.kind === "keep") &&
        ofSameAccount(other) &&
        !TokenBooks.isOfBalances(token, other) &&
        asked.some((read) => read.slot === other.slot && TokenBooks.asks(read.keys, 1))
    ) &&
    token.scalings.some(
      (scaling) =>
        !scaling.slot.includes("[") &&
        flow.functions.some(
          ({ selector, writes }) =>
            Erc20.transferSelectors.has(selector) &&
            writes.some(({ change, mask, slot }) => change.kind === "decrease" && isOneOf([scaling], slot, mask))
        )
    )
  )
}
