import { undecidable, yes } from "../truth/Claim.js"
import { fund, type Launch } from "./Launch.js"

const day = 86_400n

/** Renounced tokens with sales that depend on the chain, the pool or the transaction. */
export const write = ({ stage, left, place }: Launch) => {
  const { issuer } = stage.accounts

  const trap = {
    richPool: left(
      place("RichPoolToken", "Catchfly", "CTFL", issuer),
      "renounced, and cannot be sold once its pool has 180 ether",
      { "trade.environment-dependent": yes("a sale asks how much ether the pool has") }
    ),
    gasLeft: left(
      place("GasLeftToken", "Dock", "DOCK", issuer, fund),
      "renounced, and takes 97 % of a sale with as much gas as a wallet gives",
      {
        "trade.taxed": yes("wallets give a sale less gas than the rule spares"),
        "trade.environment-dependent": yes("it asks how much gas is left")
      }
    ),
    tipping: left(
      place("TipToken", "Groundsel", "GRDS", issuer, fund),
      "renounced, and takes 90 % of a sale that pays a proposer more than a gwei",
      {
        "trade.taxed": undecidable("whether a seller is taxed is up to what he pays for gas"),
        "trade.environment-dependent": yes("it asks what is paid for gas")
      }
    ),
    shrinking: left(
      place("ShrinkingToken", "Bedstraw Broom", "BDBR", issuer),
      "renounced, and what may be sold at a time shrinks to nothing within days",
      {
        "trade.honeypot": yes("within three days nothing can be sold"),
        "trade.sell-limited": yes("within three days nothing can be sold"),
        "trade.environment-dependent": yes("it counts blocks since its launch")
      }
    ),
    delegateTrap: left(
      place("DelegateTrapToken", "Woodsage", "WDSG", issuer),
      "renounced, and accounts that delegate their code by EIP-7702 cannot sell",
      { "trade.environment-dependent": yes("it asks for the code of the seller") }
    ),
    transientTrap: left(
      place("TransientToken", "Hedge Parsley", "HDGP", issuer),
      "renounced, and can be sold only in the transaction that bought it",
      {
        "trade.honeypot": yes("no transaction that only sells goes through"),
        "trade.environment-dependent": yes("what buys and sells in one transaction can")
      }
    ),
    fuse: left(
      place("FuseToken", "Ragged Robin", "RGRB", issuer, fund),
      "renounced, and its 1 % on sales becomes 99 % within a hundred days",
      {
        "trade.taxed": yes("within a hundred days a sale pays 99 %"),
        "trade.environment-dependent": yes("it compares the time with that of a change")
      },
      { from: issuer, name: "queueFee", args: [9_900, 100n * day] }
    ),
    lottery: left(
      place("LotteryToken", "Shepherd's Purse", "SHPP", issuer),
      "renounced, and one sale in a million goes through",
      {
        "trade.honeypot": yes("a sale goes through once in a million"),
        "trade.environment-dependent": yes("whether a sale goes through is chance")
      }
    )
  }
  return { trap }
}
