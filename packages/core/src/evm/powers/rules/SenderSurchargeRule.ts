/** @internal */

import * as SenderSurcharge from "../transfer/SenderSurcharge.js"
import { type DetectorRule, may } from "./DetectorRule.js"

/** More may be taken off what a sender has than what he sends. */
export const senderSurcharge = {
  id: "sender-surcharge",
  powers: ["tax"],
  needs: ["token"],
  *doubts(model) {
    return may(yield* SenderSurcharge.mayBe(model), ["tax"])
  }
} as const satisfies DetectorRule
