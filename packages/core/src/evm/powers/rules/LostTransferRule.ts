/** @internal */

import * as TransferOutcome from "../transfer/TransferOutcome.js"
import type { DetectorRule } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"

/** A variable that sends the whole amount to another account than the receiver, or to nobody: a tax of 100%. */
export const lostTransfer = {
  id: "lost-transfer",
  powers: ["tax"],
  needs: ["token"],
  *find(model) {
    const { outcomes } = yield* TransferOutcome.of(model)
    return outcomes.filter(({ loses }) => loses).map((gate) => ({ ...GateLevers.signOf(model, gate), power: "tax" }))
  }
} as const satisfies DetectorRule
