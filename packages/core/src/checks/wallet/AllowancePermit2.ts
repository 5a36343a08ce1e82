import { Effect, Option, Schema } from "effect"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { Permit2Allowance as Granted, type Permit2Allowance } from "../../domain/facts/Permit2Allowance.js"
import { Code } from "../../facts/code/Code.js"
import { Permit2Allowances } from "../../facts/wallet/Permit2Allowances.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as ValueAtRisk from "./ValueAtRisk.js"

const { amount, expires_at, token_allowance } = Granted.fields

const Value = Schema.NullOr(Schema.Struct({ amount, expires_at, token_allowance, spender_kind: AccountKind }))

/**
 * Whether a spender may move tokens of the wallet through Permit2. One item per token and spender. A spender without
 * code of its own is a private key: high. Where Permit2 itself has no allowance of the token, the approval has no
 * effect now: low. Expired and spent approvals are not listed.
 *
 * @see https://docs.uniswap.org/contracts/permit2/reference/allowance-transfer
 */
export const allowancePermit2 = Check.make({
  id: "allowance.permit2",
  code: "W-04",
  version: 1,
  targets: ["wallet"],
  claim: "A spender may move a token through Permit2",
  polarity: "risk",
  severity: "high",
  dimension: "approvals",
  value: Value,
  run: (target) =>
    Effect.gen(function* () {
      const set = yield* (yield* Permit2Allowances).of(target.address)
      if (Option.isNone(set)) return Check.notApplicable
      const { observation, value } = set.value
      const code = yield* Code
      const items = yield* Together.forEach(value.allowances, (allowance) => {
        const subject = [allowance.token, allowance.spender]
        const reads = Together.all([code.of(allowance.spender), ValueAtRisk.of(target.address)])
        return Effect.match(reads, {
          onFailure: (error) => Phrases.failed(error, { subject }),
          onSuccess: ([
            {
              value: { kind }
            },
            portfolio
          ]) =>
            Check.confirmed<typeof Value.Type>({
              subject,
              value: {
                amount: allowance.amount,
                expires_at: allowance.expires_at,
                token_allowance: allowance.token_allowance,
                spender_kind: kind
              },
              severity: allowance.token_allowance === "0" ? "low" : kind === "contract" ? "medium" : "high",
              observation: observation(),
              at: allowance.token,
              detail: `${allowance.spender} (${kind}) may move ${ending(allowance)}${ValueAtRisk.sentence(portfolio, { ...allowance, by: "permit2" })}`
            })
        })
      })
      const unread = value.unread.map(({ reason, spender, token }) =>
        Phrases.unknown(reason, `the current Permit2 allowance of ${spender} for token ${token} was not read`, {
          subject: [token, spender]
        })
      )
      const rest = value.complete
        ? []
        : [
            Phrases.unknown("log_range_limited", "the approval events of some blocks were not searched", {
              observation: observation()
            })
          ]
      const found = [...items, ...unread, ...rest]
      return found.length > 0
        ? found
        : [
            Check.refuted<typeof Value.Type>({
              value: null,
              detail: "no Permit2 allowance is in force",
              observation: observation()
            })
          ]
    })
})

const ending = ({ expires_at, unlimited }: Permit2Allowance): string =>
  `${unlimited ? "any amount" : "a limited amount"} ${expires_at >= lastMoment ? "without expiry" : `until ${new Date(expires_at * 1_000).toISOString()}`}`

// Permit2 stores times in 48 bits; a time later than a JavaScript date can hold counts as no expiry.
const lastMoment = 8_640_000_000_000
