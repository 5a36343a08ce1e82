/** @internal */

import type { ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Sentence from "./Sentence.js"

/** A sentence as every rendering shows it, with what stands behind it: points, and who has the power. */
export interface Line extends ReportSentence {
  readonly note: string
}

/** `key` names what the lines are about, for a rendering that shows more beside them. */
export interface Section {
  readonly key: "reasons" | "unknowns" | "reassurances" | "control" | "exit" | "changes"
  readonly title: string
  readonly lines: ReadonlyArray<Line>
}

/** What every rendering shows, in its order. */
export interface Layout {
  readonly title: string
  readonly verdict: string
  readonly headline: ReportSentence
  readonly sections: ReadonlyArray<Section>
  readonly omitted: string
  readonly footer: string
}

export const make = (report: RiskReport): Layout => {
  const { address, as_of, changes, control, exit, headline, name, reasons, reassurances, target, unknowns } = report
  return {
    title: `${Sentence.upper(target)}${name === null ? "" : ` "${name.replaceAll('"', "'")}"`} ${address}`,
    verdict: verdictOf(report),
    headline,
    sections: [
      {
        key: "reasons" as const,
        title: "What speaks against it",
        lines: reasons.map((reason) => ({
          ...reason,
          note: [
            pointsOf(reason.points),
            ...(reason.controlled_by === null ? [] : [`this power is held by ${reason.controlled_by}`])
          ].join("; ")
        }))
      },
      {
        key: "unknowns" as const,
        title: "What could not be checked",
        lines: unknowns.map((unknown) => ({ ...unknown, note: pointsOf(unknown.points) }))
      },
      { key: "reassurances" as const, title: "What speaks for it", lines: reassurances.map(bare) },
      { key: "control" as const, title: "Who can do what", lines: control.map(bare) },
      {
        key: "exit" as const,
        title: "Selling it",
        lines: [exit?.sale, exit?.taxes, exit?.depth, exit?.liquidity].flatMap((sentence) =>
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

const mostIds = 8

const bare = (sentence: ReportSentence): Line => ({ ...sentence, note: "" })

const pointsOf = (points: number): string => `takes ${points} ${points === 1 ? "point" : "points"} of 100`

const verdictOf = ({ verdict: { level, level_at_best, score } }: RiskReport): string => {
  const worst = level === "unknown" ? " at worst" : ""
  const points = score === null ? "no score" : `score ${score} of 100${worst}, higher is better`
  return level === "unknown"
    ? `Risk not decided: ${level_at_best} at best, and what could not be checked may make it worse (${points})`
    : `${Sentence.upper(level)} risk (${points})`
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
  evidence_ids: ["evidence id", "evidence ids"]
} as const

const omittedOf = ({ omitted }: RiskReport): string => {
  const parts = Object.entries(omitted).flatMap(([what, count]) => {
    const words = names[what as keyof typeof names]
    return count === undefined || count === 0 ? [] : [`${count} ${count === 1 ? words[0] : words[1]}`]
  })
  return parts.length === 0 ? "" : `Not shown, and in the full result: ${Sentence.list(parts)}.`
}
