import { yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"

/** Tokens that cheat their pool of what a sale brings it, or of what it holds. */
export const write = ({ stage, arm, left, open, place }: Launch) => {
  const { issuer, rewards } = stage.accounts

  const trap = {
    spenderTrap: open(
      place("SpenderToken", "Sow Thistle", "SWTH", issuer),
      "who is asked to move it into the pool loses his allowance and moves nothing",
      { "trade.honeypot": yes("routers move nothing into the pair") },
      (pair) => [arm(pair)]
    ),
    pairLiar: left(
      place("PairLiarToken", "Knapweed", "KNPW", issuer),
      "renounced, and tells its pool that nothing came in",
      { "trade.honeypot": yes("the pair is told that nothing came in") }
    ),
    sliver: left(
      place("SliverToken", "Cleavers", "CLVR2", issuer),
      "renounced, and a sale moves a thousandth of what it says",
      { "trade.taxed": yes("999 of 1000 do not arrive", { sell_tax_bps: 9_990 }) }
    ),
    poolBurn: left(
      place("PoolBurnToken", "Fumitory", "FMTR", issuer, rewards),
      "renounced, and one address sends nothing to itself to empty the pool",
      { "token.balances-seizable": yes("what the pool holds is burned") }
    )
  }
  return { trap }
}
