import type * as ChangeReport from "@assay/core/domain/ChangeReport"
import * as Evidence from "@assay/core/domain/Evidence"
import type * as Risk from "@assay/core/domain/Risk"
import * as Scoring from "@assay/core/risk/Scoring"

/**
 * How a command ends: 0 below the level that fails, 2 at or above it whatever is unknown, 3 where what is unknown decides
 * it, 1 for an error.
 */
export type ExitCode = 0 | 1 | 2 | 3

/** The levels that can fail a command, least first. */
export const levels = ["low", "medium", "high", "critical"] as const

export type FailLevel = (typeof levels)[number]

/**
 * The code of an analysis. The worst reading is the level of `range.worst`: what could not be checked counts against the
 * target.
 */
export const ofRisk = (risk: Pick<Risk.Risk, "level" | "level_at_best" | "range">, failAt: FailLevel): ExitCode => {
  const reaches = (level: Risk.RiskLevel) => ladder.indexOf(level) >= ladder.indexOf(failAt)
  if (reaches(risk.level_at_best)) return 2
  return reaches(Scoring.band(risk.range.worst)) ? 3 : 0
}

/** The severities of a change that can fail a command, least first. */
export const changeLevels = ["info", ...levels] as const

export type ChangeLevel = (typeof changeLevels)[number]

/**
 * The code of a change report: 2 where a change is at or above the severity that fails, whatever else is unknown. Sight
 * that was lost is no change of the target, and neither is what cannot be compared: that alone is 3.
 */
export const ofChanges = (
  report: Pick<ChangeReport.ChangeReport, "changes" | "status">,
  failAt: ChangeLevel
): ExitCode => {
  const reaches = ({ kind, severity }: ChangeReport.Change) =>
    kind !== "visibility_lost" && Evidence.severityRank(severity) >= Evidence.severityRank(failAt)
  if (report.changes.some(reaches)) return 2
  return report.status === "incomparable" || report.changes.some(({ kind }) => kind === "visibility_lost") ? 3 : 0
}

/** The code of several: the gravest, in the order 1, 2, 3, 0. */
export const gravest = (codes: ReadonlyArray<ExitCode>): ExitCode =>
  ([1, 2, 3] as const).find((code) => codes.includes(code)) ?? 0

const ladder: ReadonlyArray<Risk.RiskLevel> = ["minimal", ...levels]
