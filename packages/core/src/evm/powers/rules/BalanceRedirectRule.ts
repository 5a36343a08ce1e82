/** @internal */

import * as SingleUse from "../../token/SingleUse.js"
import * as BalanceRedirect from "../balance/BalanceRedirect.js"
import { anyCode, type DetectorRule } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/** A function by which balanceOf() looks elsewhere from then on. */
export const balanceRedirect = {
  id: "balance-redirect",
  powers: ["seize"],
  needs: anyCode,
  *find({ flow, token }) {
    return BalanceRedirect.of(flow, token).map((redirect) => ({
      power: "seize",
      levers: [Lever.of(redirect)],
      certain: redirect.certain,
      mayBeSpent: ({ selector }) => SingleUse.isSingleUse(flow, selector)
    }))
  }
} as const satisfies DetectorRule
