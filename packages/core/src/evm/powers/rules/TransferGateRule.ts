/** @internal */

import * as TransferGate from "../transfer/TransferGate.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"
import { stopping } from "./Power.js"

/** A variable that a transfer requires, or multiplies the received amount with. */
export const transferGate = {
  id: "transfer-gate",
  powers: [...stopping, "tax"],
  needs: ["token"],
  *find(model) {
    return (yield* TransferGate.ofFlow(model.flow)).map((gate) => GateLevers.signOf(model, gate))
  },
  *doubts(model) {
    const { flow, token } = model
    const isListed = yield* TransferGate.isListedByApproval(model)
    return {
      ...may(isListed || TransferGate.isUntold(flow) || TransferGate.isStoppedByBooks(flow, token), stopping),
      ...may(isListed || TransferGate.isTaxedElsewhere(flow, token), ["tax"])
    }
  }
} as const satisfies DetectorRule
