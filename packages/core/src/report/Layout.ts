/** @internal */

import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Sentence from "./Sentence.js"

/**
 * A sentence as every rendering shows it, with what stands behind it: points, and who has the power. `command` is a line for a
 * shell, empty where there is none.
 */
export interface Line extends ReportSentence {
  readonly note: string
  readonly command: string
}

/** `key` names what the lines are about, for a rendering that shows more beside them. */
export interface Section {
  readonly key:
    | "actions"
    | "at_risk"
    | "reasons"
    | "unknowns"
    | "reassurances"
    | "control"
    | "holding"
    | "exit"
    | "changes"
  readonly title: string
  readonly lines: ReadonlyArray<Line>
}

/** What every rendering shows, in its order. */
export interface Layout {
  readonly title: string
  readonly verdict: string
  readonly decision: string
  readonly headline: ReportSentence
  readonly sections: ReadonlyArray<Section>
  readonly omitted: string
  readonly footer: string
}

export const make = (report: RiskReport): Layout => {
  const { address, as_of, at_risk, changes, control, exit, headline, holding, largest_sale, name, reasons, target } =
    report
  return {
    title: `${Sentence.upper(target)}${name === null ? "" : ` "${name.replaceAll('"', "'")}"`} ${address}`,
    verdict: verdictOf(report),
    decision: decisionOf(report),
    headline: { ...headline, text: Sentence.upper(headline.text.replace(repeated, "")) },
    sections: [
      {
        key: "actions" as const,
        title: "What to do",
        lines: report.actions.map(({ evidence_ids, text, transaction }) => ({
          text,
          evidence_ids,
          note: "",
          command: transaction?.command ?? ""
        }))
      },
      {
        key: "at_risk" as const,
        title: "What others can take",
        lines: at_risk === null ? [] : [at_risk, ...at_risk.spenders].map(bare)
      },
      {
        key: "reasons" as const,
        title: "What speaks against it",
        lines: reasons.map((reason) => ({
          ...reason,
          command: "",
          note: [
            ...(reason.points === 0 ? [] : [pointsOf(reason.points)]),
            ...(reason.controlled_by === null ? [] : [`this power is held by ${reason.controlled_by}`])
          ].join("; ")
        }))
      },
      {
        key: "unknowns" as const,
        title: "What could not be checked",
        lines: report.unknowns.map((unknown) => ({ ...unknown, note: pointsOf(unknown.points), command: "" }))
      },
      { key: "holding" as const, title: "Who holds it", lines: holding === null ? [] : [bare(holding)] },
      { key: "reassurances" as const, title: "What speaks for it", lines: report.reassurances.map(bare) },
      { key: "control" as const, title: "Who can do what", lines: control.map(bare) },
      {
        key: "exit" as const,
        title: "Selling it",
        lines: [exit?.sale, exit?.taxes, largest_sale ?? exit?.depth, exit?.liquidity].flatMap((sentence) =>
          sentence === null || sentence === undefined ? [] : [bare(sentence)]
        )
      },
      { key: "changes" as const, title: "What changed", lines: (changes ?? []).map(bare) }
    ].filter(({ lines }) => lines.length > 0),
    omitted: omittedOf(report),
    footer: `As of block ${as_of.block} of ${as_of.chain.name} (${as_of.chain.id}), ${as_of.time}. ${report.not_advice}`
  }
}

/** The sentence with its note, as one text. */
export const textOf = ({ note, text }: Line): string => (note === "" ? text : `${text}. ${Sentence.upper(note)}`)

/** The first ids of a sentence, and how many more there are. */
export const idsOf = ({
  evidence_ids
}: ReportSentence): { readonly ids: ReadonlyArray<string>; readonly more: string } => {
  const more = evidence_ids.length - mostIds
  return { ids: evidence_ids.slice(0, mostIds), more: more > 0 ? `and ${more} more` : "" }
}

const mostIds = 4

const bare = (sentence: ReportSentence): Line => ({ ...sentence, note: "", command: "" })

// The verdict says of how many, and that more is better.
const pointsOf = (points: number): string =>
  points === 0 ? "" : `takes ${points} ${points === 1 ? "point" : "points"}`

/** The level in a sentence, with the points that are left or may be. */
export const verdictOf = ({
  verdict: { level, range, score }
}: {
  readonly verdict: Pick<RiskReport["verdict"], "level" | "range" | "score">
}): string => {
  if (score === null) return "Unknown: nothing was decided, so there is no score"
  return level === "unknown"
    ? `Unknown: between ${range.worst} and ${range.best} of 100 points, more is better`
    : `${Sentence.upper(level)} risk: ${score} of 100 points are left, more is better`
}

// What the verdict says already, above it.
const repeated = /^(?:(?:Minimal|Low|Medium|High|Critical) risk: |Unknown: between \d+ and \d+ of 100 points\. )/

const decisionOf = ({ decision: { outcome, policy } }: RiskReport): string =>
  `${outcomes[outcome]}: ${policy.block_from} risk is blocked${policy.review_from === policy.block_from ? "" : ` and ${policy.review_from} risk reviewed`} by the policy`

const outcomes: { readonly [outcome in RiskReport["decision"]["outcome"]]: string } = {
  allow: "Allow",
  review: "Review",
  block: "Block",
  unknown: "Not decided, so do not allow it"
}

const names = {
  reasons: ["reason", "reasons"],
  reassurances: ["claim that speaks for it", "claims that speak for it"],
  unknown_claims: [
    "claim that could not be checked, to be treated as unsafe",
    "claims that could not be checked, to be treated as unsafe"
  ],
  control: ["line about control", "lines about control"],
  addresses: ["address", "addresses"],
  exit: ["line about selling", "lines about selling"],
  changes: ["change", "changes"],
  holders: ["holder", "holders"],
  powers: ["power", "powers"],
  spenders: ["spender", "spenders"],
  takes: ["amount", "amounts"],
  actions: ["action", "actions"],
  transactions: ["transaction", "transactions"],
  largest_sale: ["line about large sales", "lines about large sales"],
  not_checked: ["check that is unknown", "checks that are unknown"],
  evidence_ids: ["evidence id", "evidence ids"]
} as const

const omittedOf = ({ omitted }: RiskReport): string => {
  const parts = Object.entries(omitted).flatMap(([what, count]) => {
    const words = names[what as keyof typeof names]
    return count === undefined || count === 0 ? [] : [`${count} ${count === 1 ? words[0] : words[1]}`]
  })
  return parts.length === 0 ? "" : `Not shown, and in the full result: ${Sentence.list(parts)}.`
}
