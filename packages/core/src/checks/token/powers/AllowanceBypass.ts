import * as Check from "../../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a privileged account can spend the tokens of holders that approved no allowance: `transferFrom` skips the
 * allowance check for it, or a function grants it the allowance. A skipped check for Permit2 does not count, because
 * Permit2 requires the holder's signature.
 *
 * - Confirmed: the code skips the check for an account that it compares with the caller, or trusts an EIP-2771
 *   forwarder to name the spender, or a simulated call moved the tokens of a synthetic holder.
 * - Refuted, unknown and not applicable as for token.pausable.
 */
export const allowanceBypass = Check.make({
  id: "token.allowance-bypass",
  code: "K-10",
  version: 2,
  targets: ["token"],
  claim: "Tokens can be spent without an allowance",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "bypass", does: "spends tokens without an allowance", describe: PowerClaim.plainly })
})
