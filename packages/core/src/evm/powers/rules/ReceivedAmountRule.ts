/** @internal */

import * as ReceivedAmount from "../transfer/ReceivedAmount.js"
import { type DetectorRule, may } from "./DetectorRule.js"

/** Another amount may arrive than what is sent, on paths too many to be followed. */
export const receivedAmount = {
  id: "received-amount",
  powers: ["tax"],
  needs: ["token"],
  *doubts(model) {
    return may(yield* ReceivedAmount.isUneven(model), ["tax"])
  }
} as const satisfies DetectorRule
