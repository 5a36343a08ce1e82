import { Effect, Either, Option, Schema } from "effect"
import type { Address } from "../../domain/Address.js"
import type { Controller } from "../../domain/Controller.js"
import type { Severity } from "../../domain/Evidence.js"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { UpgradePath } from "../../domain/facts/ProxyStructure.js"
import type { Pulling } from "../../facts/wallet/Pulls.js"
import { type Spender, type SpenderProfile, Spenders } from "../../facts/wallet/Spenders.js"
import * as Check from "../Check.js"
import * as Permissions from "./Permissions.js"

const Value = Schema.NullOr(
  Schema.Struct({
    spender_kind: AccountKind,
    upgrade: UpgradePath,
    /** Whose tokens its code moves; null where the code was not asked. */
    pulls: Schema.NullOr(Schema.Literal("own", "anybody", "appointed", "unclear"))
  })
)

/**
 * Whether who may move the wallet's tokens can be turned against it: a key, an address where any code may come to stand,
 * code that somebody can replace or by which somebody takes from whom he names, code that was reported. One item a token
 * and spender. Of fixed code that nobody labelled it is known only where all of its paths take from their caller alone.
 *
 * @since 0.1.0
 * @category models
 */
export const allowanceSpenderRisky = Check.make({
  id: "allowance.spender-risky",
  code: "W-05",
  version: 2,
  targets: ["wallet"],
  claim: "A spender is a key, has no code, or runs code that somebody can replace or take by",
  polarity: "risk",
  severity: "critical",
  dimension: "approvals",
  power: true,
  value: Value,
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Spenders).of(target.address)
      const items = value.spenders.flatMap(({ address, later, profile, tokens }) =>
        tokens.flatMap((token) => verdicts([token, address], profile, later.has(token) ? atMostLow : asItIs))
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

interface Found {
  readonly severity: Severity
  readonly what: string
  readonly controller: Option.Option<Controller>
}

const asItIs = (found: Found): Found => found

const atMostLow = (found: Found): Found => ({
  ...found,
  severity: "low",
  what: `${found.what}, once Permit2 itself may move the token`
})

const verdicts = (
  subject: readonly [token: Address, spender: Address],
  profile: Spender["profile"],
  grade: (found: Found) => Found
): ReadonlyArray<Check.Verdict<Value>> => {
  const [, spender] = subject
  if (Either.isLeft(profile))
    return [Check.unknown(profile.left.reason, `${profile.left.method}: ${profile.left.detail}`, { subject })]
  const { kind, pulls, upgrade } = profile.right.value
  const seen = { subject, observation: profile.right.observation() }
  const judged = judge(profile.right.value)
  if (judged === "harmless") return []
  if (typeof judged === "string")
    return [Check.unknown("inconclusive", `it could not be told ${judged.replace("it", spender)}`, seen)]
  const { controller, severity, what } = grade(judged)
  return [
    Check.confirmed({
      ...seen,
      value: {
        spender_kind: kind,
        upgrade,
        pulls: Option.getOrNull(Option.map(pulls, (pulling) => pulling.kind))
      },
      severity,
      controller: Option.getOrUndefined(controller),
      at: spender,
      detail: `${spender} ${what}`
    })
  ]
}

/** What a spender is good for; a text of what could not be told where it is not known. */
const judge = ({ controller, kind, label, pulls, report, upgrade }: SpenderProfile): "harmless" | Unclear | Found => {
  const found = (severity: Severity, what: string): Found => ({ severity, what, controller })
  if (Option.isSome(report)) return found("critical", `was reported by ${report.value}`)
  if (Option.isSome(label) || kind === "precompile") return "harmless"
  if (kind === "empty") return found("high", "has no code, and may be anybody's")
  if (kind !== "contract") return found("critical", "is a key")
  if (upgrade === "unknown") return "who decides what code it runs"
  if (upgrade === "anyone") return found("critical", "takes other code from whoever gives it")
  if (upgrade !== "none" && !Option.exists(controller, (holder) => holder.kind === "dead"))
    return found("high", `can be given other code (${upgrade})`)
  const pulling = Option.getOrElse(pulls, (): Pulling => ({ kind: "own" }))
  switch (pulling.kind) {
    case "own":
      return "harmless"
    case "unclear":
      return "whose tokens it moves"
    case "anybody":
      return {
        severity: "critical",
        what: `lets anybody take from whom he names (${pulling.selector})`,
        controller: Option.none()
      }
    case "appointed":
      return {
        severity: "critical",
        what: `lets one who is appointed take from whom he names (${pulling.selector})`,
        controller: Option.some(pulling.controller)
      }
  }
}

type Unclear = "who decides what code it runs" | "whose tokens it moves"
