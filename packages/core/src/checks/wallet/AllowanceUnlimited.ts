import { Effect, Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Quantity } from "../../domain/Quantity.js"
import { Allowances } from "../../facts/Allowances.js"
import { Code } from "../../facts/Code.js"
import * as Check from "../Check.js"

/**
 * Whether a spender may move all of a token that the wallet has or will ever get; one item a token and spender. A
 * spender without code of its own is a person or a key, which makes it high.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @since 0.1.0
 * @category models
 */
export const allowanceUnlimited = Check.make({
  id: "allowance.unlimited",
  code: "W-02",
  version: 1,
  targets: ["wallet"],
  claim: "A spender may move all of a token",
  polarity: "risk",
  severity: "high",
  dimension: "approvals",
  value: Schema.NullOr(
    Schema.Struct({
      amount: Schema.NullOr(Quantity),
      balance: Schema.NullOr(Quantity),
      spender_kind: AccountKind
    })
  ),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Allowances).of(target.address)
      const code = yield* Code
      const unlimited = value.allowances.filter((allowance) => allowance.kind === "erc20" && allowance.unlimited)
      const items = yield* Effect.forEach(
        unlimited,
        (allowance) => {
          const subject = [allowance.token, allowance.spender]
          return Effect.match(code.of(allowance.spender), {
            onFailure: (error) => Check.unknown(error.reason, `${error.method}: ${error.detail}`, { subject }),
            onSuccess: ({ value: spender }) =>
              Check.confirmed({
                subject,
                value: { amount: allowance.amount, balance: allowance.balance, spender_kind: spender.kind },
                severity: spender.kind === "contract" ? "medium" : "high",
                observation: observation(),
                at: allowance.token,
                detail: `${allowance.spender} (${spender.kind})`
              })
          })
        },
        { concurrency: "unbounded" }
      )
      const unread = value.unread
        .filter((permission) => permission.kind === "erc20")
        .map(({ reason, spender, token }) =>
          Check.unknown(reason, `${token} did not say whether it is in force`, { subject: [token, spender] })
        )
      const gap = value.complete
        ? []
        : [Check.unknown("log_range_limited", "not every block could be searched", { observation: observation() })]
      const found = [...items, ...unread, ...gap]
      if (found.length > 0) return found
      return [Check.refuted({ value: null, detail: "none in force", observation: observation() })]
    })
})
