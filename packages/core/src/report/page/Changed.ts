/** @internal */

import { type Change, type ChangeReport, isOfReading } from "../../domain/ChangeReport.js"
import type { ReportSentence } from "../../domain/RiskReport.js"
import type * as Layout from "../Layout.js"
import * as Sentence from "../Sentence.js"
import * as Mark from "./Mark.js"
import type { Markup } from "./Markup.js"

/** The sections with all that changed before the others: the gravest first, as the change report has them. */
export const first = (
  sections: ReadonlyArray<Layout.Section>,
  { changes }: ChangeReport
): ReadonlyArray<Layout.Section> => [
  ...(changes.length === 0 ? [] : [{ key: "changes" as const, title: "What changed", lines: changes.map(lineOf) }]),
  ...sections.filter(({ key }) => key !== "changes")
]

/** The severity of the change that a line is about; where there is no change report, that something is different. */
export const markOf = (report: ChangeReport | undefined, { evidence_ids: [id] }: ReportSentence): Markup => {
  const change = report?.changes.find((each) => each.id === id)
  return change === undefined ? Mark.badge("changed") : Mark.badge(change.severity)
}

const mostOfTitle = 300

/** A change in a line: what it is, and how it differs. */
export const lineOf = (change: Pick<Change, "direction" | "id" | "kind" | "title">): Layout.Line => ({
  text: Sentence.clip(change.title, mostOfTitle),
  note: [how[change.kind], ...(isOfReading(change) ? [] : [directions[change.direction]])]
    .filter((each) => each !== "")
    .join(", "),
  command: "",
  evidence_ids: [change.id]
})

const how: { readonly [kind in Change["kind"]]: string } = {
  added: "new",
  removed: "no longer there",
  state_changed: "decided otherwise",
  value_changed: "another value",
  visibility_lost: "cannot be read any more",
  visibility_gained: "can be read now"
}

const directions: { readonly [direction in Change["direction"]]: string } = {
  worse: "for the worse",
  better: "for the better",
  neutral: ""
}
