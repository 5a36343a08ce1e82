import { Effect, Option } from "effect"
import type { Address } from "../../domain/Address.js"
import type { Observation, UnknownReason } from "../../domain/Evidence.js"
import type { AccountKind } from "../../domain/facts/AccountCode.js"
import type { Allowance } from "../../domain/facts/Allowance.js"
import { Code } from "../../facts/code/Code.js"
import { Allowances } from "../../facts/wallet/Allowances.js"
import { Announcements } from "../../facts/wallet/Announcements.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as ValueAtRisk from "./ValueAtRisk.js"

/**
 * Why approvals of a set that is not complete may be missing: tokens that leave no event of them, or blocks that were not
 * searched.
 */
export const gap = (wallet: Address): Effect.Effect<Gap, never, Allowances> =>
  Effect.map(
    Effect.flatMap(Allowances, (allowances) => Effect.option(allowances.unannounced(wallet))),
    (tokens): Gap =>
      Option.exists(tokens, (found) => found.length > 0)
        ? {
            reason: "inconclusive",
            detail: `an approval of ${Phrases.few(Option.getOrElse(tokens, () => []))} is not seen to emit the indexed event`
          }
        : { reason: "log_range_limited", detail: "the approval events of some blocks were not searched" }
  )

/** What is missing of approvals, for the detail of an unknown item. */
export interface Gap {
  readonly reason: UnknownReason
  readonly detail: string
}

/** {@link gap} as an unknown item; none of a set that is complete. */
export const missing = (wallet: Address, set: { readonly complete: boolean }, observation: Observation) =>
  set.complete
    ? Effect.succeed([])
    : Effect.map(gap(wallet), ({ detail, reason }) => [Phrases.unknown(reason, detail, { observation })])

/**
 * One item per token and holder of each approval of one kind that the wallet gave: high where the holder has no code of
 * its own and is a private key, and medium where the token made it up. Approvals that were not read and blocks that were not
 * searched are unknown items; the claim is refuted only where everything was read.
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
    const announcements = yield* Announcements
    const items = yield* Together.forEach(
      value.allowances.filter((allowance) => allowance.kind === options.kind && options.admits(allowance)),
      (allowance) => {
        const subject = [allowance.token, allowance.spender]
        const holding = Effect.bindTo(code.of(allowance.spender), "holder").pipe(
          Effect.bind("announced", ({ holder }) =>
            holder.value.kind === "contract" ? Effect.succeedNone : announcements.of(wallet, allowance)
          )
        )
        const reads = Together.all([holding, ValueAtRisk.of(wallet)])
        return Effect.match(reads, {
          onFailure: (error) => Phrases.failed(error, { subject }),
          onSuccess: ([
            {
              announced,
              holder: { value: holder }
            },
            portfolio
          ]) =>
            Check.confirmed<V | null>({
              subject,
              value: options.value(allowance, holder.kind),
              severity:
                holder.kind === "contract" || Option.exists(announced, ({ isMadeUp }) => isMadeUp) ? "medium" : "high",
              observation: observation(),
              at: allowance.token,
              detail: `holder ${allowance.spender} (${holder.kind})${ValueAtRisk.sentence(portfolio, { ...allowance, by: "erc20" })}`
            })
        })
      }
    )
    const unread = value.unread
      .filter((permission) => permission.kind === options.kind)
      .map(({ reason, spender, token }) =>
        Phrases.unknown(reason, `the current approval of ${spender} was not read from token ${token}`, {
          subject: [token, spender]
        })
      )
    const rest = yield* missing(wallet, value, observation())
    const found = [...items, ...unread, ...rest]
    if (found.length > 0) return found
    return [
      Check.refuted<V | null>({ value: null, detail: "no such approval is in force", observation: observation() })
    ]
  })
