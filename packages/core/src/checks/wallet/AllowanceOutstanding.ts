import { Effect, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import { Allowance } from "../../domain/facts/Allowance.js"
import { Allowances } from "../../facts/Allowances.js"
import * as Check from "../Check.js"
import * as ValueAtRisk from "./ValueAtRisk.js"

/**
 * Whether others may move tokens of the wallet: ERC-20 allowances that are not zero at the pinned block.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @since 0.1.0
 * @category models
 */
export const allowanceOutstanding = Check.make({
  id: "allowance.outstanding",
  code: "W-01",
  version: 1,
  targets: ["wallet"],
  claim: "Others may move tokens of this wallet",
  polarity: "neutral",
  severity: "info",
  dimension: "approvals",
  value: Schema.Struct({
    allowances: Schema.Array(Schema.Struct({ token: Allowance.fields.token, spender: Allowance.fields.spender })),
    complete: Schema.Boolean
  }),
  run: (target) =>
    Effect.gen(function* () {
      const { portfolio, set } = yield* Together.all({
        set: Effect.flatMap(Allowances, (allowances) => allowances.of(target.address)),
        portfolio: ValueAtRisk.of(target.address)
      })
      const { observation, value } = set
      const allowances = value.allowances
        .filter((allowance) => allowance.kind === "erc20")
        .map(({ spender, token }) => ({ token, spender }))
      const [unread] = value.unread.filter((permission) => permission.kind === "erc20")
      const complete = value.complete && unread === undefined
      const seen = { value: { allowances, complete }, observation: observation() }
      if (allowances.length > 0)
        return [
          Check.confirmed({
            ...seen,
            detail: `${complete ? "" : "at least "}${allowances.length} in force${ValueAtRisk.total(portfolio)}`
          })
        ]
      if (unread !== undefined)
        return [
          Check.unknown(unread.reason, `${unread.token} did not say whether ${unread.spender} still may`, {
            observation: seen.observation
          })
        ]
      return value.complete
        ? [Check.refuted({ ...seen, detail: "none in force" })]
        : [Check.unknown("log_range_limited", "not every block could be searched", { observation: seen.observation })]
    })
})
