/** @internal */

import { checkId, type Evidence, severityRank } from "../domain/Evidence.js"
import type { ReportSentence } from "../domain/RiskReport.js"
import * as Absence from "./Absence.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/**
 * What speaks for the target and is decided: protective claims that are confirmed, then risks that are refuted, the
 * gravest first. What the exit of a token says already is left out.
 */
export const all = (findings: Findings.Findings): ReadonlyArray<ReportSentence> => [
  ...findings.items
    .filter(
      (item) =>
        item.state === "confirmed" &&
        item.polarity === "protective" &&
        !toldByExit.has(checkId(item.id)) &&
        !isOutdone(item, findings)
    )
    .map((item) => Sentence.of(`${item.title}: ${gist(item)}`, [item])),
  ...refuted(findings)
    .filter(({ id }) => !toldByExit.has(checkId(id)))
    .map((item) => Sentence.of(Absence.of(item, findings), [item]))
]

/** The risks that are refuted, the gravest and those that were read or simulated first. */
export const refuted = ({ items }: Findings.Findings): ReadonlyArray<Evidence> =>
  items
    .filter(({ polarity, severity, state }) => state === "refuted" && polarity === "risk" && severity !== "info")
    .sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || Number(b.verified) - Number(a.verified))

const mostOfDetail = 100

const gist = ({ detail }: Evidence): string => Sentence.clip(Sentence.gist(detail), mostOfDetail)

const toldByExit: ReadonlySet<string> = new Set([
  "liquidity.burned",
  "liquidity.held-by-insiders",
  "liquidity.locked",
  "trade.honeypot",
  "trade.taxed"
])

/** Claims that are true and reassure nobody while another one is not refuted. */
const outdoneBy: { readonly [check: string]: ReadonlyArray<string> } = {
  "control.renounced": ["control.hidden", "control.reclaimable", "token.powers-survive-renouncing"],
  "control.timelocked": ["control.change-planned"]
}

const isOutdone = (item: Evidence, findings: Findings.Findings): boolean =>
  (outdoneBy[checkId(item.id)] ?? []).some((check) =>
    Findings.all(findings, check).some(({ state }) => state !== "refuted")
  )
