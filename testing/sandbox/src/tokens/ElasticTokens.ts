import { yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"

/** Tokens with balances of shares times a rate: one rate that an account sets, and one that follows a fixed rule. */
export const write = ({ stage, clean, open, own, place }: Launch) => {
  const { issuer, rewards } = stage.accounts
  const oracle = own("PegOracle", rewards).address

  const power = {
    reflecting: open(
      place("ReflectingToken", "Brooklime", "BRKL", issuer),
      "whom its owner excludes from rewards has nothing left",
      { "token.balances-seizable": yes("the excluded have what another book says, which nobody filled") }
    ),
    pegged: open(
      place("PeggedToken", "Stonecrop", "STNC", oracle),
      "balances are shares times a price that one address tells an oracle",
      { "token.balances-seizable": yes("a price of nothing leaves everybody with nothing") }
    )
  }
  const honest = {
    accruing: clean(place("AccruingToken", "Cowslip", "CWSL"), "balances grow by 4 % a year, for ever"),
    policy: clean(place("PolicyToken", "Oxlip", "OXLP"), "anybody carries out a fixed rebase once a day", {
      "token.mintable": yes("a rebase makes more of it, for everybody alike")
    })
  }
  return { power, honest }
}
