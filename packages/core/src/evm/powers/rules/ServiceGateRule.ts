/** @internal */

import * as Service from "../custody/Service.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import * as GateLevers from "./GateLevers.js"
import { stopping } from "./Power.js"

/** A variable that decides whether users can use a service, or at what rate. */
export const serviceGate = {
  id: "service-gate",
  powers: [...stopping, "tax"],
  needs: ["service"],
  *find(model) {
    return ((yield* Service.ofModel(model))?.gates ?? []).map((gate) => GateLevers.signOf(model, gate))
  },
  *doubts(model) {
    return may((yield* Service.ofModel(model))?.isStoppedElsewhere === true, stopping)
  }
} as const satisfies DetectorRule
