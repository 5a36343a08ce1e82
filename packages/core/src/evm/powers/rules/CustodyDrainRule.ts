/** @internal */

import * as SingleUse from "../../token/SingleUse.js"
import * as CustodyDrain from "../custody/CustodyDrain.js"
import { anyCode, type DetectorRule } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/** A privileged account takes what others deposited into a contract, or allowed it to take. */
export const custodyDrain = {
  id: "custody-drain",
  powers: ["seize"],
  needs: anyCode,
  *find({ flow, token }) {
    return CustodyDrain.of(flow, token).map((drain) => ({
      power: "seize",
      levers: [Lever.appointed(drain)],
      mayBeSpent: ({ selector }) => SingleUse.isSingleUse(flow, selector)
    }))
  }
} as const satisfies DetectorRule
