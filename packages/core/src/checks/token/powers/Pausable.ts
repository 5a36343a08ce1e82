import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a privileged account can stop all transfers, or decide when they start.
 *
 * - Confirmed: a function that checks its caller sets a variable that every transfer requires, or a simulated call of
 *   it stopped or enabled a transfer. It is not known that no account can call the function.
 * - Refuted: no function stops transfers, the analysis covers all code, and the code cannot be replaced; or no account
 *   can call the function.
 * - Unknown: the analysis does not cover all code, or a function may stop transfers.
 * - Does not apply where the code has no such function but can be replaced.
 */
export const pausable = Check.make({
  id: "token.pausable",
  code: "K-02",
  version: 2,
  targets: ["token"],
  claim: "Transfers can be paused",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "pause", does: "stops transfers", describe: PowerClaim.plainly })
})
