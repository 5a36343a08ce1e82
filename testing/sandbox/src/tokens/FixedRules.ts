import { nobody } from "../chain/Account.js"
import { yes } from "../truth/Claim.js"
import { fund, type Launch } from "./Launch.js"

/** Tokens with fees, limits and minters that nobody can change. */
export const write = ({ stage, call, clean, place }: Launch) => {
  const { rewards } = stage.accounts

  const trading = place("SwapBackToken", "Yellow Rattle", "YLRT", rewards)
  const swapBack = clean(trading, "3 % of trades, for ever, which a sale sells for a treasury", {
    "token.external-call-in-transfer": yes("a sale calls the router"),
    "trade.taxed": yes("3 % of trades", { buy_tax_bps: 300, sell_tax_bps: 300, transfer_tax_bps: 0 })
  })
  call(trading, { from: rewards, name: "launch", args: [swapBack.pair] })

  const honest = {
    swapBack,
    launchLimit: clean(
      place("LaunchLimitToken", "Meadowsweet", "MDSW"),
      "limited transfers in its first hour, which is over"
    ),
    bridged: clean(place("BridgedToken", "Silverweed", "SLVW", nobody), "could be minted by a bridge, and has none"),
    treasuryFee: clean(
      place("TreasuryFeeToken", "Tormentil", "TRMN", fund),
      "2 % of transfers is for a treasury, for ever",
      { "trade.taxed": yes("2 % of what is sent", { buy_tax_bps: 200, sell_tax_bps: 200, transfer_tax_bps: 200 }) }
    ),
    vested: clean(place("VestedToken", "Betony Sage", "BTNS", fund), "what its team got becomes theirs within a year")
  }
  return { honest }
}
