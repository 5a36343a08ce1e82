import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a transfer requires its sender or receiver to be on a list that a privileged account maintains.
 *
 * - Confirmed: transfers require a list entry and a function that checks its caller writes entries, or in simulation a
 *   synthetic account could transfer only after a call of that function.
 * - Unknown as for token.pausable, and where the list matters only while a switch is on, or off again (token.pausable
 *   reports that switch), or where the list exempts from another list that may hold either exchanges or blocked
 *   accounts.
 * - Refuted and not applicable as for token.pausable.
 */
export const whitelistOnly = Check.make({
  id: "token.whitelist-only",
  code: "K-04",
  version: 2,
  targets: ["token"],
  claim: "Only whitelisted accounts can transfer",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({
    power: "whitelist",
    does: "edits the list of accounts that can transfer",
    describe: PowerClaim.plainly
  })
})
