/** @internal */

import * as SingleUse from "../../token/SingleUse.js"
import * as Service from "../custody/Service.js"
import { type DetectorRule, may, type Sign } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/**
 * A privileged account rewrites what is due to an account, mints another contract's tokens, or pays out what is not
 * due.
 */
export const serviceDue = {
  id: "service-due",
  powers: ["mint", "seize"],
  needs: ["service"],
  *find(model) {
    return ((yield* Service.ofModel(model))?.dues ?? []).map((due): Sign => {
      const levers = [Lever.appointed(due)]
      return due.kind === "lowers"
        ? { power: "seize", levers }
        : { power: "mint", levers, mayBeSpent: ({ selector }) => SingleUse.isSingleUse(model.flow, selector) }
    })
  },
  *doubts(model) {
    const service = yield* Service.ofModel(model)
    return { ...may(service?.makesTokens === true, ["mint"]), ...may(service?.sendsAway === true, ["seize"]) }
  }
} as const satisfies DetectorRule
