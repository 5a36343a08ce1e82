import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a privileged account can mint tokens.
 *
 * - Confirmed: a function that checks its caller increases the supply or a balance by an amount that no other balance
 *   loses, or sets the price of a public mint, or a simulated call of it minted tokens. It is not known that no account
 *   can call the function.
 * - Refuted: no function mints, the analysis covers all code, and the code cannot be replaced; or no account can call
 *   the function.
 * - Unknown: the analysis does not cover all code, the code can be replaced, or any account can call such a function
 *   (the deposit function of a wrapped token looks the same).
 */
export const mintable = Check.make({
  id: "token.mintable",
  code: "K-01",
  version: 2,
  targets: ["token"],
  claim: "The supply can be increased",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({
    power: "mint",
    does: "increases the supply",
    describe: PowerClaim.plainly,
    replaceable: "the code cannot mint now, but can be replaced by code that mints"
  })
})
