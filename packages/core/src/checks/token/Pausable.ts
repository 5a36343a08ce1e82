import * as Check from "../Check.js"
import * as PowerClaim from "./PowerClaim.js"

/**
 * Whether somebody appointed can stop all transfers, or decides when they begin.
 *
 * - Confirmed: a function behind a condition on its caller sets what every transfer asks before it goes through, or was
 *   seen to stop or release a transfer in simulation, and whoever may call it is not known to be nobody.
 * - Refuted: no function does, and all code that answers was followed to its end and stays; or nobody may call it.
 * - Unknown: some code could not be followed, or a function may do it.
 * - Does not apply to code without such a function that somebody can replace.
 *
 * @since 0.1.0
 * @category models
 */
export const pausable = Check.make({
  id: "token.pausable",
  code: "K-02",
  version: 1,
  targets: ["token"],
  claim: "Transfers can be stopped",
  polarity: "risk",
  severity: "high",
  dimension: "control",
  power: true,
  value: PowerClaim.value,
  run: PowerClaim.run({ power: "pause", does: "stops transfers", describe: PowerClaim.plainly })
})
