import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether somebody appointed can bound how much is moved or held, or how often.
 *
 * - Confirmed: a function behind a condition on its caller sets a number that a transfer compares amounts, balances or
 *   times with, or was seen in simulation to stop a transfer by it.
 * - Refuted, unknown and not applicable as for token.pausable.
 *
 * @since 0.1.0
 * @category models
 */
export const limitsChangeable = Check.make({
  id: "token.limits-changeable",
  code: "K-07",
  version: 1,
  targets: ["token"],
  claim: "Limits on transfers can be changed",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "limit", does: "sets a limit of transfers", describe: PowerClaim.plainly })
})
