import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether somebody appointed can spend the tokens of accounts that allowed nothing: transferFrom() lets him through, or
 * a function gives him the allowance. That Permit2 is let through is no such power, as it asks for the holder's signature.
 *
 * - Confirmed: the code lets an account through that it compares its caller with, or takes a key's word for who spends
 *   (EIP-2771), or a made-up holder's tokens were moved in simulation.
 * - Refuted, unknown and not applicable as for token.pausable.
 *
 * @since 0.1.0
 * @category models
 */
export const allowanceBypass = Check.make({
  id: "token.allowance-bypass",
  code: "K-10",
  version: 1,
  targets: ["token"],
  claim: "Tokens can be spent without an allowance",
  polarity: "risk",
  severity: "critical",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "bypass", does: "spends tokens without an allowance", describe: PowerClaim.plainly })
})
