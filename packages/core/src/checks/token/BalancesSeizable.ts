import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether somebody appointed can lower or move what another account holds, the pool among them.
 *
 * - Confirmed: a function behind a condition on its caller takes tokens off an account that it is told, without asking
 *   for an allowance, or takes what others put into the contract and can take out again, as a receipt's backing, or says
 *   without a limit what is paid out for it; or it lets an account back among those who share fees, at the cost of all
 *   others; or a key is trusted to name the sender, or somebody says whose is (EIP-2771); or a made-up holder, or the pool,
 *   had less after a call of it in simulation.
 * - Refuted, unknown and not applicable as for token.pausable.
 *
 * @since 0.1.0
 * @category models
 */
export const balancesSeizable = Check.make({
  id: "token.balances-seizable",
  code: "K-09",
  version: 1,
  targets: ["token"],
  claim: "Balances can be taken or lowered by somebody else",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "seize", does: "takes tokens of others", describe: PowerClaim.plainly })
})
