import { yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"

/** Tokens that keep books of who may trade, in other shapes than a map of accounts to a flag. */
export const write = ({ stage, arm, left, open, place }: Launch) => {
  const { issuer } = stage.accounts

  const trap = {
    bitmap: open(
      place("BitmapToken", "Restharrow", "RSTH", issuer),
      "its owner has sales ask for a bit of each account",
      { "token.pausable": yes("once the owner says so nobody sells whose bit he has not set") },
      (pair) => [arm(pair)]
    ),
    receiverGate: open(
      place("ReceiverToken", "Self-Heal Sedge", "SHSG", issuer),
      "only contracts that its owner knows receive it, and he knows its pool",
      {
        "token.whitelist-only": yes("what contract is not on the list receives nothing, the pool too once it is off it")
      },
      (pair) => [arm(pair), { from: issuer, name: "setKnown", args: [pair, true] }]
    ),
    oneSale: left(place("OneSaleToken", "Sandwort", "SNDW", issuer), "renounced, and each account sells once", {
      "trade.sell-limited": yes("who sold once cannot sell again")
    }),
    hashList: open(
      place("HashListToken", "Speedwell", "SPDW", issuer),
      "its owner marks hashes of accounts, which cannot send",
      { "token.blacklistable": yes("the owner marks whom he likes") },
      (pair) => [arm(pair)]
    )
  }
  return { trap }
}
