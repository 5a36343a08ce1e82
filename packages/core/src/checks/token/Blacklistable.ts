import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether somebody appointed can stop the transfers of an account that he chooses.
 *
 * - Confirmed: a function behind a condition on its caller enters accounts in a list that a transfer asks about its
 *   sender, receiver or caller, or was seen in simulation to stop the account it was called about.
 * - Unknown as for token.pausable, and where the list is asked only while a switch is shut that nobody can shut.
 * - Refuted and not applicable as for token.pausable.
 *
 * @since 0.1.0
 * @category models
 */
export const blacklistable = Check.make({
  id: "token.blacklistable",
  code: "K-03",
  version: 1,
  targets: ["token"],
  claim: "Single accounts can be stopped from transferring",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "blacklist", does: "stops single accounts", describe: PowerClaim.plainly })
})
