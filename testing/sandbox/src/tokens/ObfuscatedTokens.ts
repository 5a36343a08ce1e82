import type { Hex } from "viem"
import { concat, pad } from "viem/utils"
import { yes } from "../truth/Claim.js"
import type { Launch } from "./Launch.js"

/** Tokens that hide what they do in how it is written: in numbers that are no selectors, in a bit of each balance. */
export const write = ({ stage, open, place }: Launch) => {
  const { script, accounts } = stage
  const { rewards } = accounts

  const maskedToken = open(
    place("MaskedToken", "Burnet", "BRNT", rewards),
    "has no functions but a fallback, and sells for one address only",
    { "trade.honeypot": yes("only one address can send to the pair") }
  )
  script.send({
    label: "MaskedToken, armed",
    from: rewards,
    to: maskedToken.address,
    data: concat([masking, pad(maskedToken.pair)])
  })

  const trap = { maskedToken }
  const power = {
    packedFreeze: open(
      place("PackedFreezeToken", "Bugloss", "BGLS", rewards),
      "a bit of each balance says whether it is frozen, which a hidden address sets",
      { "token.blacklistable": yes("the hidden address sets the bit") }
    )
  }
  return { trap, power }
}

// What the token compares the selector of a call with, for the one that names the pool.
const masking: Hex = "0x4b4b4b4b"
