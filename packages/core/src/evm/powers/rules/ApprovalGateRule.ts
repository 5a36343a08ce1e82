/** @internal */

import * as ApprovalGate from "../transfer/ApprovalGate.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"
import { stopping } from "./Power.js"

/** A variable besides allowances, or another contract, that approve() depends on. */
export const approvalGate = {
  id: "approval-gate",
  powers: stopping,
  needs: ["token"],
  *find(model) {
    return (yield* ApprovalGate.of(model)).map((gate) => GateLevers.signOf(model, gate))
  },
  *doubts({ flow }) {
    yield undefined
    return may(ApprovalGate.isAnswered(flow), stopping)
  }
} as const satisfies DetectorRule
