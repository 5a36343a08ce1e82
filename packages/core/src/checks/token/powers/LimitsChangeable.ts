import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a privileged account can limit the size or frequency of transfers, or the balance of an account.
 *
 * - Confirmed: a function that checks its caller sets a number that transfers compare with an amount, balance or time,
 *   or a simulated call of it with a new limit stopped a transfer.
 * - Refuted, unknown and not applicable as for token.pausable.
 */
export const limitsChangeable = Check.make({
  id: "token.limits-changeable",
  code: "K-07",
  version: 2,
  targets: ["token"],
  claim: "Transfer limits can be changed",
  polarity: "risk",
  severity: "medium",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "limit", does: "sets a transfer limit", describe: PowerClaim.plainly })
})
