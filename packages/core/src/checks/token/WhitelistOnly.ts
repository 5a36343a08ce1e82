import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether a transfer needs its sender or receiver to be on a list that somebody appointed keeps.
 *
 * - Confirmed: the code asks for an entry of the list and a function behind a condition on its caller makes entries, or
 *   a made-up account could not transfer until that function was called about it, as simulated.
 * - Unknown as for token.pausable, and where only who is on the list goes on while a switch is on, or shut again (which
 *   that tells), or where it cannot be told whether another list, which the list spares, is of places of trade or of those
 *   who are stopped.
 * - Refuted and not applicable as for token.pausable.
 *
 * @since 0.1.0
 * @category models
 */
export const whitelistOnly = Check.make({
  id: "token.whitelist-only",
  code: "K-04",
  version: 1,
  targets: ["token"],
  claim: "Only accounts on a list can transfer",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({
    power: "whitelist",
    does: "keeps a list of those who may transfer",
    describe: PowerClaim.plainly
  })
})
