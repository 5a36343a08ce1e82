import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a privileged account can reduce or move the balance of another account. Pools count as accounts.
 *
 * - Confirmed by the code, where a function that checks its caller does one of these: takes tokens from an account
 *   given as an argument without an allowance; withdraws user deposits, such as the assets behind a receipt token; sets
 *   an unlimited redemption rate; includes an account again in reflection fees at the cost of all other holders.
 * - Confirmed by the code, where an EIP-2771 forwarder can name the sender, or a privileged account sets the forwarder.
 * - Confirmed by simulation: a synthetic holder or the pool has a lower balance after the call.
 * - Refuted, unknown and not applicable as for token.pausable.
 */
export const balancesSeizable = Check.make({
  id: "token.balances-seizable",
  code: "K-09",
  version: 2,
  targets: ["token"],
  claim: "A privileged account can take or reduce balances",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "seize", does: "takes tokens from other accounts", describe: PowerClaim.plainly })
})
