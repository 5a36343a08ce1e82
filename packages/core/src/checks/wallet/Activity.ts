import { Effect, Option, Schema } from "effect"
import { WalletActivity } from "../../facts/wallet/WalletActivity.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the wallet has a history: it sent transactions, or tokens emitted transfer events from or to it. The blocks
 * are bounds of the events found, and any account can deploy a token that emits such events.
 */
export const activity = Check.make({
  id: "wallet.activity",
  code: "W-12",
  version: 1,
  targets: ["wallet"],
  claim: "The wallet has transactions or token transfers",
  polarity: "neutral",
  severity: "info",
  dimension: "account",
  value: Schema.Struct({
    nonce: Schema.NonNegativeInt,
    seen_from_block: Schema.NullOr(Schema.NonNegativeInt),
    seen_to_block: Schema.NullOr(Schema.NonNegativeInt),
    complete: Schema.Boolean
  }),
  volatile: true,
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* WalletActivity).of(target.address)
      const { complete, nonce, seenFrom, seenTo, unread } = value
      const seen = {
        value: {
          nonce,
          seen_from_block: Option.getOrNull(seenFrom),
          seen_to_block: Option.getOrNull(seenTo),
          complete
        },
        observation: observation()
      }
      if (nonce > 0 || Option.isSome(seenTo))
        return [
          Check.confirmed({
            ...seen,
            detail: `nonce ${nonce}; ${Option.match(seenTo, {
              onNone: () => "no ERC-20 or ERC-721 transfer in the searched blocks",
              onSome: (to) =>
                `token transfers from block ${Option.getOrElse(seenFrom, () => to)}${complete ? "" : " or before"} to block ${to}`
            })}`
          })
        ]
      if (Option.isSome(unread)) return yield* unread.value
      return complete
        ? [
            Check.refuted({
              ...seen,
              detail: "nonce 0, and no ERC-20 or ERC-721 transfer from or to the wallet in any block"
            })
          ]
        : [
            Phrases.unknown("log_range_limited", "the logs of some blocks were not searched", {
              observation: seen.observation
            })
          ]
    })
})
