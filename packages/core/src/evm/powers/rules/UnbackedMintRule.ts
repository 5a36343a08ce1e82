/** @internal */

import * as SingleUse from "../../token/SingleUse.js"
import * as MintWriter from "../mint/MintWriter.js"
import * as UnbackedMint from "../mint/UnbackedMint.js"
import { anyCode, type DetectorRule } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/** A function that makes tokens for which nobody pays what they are worth. */
export const unbackedMint = {
  id: "unbacked-mint",
  powers: ["mint"],
  needs: anyCode,
  *find(model) {
    const { flow, token } = model
    const writers = yield* UnbackedMint.of(model, MintWriter.of(flow, token))
    return writers
      .filter((writer) => writer.privileged || !UnbackedMint.isPaidInEther(writer))
      .map((writer) => ({
        power: "mint",
        levers: [Lever.of(writer)],
        mayBeSpent: ({ selector }) => SingleUse.isSingleUse(flow, selector)
      }))
  }
} as const satisfies DetectorRule
