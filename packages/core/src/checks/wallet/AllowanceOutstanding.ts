import { Effect, Either, Option, Schema } from "effect"
import * as Together from "../../chain/Together.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import { Allowance } from "../../domain/facts/Allowance.js"
import { Allowances } from "../../facts/wallet/Allowances.js"
import { byPlace, keyOf, type Permission } from "../../facts/wallet/Permission.js"
import { Permit2Allowances } from "../../facts/wallet/Permit2Allowances.js"
import * as Check from "../Check.js"
import * as ValueAtRisk from "./ValueAtRisk.js"

/**
 * Whether others may move tokens of the wallet, by whatever permission is in force at the pinned block: an ERC-20
 * allowance, all of a collection or items of it, or a Permit2 allowance of a token that Permit2 itself may move.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 * @since 0.1.0
 * @category models
 */
export const allowanceOutstanding = Check.make({
  id: "allowance.outstanding",
  code: "W-01",
  version: 2,
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
      const { byPermit2, portfolio, set } = yield* Together.all({
        set: Effect.flatMap(Allowances, (allowances) => allowances.of(target.address)),
        byPermit2: Effect.flatMap(Permit2Allowances, (permit2) => Effect.either(permit2.of(target.address))),
        portfolio: ValueAtRisk.of(target.address)
      })
      const { observation, value } = set
      const indirect = Option.map(Option.flatten(Either.getRight(byPermit2)), (reading) => reading.value)
      const granted = Option.match(indirect, { onNone: () => [], onSome: (found) => found.allowances })
      const allowances = distinct([
        ...value.allowances,
        // What Permit2 may not move itself nobody can take by way of it.
        ...granted.filter(({ token_allowance }) => token_allowance !== "0")
      ])
      const sets = [value, ...Option.toArray(indirect)]
      const gaps: ReadonlyArray<Gap> = [
        ...sets.flatMap(({ unread }) =>
          unread.map(({ reason, spender, token }) => ({
            reason,
            detail: `${token} did not say whether ${spender} still may`
          }))
        ),
        ...(Either.isLeft(byPermit2)
          ? [{ reason: byPermit2.left.reason, detail: `${byPermit2.left.method}: ${byPermit2.left.detail}` }]
          : []),
        ...(sets.every(({ complete }) => complete)
          ? []
          : [{ reason: "log_range_limited" as const, detail: "not every block could be searched" }])
      ]
      const [gap] = gaps
      const complete = gap === undefined
      const seen = { value: { allowances, complete }, observation: observation() }
      if (allowances.length > 0)
        return [
          Check.confirmed({
            ...seen,
            detail: `${complete ? "" : "at least "}${allowances.length} in force${ValueAtRisk.total(portfolio)}`
          })
        ]
      return gap === undefined
        ? [Check.refuted({ ...seen, detail: "none in force" })]
        : [Check.unknown(gap.reason, gap.detail, { observation: seen.observation })]
    })
})

interface Gap {
  readonly reason: UnknownReason
  readonly detail: string
}

const distinct = (permissions: ReadonlyArray<Permission>): ReadonlyArray<Permission> => [
  ...new Map(
    [...permissions].sort(byPlace).map(({ spender, token }) => [keyOf({ token, spender }), { token, spender }] as const)
  ).values()
]
