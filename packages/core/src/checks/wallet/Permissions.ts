import { Effect } from "effect"
import * as Together from "../../chain/Together.js"
import type { Address } from "../../domain/Address.js"
import type { AccountKind } from "../../domain/facts/AccountCode.js"
import type { Allowance } from "../../domain/facts/Allowance.js"
import { Code } from "../../facts/code/Code.js"
import { Allowances } from "../../facts/wallet/Allowances.js"
import * as Check from "../Check.js"
import * as ValueAtRisk from "./ValueAtRisk.js"

/**
 * What is said where the permissions that were seen may not be all.
 *
 * @since 0.1.0
 * @category constructors
 */
export const gap = "not every permission that was ever given could be looked at"

/**
 * Says of each permission of one kind that the wallet gave who holds it: one item a token and holder, graded high where
 * the holder has no code of its own and is a person or a key. What was not answered, and blocks that were not searched,
 * are unknown; none in force is refuted only where everything was seen.
 *
 * @since 0.1.0
 * @category combinators
 */
export const judge = <V>(
  wallet: Address,
  options: {
    readonly kind: Allowance["kind"]
    readonly admits: (allowance: Allowance) => boolean
    readonly value: (allowance: Allowance, holder: AccountKind) => V
  }
) =>
  Effect.gen(function* () {
    const { observation, value } = yield* (yield* Allowances).of(wallet)
    const code = yield* Code
    const items = yield* Together.forEach(
      value.allowances.filter((allowance) => allowance.kind === options.kind && options.admits(allowance)),
      (allowance) => {
        const subject = [allowance.token, allowance.spender]
        const reads = Together.all([code.of(allowance.spender), ValueAtRisk.of(wallet)])
        return Effect.match(reads, {
          onFailure: (error) => Check.unknown(error.reason, `${error.method}: ${error.detail}`, { subject }),
          onSuccess: ([{ value: holder }, portfolio]) =>
            Check.confirmed<V | null>({
              subject,
              value: options.value(allowance, holder.kind),
              severity: holder.kind === "contract" ? "medium" : "high",
              observation: observation(),
              at: allowance.token,
              detail: `${allowance.spender} (${holder.kind})${ValueAtRisk.sentence(portfolio, { ...allowance, by: "erc20" })}`
            })
        })
      }
    )
    const unread = value.unread
      .filter((permission) => permission.kind === options.kind)
      .map(({ reason, spender, token }) =>
        Check.unknown(reason, `${token} did not say whether it is in force`, { subject: [token, spender] })
      )
    const rest = value.complete ? [] : [Check.unknown("log_range_limited", gap, { observation: observation() })]
    const found = [...items, ...unread, ...rest]
    if (found.length > 0) return found
    return [Check.refuted<V | null>({ value: null, detail: "none in force", observation: observation() })]
  })
