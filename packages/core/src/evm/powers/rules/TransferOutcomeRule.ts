/** @internal */

import * as TransferOutcome from "../transfer/TransferOutcome.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"
import { stopping } from "./Power.js"

/** A variable that makes a transfer fail or miss its receiver without an explicit requirement. */
export const transferOutcome = {
  id: "transfer-outcome",
  powers: stopping,
  needs: ["token"],
  *find(model) {
    return (yield* TransferOutcome.of(model)).outcomes.map((gate) => GateLevers.signOf(model, gate))
  },
  *doubts(model) {
    return may((yield* TransferOutcome.of(model)).untold, stopping)
  }
} as const satisfies DetectorRule
