/** @internal */

import * as AddressBook from "../../../data/AddressBook.js"
import * as BalanceSeizure from "../balance/BalanceSeizure.js"
import * as Spending from "../balance/Spending.js"
import { anyCode, type DetectorRule } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/** A function takes tokens from others, or lets an account without an allowance spend them. */
export const balanceSeizure = {
  id: "balance-seizure",
  powers: ["seize", "bypass"],
  needs: anyCode,
  *find(model) {
    const { flow, token } = model
    const transfers = yield* model.transfers()
    return BalanceSeizure.of(flow, token)
      .filter((seizure) => !isOfPermit2(seizure) && !Spending.isCleared(seizure, token, transfers))
      .map((seizure) => ({
        power: seizure.kind === "balance" ? "seize" : "bypass",
        levers: [Lever.of(seizure)],
        certain: seizure.certain
      }))
  }
} as const satisfies DetectorRule

/** Permit2 moves nothing without its holder's signature, so that letting it through is no power of anybody's. */
const isOfPermit2 = ({ guards, kind }: BalanceSeizure.BalanceSeizure): boolean =>
  kind !== "balance" &&
  guards.length > 0 &&
  guards.every((guard) => guard.kind === "constant" && guard.address === AddressBook.permit2)
