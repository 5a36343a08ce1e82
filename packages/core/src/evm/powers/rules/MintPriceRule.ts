/** @internal */

import * as SingleUse from "../../token/SingleUse.js"
import * as MintPrice from "../mint/MintPrice.js"
import { anyCode, type DetectorRule } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/** A privileged account sets the price at which tokens are minted. */
export const mintPrice = {
  id: "mint-price",
  powers: ["mint"],
  needs: anyCode,
  *find({ flow, token }) {
    return MintPrice.of(flow, token).map(({ field, setter, slot }) => ({
      power: "mint",
      levers: [{ ...Lever.appointed({ ...setter, certain: true }), variable: { slot, field, passes: undefined } }],
      mayBeSpent: ({ selector }) => SingleUse.isSingleUse(flow, selector)
    }))
  }
} as const satisfies DetectorRule
