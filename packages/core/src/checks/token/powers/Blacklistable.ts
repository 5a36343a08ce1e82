import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a privileged account can block the transfers of an account that it chooses.
 *
 * - Confirmed: a function that checks its caller adds accounts to a list, and transfers look up the sender, receiver or
 *   caller in that list; or a simulated call blocked the account given as an argument.
 * - Unknown as for token.pausable, and where transfers read the list only while a switch is off that no account can
 *   turn off.
 * - Refuted and not applicable as for token.pausable.
 */
export const blacklistable = Check.make({
  id: "token.blacklistable",
  code: "K-03",
  version: 2,
  targets: ["token"],
  claim: "Individual accounts can be blocked from transferring",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "blacklist", does: "blocks individual accounts", describe: PowerClaim.plainly })
})
