import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether somebody appointed can make more of the token.
 *
 * - Confirmed: a function behind a condition on its caller raises the supply or a balance by an amount that is not on
 *   the token's own books, or sets the price at which tokens are made for whoever pays, or was seen to make some in
 *   simulation, and whoever may call it is not known to be nobody.
 * - Refuted: no function does, and all code that answers was followed to its end and stays; or nobody passes the condition.
 * - Unknown: some code could not be followed, or can be replaced, or anybody can call such a function (a wrapper's deposit
 *   looks so too).
 *
 * @since 0.1.0
 * @category models
 */
export const mintable = Check.make({
  id: "token.mintable",
  code: "K-01",
  version: 1,
  targets: ["token"],
  claim: "The supply can be increased",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({
    power: "mint",
    does: "raises the supply",
    describe: PowerClaim.plainly,
    replaceable: [Check.unknown("inconclusive", "the code can be replaced by code that raises the supply")]
  })
})
