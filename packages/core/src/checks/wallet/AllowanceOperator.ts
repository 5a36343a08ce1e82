import { Effect, Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Allowances } from "../../facts/Allowances.js"
import { Code } from "../../facts/Code.js"
import * as Check from "../Check.js"

/**
 * Whether an operator may move every token of a collection that the wallet has; one item a collection and operator.
 *
 * @see https://eips.ethereum.org/EIPS/eip-721
 * @since 0.1.0
 * @category models
 */
export const allowanceOperator = Check.make({
  id: "allowance.operator",
  code: "W-03",
  version: 1,
  targets: ["wallet"],
  claim: "An operator may move every token of a collection",
  polarity: "risk",
  severity: "high",
  dimension: "approvals",
  value: Schema.NullOr(Schema.Struct({ operator_kind: AccountKind })),
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Allowances).of(target.address)
      const code = yield* Code
      const items = yield* Effect.forEach(
        value.allowances.filter((allowance) => allowance.kind === "operator"),
        (allowance) => {
          const subject = [allowance.token, allowance.spender]
          return Effect.match(code.of(allowance.spender), {
            onFailure: (error) => Check.unknown(error.reason, `${error.method}: ${error.detail}`, { subject }),
            onSuccess: ({ value: operator }) =>
              Check.confirmed({
                subject,
                value: { operator_kind: operator.kind },
                severity: operator.kind === "contract" ? "medium" : "high",
                observation: observation(),
                at: allowance.token,
                detail: `${allowance.spender} (${operator.kind})`
              })
          })
        },
        { concurrency: "unbounded" }
      )
      const unread = value.unread
        .filter((permission) => permission.kind === "operator")
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
