/** @internal */

import * as Conservation from "../../token/Conservation.js"
import * as Erc20 from "../../token/Erc20.js"
import * as SingleUse from "../../token/SingleUse.js"
import * as Service from "../custody/Service.js"
import * as MintWriter from "../mint/MintWriter.js"
import { anyCode, type DetectorRule } from "./DetectorRule.js"
import * as Lever from "./Lever.js"

/**
 * A transfer gives more than it takes. It may where its paths could not be added up, nor its writes be matched one with another.
 * A transfer of the owner may also set the index that all balances are multiplied with.
 */
export const transferMint = {
  id: "transfer-mint",
  powers: ["mint"],
  needs: anyCode,
  *find({ flow, token }) {
    yield undefined
    return MintWriter.ofTransfers(flow, token).map((writer) => ({
      power: "mint",
      levers: [Lever.of(writer)],
      mayBeSpent: ({ selector }) => SingleUse.isSingleUse(flow, selector)
    }))
  },
  *doubts(model) {
    const { flow, token } = model
    const followed = yield* Conservation.ofTreesInSlices(yield* model.sums(), token.balances)
    if (followed === "creates") return { mint: "does" }
    const isBalanced =
      token.balances.length === 1 &&
      Erc20.transfers.every(({ selector }) => {
        const candidate = Erc20.functionOf(flow, selector)
        return candidate === undefined || MintWriter.isBalanced(candidate, token)
      })
    // A contract without tokens of its own mints nothing by transfers, even where another contract mints for it.
    const isUnknown = followed === "unknown" && !isBalanced && (yield* Service.ofModel(model)) === undefined
    return isUnknown ? { mint: "may" } : {}
  }
} as const satisfies DetectorRule
