/** @internal */

import * as Selectors from "../../bytecode/Selectors.js"
import { isOneOf } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import * as TokenBooks from "../../token/TokenBooks.js"

/**
 * Whether a write is part of a function that includes an account in reflection again (`includeInReward`): it clears the
 * account's entry in the plain mapping, and the account gets back the shares of the day it was excluded. Transfer fees
 * have made each share worth more since, so the returning shares take value from all other holders, in favour of an
 * account that they did not choose.
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
