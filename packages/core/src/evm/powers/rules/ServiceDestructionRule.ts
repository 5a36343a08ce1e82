/** @internal */

import { type DetectorRule, may } from "./DetectorRule.js"

/**
 * Whoever destroys a contract that others deal with stops it, which is no list and no limit, and takes the ether that it has.
 */
export const serviceDestruction = {
  id: "service-destruction",
  powers: ["pause", "seize"],
  needs: ["service"],
  *doubts(model) {
    return may(model.isDestructible(), ["pause", "seize"])
  }
} as const satisfies DetectorRule
