import { Effect, Either, Option, Schema } from "effect"
import * as Count from "../../domain/Count.js"
import { Allowance } from "../../domain/facts/Allowance.js"
import { Allowances } from "../../facts/wallet/Allowances.js"
import { byPlace, keyOf, type Permission } from "../../facts/wallet/Permission.js"
import { Permit2Allowances } from "../../facts/wallet/Permit2Allowances.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as Permissions from "./Permissions.js"
import * as ValueAtRisk from "./ValueAtRisk.js"

/**
 * Whether other accounts may move tokens of the wallet at the pinned block: by an ERC-20 allowance, an approval of an
 * NFT collection or of single NFTs, or a Permit2 allowance of a token that Permit2 itself may move.
 *
 * @see https://eips.ethereum.org/EIPS/eip-20
 */
export const allowanceOutstanding = Check.make({
  id: "allowance.outstanding",
  code: "W-01",
  version: 3,
  targets: ["wallet"],
  claim: "Other accounts may move tokens of this wallet",
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
        // Without an allowance for Permit2 itself, no Permit2 spender can move the token.
        ...granted.filter(({ token_allowance }) => token_allowance !== "0")
      ])
      const sets = [value, ...Option.toArray(indirect)]
      const gaps: ReadonlyArray<Permissions.Gap> = [
        ...sets.flatMap(({ unread }) =>
          unread.map(({ reason, spender, token }) => ({
            reason,
            detail: `the current allowance of ${spender} was not read from token ${token}`
          }))
        ),
        ...(Either.isLeft(byPermit2)
          ? [
              {
                reason: byPermit2.left.reason,
                detail: `Permit2 allowances were not read (${byPermit2.left.method}: ${byPermit2.left.detail})`
              }
            ]
          : []),
        ...(sets.every(({ complete }) => complete) ? [] : [yield* Permissions.gap(target.address)])
      ]
      const [gap] = gaps
      const complete = gap === undefined
      const seen = { value: { allowances, complete }, observation: observation() }
      if (allowances.length > 0)
        return [
          Check.confirmed({
            ...seen,
            detail: `${complete ? "" : "at least "}${Count.of(allowances.length, "approval")} in force${ValueAtRisk.total(portfolio)}`
          })
        ]
      return gap === undefined
        ? [Check.refuted({ ...seen, detail: "no approval is in force" })]
        : [Phrases.unknown(gap.reason, gap.detail, { observation: seen.observation })]
    })
})

const distinct = (permissions: ReadonlyArray<Permission>): ReadonlyArray<Permission> => [
  ...new Map(
    [...permissions].sort(byPlace).map(({ spender, token }) => [keyOf({ token, spender }), { token, spender }] as const)
  ).values()
]
