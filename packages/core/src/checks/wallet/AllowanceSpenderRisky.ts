import { Effect, Either, Option, Schema } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { Address } from "../../domain/Address.js"
import type { Controller } from "../../domain/Controller.js"
import { type Severity, severityRank } from "../../domain/Evidence.js"
import { AccountKind } from "../../domain/facts/AccountCode.js"
import { UpgradePath } from "../../domain/facts/ProxyStructure.js"
import { type Announcement, Announcements } from "../../facts/wallet/Announcements.js"
import type { Pulling } from "../../facts/wallet/Pulls.js"
import { type Spender, type SpenderProfile, Spenders } from "../../facts/wallet/Spenders.js"
import * as Together from "../../runtime/Together.js"
import * as Check from "../Check.js"
import * as Phrases from "../Phrases.js"
import * as Permissions from "./Permissions.js"

const Value = Schema.NullOr(
  Schema.Struct({
    spender_kind: AccountKind,
    upgrade: UpgradePath,
    /** From which accounts its code takes tokens; null where the code was not analysed. */
    pulls: Schema.NullOr(Schema.Literal("own", "anybody", "appointed", "unclear")),
    /** The other account that sent the transaction that announced the approval, of a wallet without code. */
    announced_by: Schema.optionalWith(Address, { exact: true }),
    /** Whether the same transaction gives an approval of any account, so that the wallet had no part in it. */
    made_up: Schema.optionalWith(Schema.Literal(true), { exact: true }),
    /** The endpoint does not have the transaction any more. */
    complete: Schema.optionalWith(Schema.Literal(false), { exact: true })
  })
)

/**
 * Whether a spender of the wallet's tokens can be used against the wallet: a private key, an address without code, code
 * that can be upgraded, code by which an account moves the tokens of any other account, or code reported as malicious.
 * One item per token and spender. Fixed code without a label is harmless only where all of its paths move the caller's
 * own tokens. A spender of a token of which the wallet has nothing now is one severity less: high instead of critical, medium
 * instead of high. An approval that another than the wallet announced counts as any, since who gets a signature
 * sends it himself; medium where it was shown to be made up: it gives nobody a power that he lacks without it.
 */
export const allowanceSpenderRisky = Check.make({
  id: "allowance.spender-risky",
  code: "W-05",
  version: 5,
  targets: ["wallet"],
  claim: "A spender is a key, has no code or can be made to take tokens",
  polarity: "risk",
  severity: "critical",
  dimension: "approvals",
  power: true,
  value: Value,
  run: (target) =>
    Effect.gen(function* () {
      const { observation, value } = yield* (yield* Spenders).of(target.address)
      const announcements = yield* Announcements
      const pairs = value.spenders.flatMap(({ address, idle, later, profile, tokens }) =>
        tokens.map((token) => ({
          subject: [token, address] as const,
          profile,
          grade: later.has(token) ? atMostLow : idle.has(token) ? oneLess : asItIs
        }))
      )
      const items = yield* Together.forEach(pairs, ({ grade, profile, subject }) => {
        const [token, spender] = subject
        return verdicts(subject, profile, grade, target.address, announcements.of(target.address, { token, spender }))
      })
      const unread = value.unread.map(({ reason, spender, token }) =>
        Phrases.unknown(reason, `the current allowance of ${spender} was not read from token ${token}`, {
          subject: [token, spender]
        })
      )
      const gap = yield* Permissions.missing(target.address, value, observation())
      const all = [...items.flat(), ...unread, ...gap]
      return all.length > 0
        ? all
        : [
            Check.refuted<Value>({
              value: null,
              detail: "no risky spender among the approvals in force",
              observation: observation()
            })
          ]
    })
})

type Value = typeof Value.Type

interface Found {
  readonly severity: Severity
  readonly what: string
  readonly controller: Option.Option<Controller>
  readonly isReported?: boolean
}

const asItIs = (found: Found): Found => found

const atMostLow = (found: Found): Found => ({
  ...found,
  severity: "low",
  what: `${found.what}; Permit2 itself has no allowance of the token now`
})

/** Nothing can be taken now; what comes later can. Code that is reported as malicious is no less so. */
const oneLess = (found: Found): Found =>
  found.isReported
    ? found
    : {
        ...found,
        severity: found.severity === "critical" ? "high" : "medium",
        what: `${found.what}; the wallet has none of this token now`
      }

const verdicts = (
  subject: readonly [token: Address, spender: Address],
  profile: Spender["profile"],
  grade: (found: Found) => Found,
  wallet: Address,
  announcement: Effect.Effect<Option.Option<Announcement>, ChainError>
): Effect.Effect<ReadonlyArray<Check.Verdict<Value>>> => {
  const [, spender] = subject
  if (Either.isLeft(profile)) return Effect.succeed([Phrases.failed(profile.left, { subject })])
  const { kind, pulls, upgrade } = profile.right.value
  const seen = { subject, observation: profile.right.observation() }
  const judged = judge(profile.right.value)
  if (judged === "harmless") return Effect.succeed([])
  if (typeof judged === "string")
    return Effect.succeed([Phrases.unknown("inconclusive", `${judged} ${spender} was not determined`, seen)])
  const { controller, severity, what } = grade(judged)
  const decided = (announced: Option.Option<Announcement>): ReadonlyArray<Check.Verdict<Value>> => {
    const isMadeUp = Option.exists(announced, (found) => found.isMadeUp)
    const sender = Option.flatMap(announced, (found) => found.sender)
    const other = Option.filter(sender, (account) => account !== wallet)
    return [
      Check.confirmed({
        ...seen,
        value: {
          spender_kind: kind,
          upgrade,
          pulls: Option.getOrNull(Option.map(pulls, (pulling) => pulling.kind)),
          ...(Option.isSome(other) ? { announced_by: other.value } : {}),
          ...(isMadeUp ? { made_up: true } : {}),
          ...(Option.isSome(announced) && Option.isNone(sender) ? { complete: false } : {})
        },
        severity: isMadeUp && severityRank(severity) > severityRank("medium") ? "medium" : severity,
        controller: Option.getOrUndefined(controller),
        at: spender,
        detail: `${spender} ${what}${Option.match(other, { onNone: () => "", onSome: (account) => byOther(account, isMadeUp) })}`
      })
    ]
  }
  // How grave it is depends on what the wallet did.
  return Effect.match(announcement, { onFailure: (error) => [Phrases.failed(error, { subject })], onSuccess: decided })
}

const byOther = (sender: Address, isMadeUp: boolean): string =>
  isMadeUp ? `; the token made it up: sent by ${sender}` : `; announced by ${sender}, not the wallet`

/** The risk of a spender, or the text of what was not determined. */
const judge = ({ controller, kind, label, pulls, report, upgrade }: SpenderProfile): "harmless" | Unclear | Found => {
  const found = (severity: Severity, what: string): Found => ({ severity, what, controller })
  if (Option.isSome(report))
    return { ...found("critical", `is reported as malicious by ${report.value}`), isReported: true }
  if (Option.isSome(label) || kind === "precompile") return "harmless"
  if (kind === "empty") return found("high", "has no code, so its controller is unknown")
  if (kind !== "contract") return found("critical", "is controlled by a private key")
  if (upgrade === "unknown") return "the upgrade authority of"
  if (upgrade === "anyone") return found("critical", "can be upgraded by any account")
  if (upgrade !== "none" && !Option.exists(controller, (holder) => holder.kind === "dead"))
    return found("high", `can be upgraded (${upgrade})`)
  const pulling = Option.getOrElse(pulls, (): Pulling => ({ kind: "own" }))
  switch (pulling.kind) {
    case "own":
      return "harmless"
    case "unclear":
      return "the source of the tokens moved by"
    case "anybody":
      return {
        severity: "critical",
        what: `lets any account move tokens of any approver by ${pulling.selector}`,
        controller: Option.none()
      }
    case "appointed":
      return {
        severity: "critical",
        what: `lets an authorised account move tokens of any approver by ${pulling.selector}`,
        controller: Option.some(pulling.controller)
      }
  }
}

type Unclear = "the upgrade authority of" | "the source of the tokens moved by"
