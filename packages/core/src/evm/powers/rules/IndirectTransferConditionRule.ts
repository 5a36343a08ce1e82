/** @internal */

import * as IndirectTransferCondition from "../transfer/IndirectTransferCondition.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"
import { stopping } from "./Power.js"

/** A variable that a transfer depends on through balanceOf(). */
export const indirectTransferCondition = {
  id: "indirect-transfer-condition",
  powers: stopping,
  needs: ["token"],
  *find(model) {
    return (yield* IndirectTransferCondition.of(model)).map((gate) => GateLevers.signOf(model, gate))
  },
  *doubts(model) {
    return may(yield* IndirectTransferCondition.isAskedFromOutside(model), stopping)
  }
} as const satisfies DetectorRule
