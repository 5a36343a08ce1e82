/** @internal */

import * as ShownBalance from "../transfer/ShownBalance.js"
import type { DetectorRule } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"
import { stopping } from "./Power.js"

/** A variable by which balanceOf() may answer one account differently from others. */
export const shownBalance = {
  id: "shown-balance",
  powers: stopping,
  needs: ["token"],
  *find(model) {
    return (yield* ShownBalance.of(model)).map((gate) => GateLevers.signOf(model, gate))
  }
} as const satisfies DetectorRule
