import { Effect, Either, Option, Schema } from "effect"
import type { Address } from "../../domain/Address.js"
import type { Severity } from "../../domain/Evidence.js"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { UpgradePath } from "../../domain/facts/ProxyStructure.js"
import { type Spender, type SpenderProfile, Spenders } from "../../facts/Spenders.js"
import * as Check from "../Check.js"
import * as Permissions from "./Permissions.js"

const Value = Schema.NullOr(Schema.Struct({ spender_kind: AccountKind, upgrade: UpgradePath }))

/**
 * Whether who may move the wallet's tokens can be turned against it: a key, an address where any code may come to stand,
 * code that somebody can replace, code that was reported. One item a token and spender. Of fixed code that nobody labelled this
 * says that it stays what it is, and not that it is good.
 *
 * @since 0.1.0
 * @category models
 */
export const allowanceSpenderRisky = Check.make({
  id: "allowance.spender-risky",
  code: "W-05",
  version: 1,
  targets: ["wallet"],
  claim: "A spender is a key, has no code, or runs code that somebody can replace",
  polarity: "risk",
  severity: "critical",
  dimension: "approvals",
  power: true,
  value: Value,
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Spenders).of(target.address)
      const items = value.spenders.flatMap(({ address, profile, tokens }) =>
        tokens.flatMap((token) => verdicts([token, address], profile))
      )
      const unread = value.unread.map(({ reason, spender, token }) =>
        Check.unknown(reason, `${token} did not say whether it is in force`, { subject: [token, spender] })
      )
      const gap = value.complete
        ? []
        : [Check.unknown("log_range_limited", Permissions.gap, { observation: observation() })]
      const all = [...items, ...unread, ...gap]
      return all.length > 0
        ? all
        : [Check.refuted<Value>({ value: null, detail: "of none in force", observation: observation() })]
    })
})

type Value = typeof Value.Type

const verdicts = (
  subject: readonly [token: Address, spender: Address],
  profile: Spender["profile"]
): ReadonlyArray<Check.Verdict<Value>> => {
  const [, spender] = subject
  if (Either.isLeft(profile))
    return [Check.unknown(profile.left.reason, `${profile.left.method}: ${profile.left.detail}`, { subject })]
  const { controller, kind, upgrade } = profile.right.value
  const seen = { subject, observation: profile.right.observation() }
  const found = judge(profile.right.value)
  if (found === "harmless") return []
  if (found === "undecided")
    return [Check.unknown("inconclusive", `it could not be told who decides what code ${spender} runs`, seen)]
  return [
    Check.confirmed({
      ...seen,
      value: { spender_kind: kind, upgrade },
      severity: found.severity,
      controller: Option.getOrUndefined(controller),
      at: spender,
      detail: `${spender} ${found.what}`
    })
  ]
}

const judge = ({
  controller,
  kind,
  label,
  report,
  upgrade
}: SpenderProfile): "harmless" | "undecided" | { readonly severity: Severity; readonly what: string } => {
  if (Option.isSome(report)) return { severity: "critical", what: `was reported by ${report.value}` }
  if (Option.isSome(label) || kind === "precompile") return "harmless"
  if (kind === "empty") return { severity: "high", what: "has no code, and may be anybody's" }
  if (kind !== "contract") return { severity: "critical", what: "is a key" }
  if (upgrade === "none") return "harmless"
  if (upgrade === "unknown") return "undecided"
  if (upgrade === "anyone") return { severity: "critical", what: "takes other code from whoever gives it" }
  return Option.exists(controller, (holder) => holder.kind === "dead")
    ? "harmless"
    : { severity: "high", what: `can be given other code (${upgrade})` }
}
