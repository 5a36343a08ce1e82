/** @internal */

import { Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { BlockRef } from "../domain/BlockRef.js"
import type { Change, ChangeReport, ChangeSide } from "../domain/ChangeReport.js"
import { type Severity, severityRank } from "../domain/Evidence.js"
import type { Timestamp } from "../domain/Timestamp.js"
import * as ChangeText from "./ChangeText.js"

/** An execution that ended with a result. */
export interface Finished extends AnalysisResult {
  readonly block: BlockRef
  readonly completed_at: Timestamp
}

export const finishedOption = (result: AnalysisResult): Option.Option<Finished> =>
  result.block === null || result.completed_at === null || result.status === "failed" || result.status === "running"
    ? Option.none()
    : Option.some({ ...result, block: result.block, completed_at: result.completed_at })

/** The findings of a comparison; the rest of the report derives from them. */
export interface Findings
  extends Pick<ChangeReport, "status">,
    Partial<Pick<ChangeReport, "reason" | "risk" | "changes" | "ruleset_changes" | "suppressed">> {}

export const make = (sides: { readonly base?: Finished; readonly head: Finished }, findings: Findings): ChangeReport =>
  complete({
    base: sides.base === undefined ? null : sideOf(sides.base),
    head: sideOf(sides.head),
    status: findings.status,
    reason: findings.reason ?? null,
    risk: findings.risk ?? null,
    changes: findings.changes ?? [],
    ruleset_changes: findings.ruleset_changes ?? [],
    suppressed: findings.suppressed ?? []
  })

/** The same report with other changes; its status, order, counts and text derive from them. */
export const withChanges = (
  report: ChangeReport,
  found: Pick<ChangeReport, "changes" | "suppressed" | "risk">
): ChangeReport =>
  complete({
    ...report,
    ...found,
    status: statusOf([...found.changes, ...report.ruleset_changes])
  })

export const statusOf = (changes: ReadonlyArray<Change>): "changed" | "unchanged" =>
  changes.length > 0 ? "changed" : "unchanged"

/** Most severe first, then by id. */
export const ordered = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> =>
  [...changes].sort((a, b) => severityRank(b.severity) - severityRank(a.severity) || byText(a.id, b.id))

export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const sideOf = ({ block, completed_at, execution_id, ruleset_version }: Finished): ChangeSide => ({
  execution_id,
  completed_at,
  block,
  ruleset_version
})

const complete = (
  found: Pick<
    ChangeReport,
    "status" | "reason" | "base" | "head" | "risk" | "changes" | "ruleset_changes" | "suppressed"
  >
): ChangeReport => {
  const changes = ordered(found.changes)
  const suppressed = [...found.suppressed].sort((a, b) => byText(a.id, b.id))
  const count = (severity: Severity) => changes.filter((change) => change.severity === severity).length
  const document: Omit<ChangeReport, "text"> = {
    format_version: "1.0",
    status: found.status,
    reason: found.reason,
    base: found.base,
    head: found.head,
    max_severity: changes[0]?.severity ?? null,
    counts: {
      critical: count("critical"),
      high: count("high"),
      medium: count("medium"),
      low: count("low"),
      info: count("info"),
      suppressed: suppressed.length
    },
    risk: found.risk,
    changes,
    ruleset_changes: ordered(found.ruleset_changes),
    suppressed
  }
  return { ...document, text: ChangeText.plain(document) }
}
