import { Effect, Option, Schema } from "effect"
import { Address } from "../../domain/Address.js"
import { Poisoning } from "../../facts/wallet/Poisoning.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"

/**
 * Whether the wallet's history has address poisoning: transfers from look-alikes of its counterparties, with the same
 * first and last three digits, so that the wallet pays the wrong address.
 *
 * @see https://arxiv.org/abs/2501.16681
 */
export const poisoned = Check.make({
  id: "wallet.poisoned",
  code: "W-10",
  version: 2,
  targets: ["wallet"],
  claim: "The wallet's history has look-alikes of its counterparties",
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
            detail: `${complete ? "" : "at least "}${twins.length} look-alike${twins.length === 1 ? "" : "s"}; the newest, ${first.address}, imitates ${first.original}`
          })
        ]
      if (Option.isSome(unread)) return yield* unread.value
      return complete
        ? [
            Check.refuted({
              ...seen,
              detail:
                "no token counterparty looks like another one; native coin transfers emit no event and are not covered"
            })
          ]
        : [
            Phrases.unknown("log_range_limited", "the logs of some blocks were not searched", {
              observation: seen.observation
            })
          ]
    })
})
