/** @internal */

import { Option, Schema } from "effect"
import { type Evidence, severityRank } from "../domain/Evidence.js"
import type { Risk } from "../domain/Risk.js"
import type { ReportSentence } from "../domain/RiskReport.js"
import type { TargetKind } from "../domain/Target.js"
import * as Approvals from "./Approvals.js"
import * as Doubt from "./Doubt.js"
import * as Findings from "./Findings.js"
import * as Holders from "./Holders.js"
import * as Power from "./Power.js"
import * as Reasons from "./Reasons.js"
import * as Reassurances from "./Reassurances.js"
import * as Sentence from "./Sentence.js"

/**
 * The one sentence for a reader with ten seconds. What could not be checked is said wherever it decides the level, and a
 * token that a well-known list names is described by what its controllers can do.
 */
export const make = (
  kind: TargetKind,
  findings: Findings.Findings,
  { level, level_at_best, range, score }: Pick<Risk, "level" | "level_at_best" | "range" | "score">,
  approvals: Option.Option<Approvals.Approvals>
): ReportSentence => {
  const account = kind === "wallet" ? Findings.inState(findings, "address.kind", "confirmed") : undefined
  // The level weighs what others can take from a wallet: it says nothing of an address that nobody uses as one.
  if (account !== undefined && Schema.is(Keyless)(account.value))
    return Sentence.of("nobody has the key of this address: what is sent to it is lost", [account])
  const doubt = gravest(findings)
  if (score === null) return join(`nothing about this ${kind} could be decided`, [], doubt === undefined ? [] : [doubt])
  const taken = Option.flatMap(approvals, Approvals.headline)
  if (Option.isSome(taken)) return taken.value
  const listed = Findings.inState(findings, "token.listed", "confirmed")
  if (listed !== undefined) return ofListed(listed, findings, level === "unknown" ? doubt : undefined)
  const reason = Reasons.strongest(findings)
  if (level === "unknown") {
    const isBad = level_at_best === "high" || level_at_best === "critical"
    return isBad && reason.length > 0
      ? join(`${level_at_best} risk at least: ${claims(reason)}`, reason, doubt === undefined ? [] : [doubt])
      : open(range, findings, doubt)
  }
  // A grave reason needs no other clause. Where little is wrong, a buyer still has to know that few accounts hold most of it.
  const few = level === "minimal" || level === "low" ? Holders.few(findings) : Option.none()
  const [text, items] = Option.match(few, {
    onNone: () => ["", []] as const,
    onSome: ({ item, text }) => [`; ${text}`, [item]] as const
  })
  if (reason.length > 0) return Sentence.of(`${level} risk: ${claims(reason)}${text}`, [...reason, ...items])
  const refuted = Reassurances.refuted(findings)
  return Sentence.of(`${level} risk: none of the ${refuted.length} risks that were checked was found${text}`, [
    ...items,
    ...refuted
  ])
}

/** The strongest of what was found, what is open, and what to do about the first of it. */
const open = (range: Risk["range"], findings: Findings.Findings, doubt: Evidence | undefined): ReportSentence => {
  const found = Reasons.strongest(findings)
  const isGrave = found.some(({ severity }) => severityRank(severity) >= severityRank("medium"))
  const known = isGrave ? found : []
  const between = `unknown: between ${range.worst} and ${range.best} of 100 points${isGrave ? `. ${Sentence.upper(claims(found))}` : ""}`
  if (doubt === undefined) return Sentence.of(between, known)
  const questions = Doubt.groups(findings).filter(({ points }) => points > 0).length
  const count = questions < 2 ? "one question is open" : `${questions} questions are open, the first`
  return Sentence.of(`${between}. ${Sentence.upper(count)}: ${Doubt.question(doubt)}`, [doubt, ...known])
}

const Keyless = Schema.Struct({ keyless: Schema.Literal(true) })

const claims = (items: ReadonlyArray<Evidence>): string => {
  const [first] = items
  if (first === undefined) return ""
  return items.length === 1 ? Doubt.claimOf(first) : `${Doubt.claimOf(first)} (and ${items.length - 1} more)`
}

/** The unknown item that costs most. */
const gravest = (findings: Findings.Findings): Evidence | undefined => {
  const id = Doubt.groups(findings)[0]?.evidence_ids[0]
  return findings.items.find((item) => item.id === id)
}

const join = (text: string, items: ReadonlyArray<Evidence>, doubts: ReadonlyArray<Evidence>): ReportSentence =>
  Sentence.of([text, ...doubts.map((item) => Sentence.lower(Doubt.sentence([item]).text))].join("; "), [
    ...items,
    ...doubts
  ])

const ofListed = (listed: Evidence, findings: Findings.Findings, doubt: Evidence | undefined): ReportSentence => {
  const powers = Power.confirmed(findings)
  const nobody = Findings.inState(findings, "control.controllers", "refuted")
  const sellable = Findings.inState(findings, "trade.honeypot", "refuted")
  const unsold = sellable === undefined ? Findings.inState(findings, "trade.honeypot", "unknown") : undefined
  const doubted = unsold ?? doubt
  // One clause more would be read by nobody.
  const finding = doubted === undefined ? Reasons.strongestBesidePowers(findings) : []
  const control =
    powers.length > 0
      ? `a listed token with disclosed control: its controllers can ${Power.deeds(powers)}`
      : nobody === undefined
        ? "a listed token"
        : "a listed token that no known account controls"
  return join(
    [
      control,
      ...(sellable === undefined ? [] : [Findings.saleShown(sellable)]),
      ...(finding.length === 0 ? [] : [`the strongest other finding is that ${claims(finding)}`])
    ].join("; "),
    [
      listed,
      ...(powers.length > 0 ? powers : nobody === undefined ? [] : [nobody]),
      ...(sellable ? [sellable] : []),
      ...finding
    ],
    doubted === undefined ? [] : [doubted]
  )
}
