/** @internal */

import * as Refusal from "../transfer/Refusal.js"
import { type DetectorRule, may } from "./DetectorRule.js"
import { stopping } from "./Power.js"

/** A transfer can revert by another party's action rather than by a variable that an account sets. */
export const refusal = {
  id: "refusal",
  powers: stopping,
  needs: ["token", "neither"],
  *doubts(model) {
    const { ofAll, ofSome } = Refusal.of(model.flow, model.token, model.isDestructible())
    return { ...may(ofAll, ["pause", "limit"]), ...may(ofSome, ["blacklist", "whitelist"]) }
  }
} as const satisfies DetectorRule
