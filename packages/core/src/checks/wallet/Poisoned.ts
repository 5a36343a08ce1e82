import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Poisoning } from "../../facts/wallet/Poisoning.js"
import * as Check from "../Check.js"

/**
 * Whether somebody planted addresses in the wallet's history that look like those it deals with, for it to pay the wrong
 * one: their first and last three digits are the same.
 *
 * @see https://arxiv.org/abs/2501.16681
 * @since 0.1.0
 * @category models
 */
export const poisoned = Check.make({
  id: "wallet.poisoned",
  code: "W-10",
  version: 1,
  targets: ["wallet"],
  claim: "Look-alikes of accounts that the wallet deals with stand in its history",
  polarity: "risk",
  severity: "medium",
  dimension: "counterparty",
  value: Schema.Struct({
    twins: Schema.Array(
      Schema.Struct({
        address: Address,
        original: Address,
        form: Schema.Literal("zero_value", "dust", "counterfeit"),
        token: Address,
        block: Schema.NonNegativeInt
      })
    ),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Poisoning).of(target.address)
      const { twins, unread } = value
      const complete = value.complete && Option.isNone(unread)
      const seen = { value: { twins, complete }, observation: observation() }
      const [first] = twins
      if (first !== undefined)
        return [
          Check.confirmed({
            ...seen,
            at: first.address,
            detail: `${complete ? "" : "at least "}${twins.length}, the newest ${first.address} after ${first.original}`
          })
        ]
      if (Option.isSome(unread)) return yield* unread.value
      return complete
        ? [
            Check.refuted({
              ...seen,
              detail: "no counterparty of its tokens looks like another one; native coin leaves no event"
            })
          ]
        : [Check.unknown("log_range_limited", "not every block could be searched", { observation: seen.observation })]
    })
})
