/** @internal */

import type { Change, ChangeReport } from "../domain/ChangeReport.js"
import type { Severity } from "../domain/Evidence.js"
import type { Reported, RiskPoint } from "../domain/Reported.js"
import type { Risk } from "../domain/Risk.js"
import * as ChangeGrade from "./ChangeGrade.js"
import * as Delta from "./Delta.js"
import { headline } from "./EvidenceChanges.js"

/** The id of the change of risk. */
export const id = "facts.risk"

export const pointOf = (risk: Risk | null): RiskPoint | null =>
  risk === null ? null : { score: risk.score, level: risk.level }

/** The last reported risk on the scale of this comparison: the earlier side without unreported changes. */
export const toldOf = (reported: Reported, before: RiskPoint): RiskPoint => {
  const untold = reported[id]
  if (untold?.subject !== "risk" || before.score === null || untold.from.score === null || untold.to.score === null)
    return before
  return {
    score: Math.min(100, Math.max(0, before.score - (untold.to.score - untold.from.score))),
    level: before.level === untold.to.level ? untold.from.level : before.level
  }
}

/** The change between the last reported and the current risk, if there is one. */
export const between = (before: RiskPoint | null, after: RiskPoint | null, link: string): ReadonlyArray<Change> => {
  const [from, to] = [before?.score ?? null, after?.score ?? null]
  if (Delta.isSame(from === null ? null : before, to === null ? null : after)) return []
  const kind = from === null ? "visibility_gained" : to === null ? "visibility_lost" : "value_changed"
  const direction = from === null || to === null ? "neutral" : ChangeGrade.directed(from - to)
  return [
    {
      id,
      subject: "risk",
      kind,
      path: "/facts/risk",
      before,
      after,
      delta: from === null || to === null ? null : Delta.between(from, to),
      severity:
        direction === "worse" && after !== null ? severities[after.level] : direction === "better" ? "low" : "info",
      direction,
      verified: true,
      title: `${headline(kind)}: risk`,
      source_url: link
    }
  ]
}

/** Whether the band is the same and the score moved by less than `amount` points. */
export const isNoise = (before: RiskPoint, after: RiskPoint, amount: number): boolean =>
  before.level === after.level &&
  before.score !== null &&
  after.score !== null &&
  Math.abs(after.score - before.score) < amount

/** The movement of risk between two executions, for a report. */
export const movement = (before: RiskPoint, after: RiskPoint): NonNullable<ChangeReport["risk"]> => ({
  score_before: before.score,
  score_after: after.score,
  score_delta: before.score === null || after.score === null ? null : after.score - before.score,
  level_before: before.level,
  level_after: after.level
})

const severities: { readonly [level in Risk["level"]]: Severity } = {
  critical: "critical",
  high: "high",
  medium: "medium",
  unknown: "medium",
  low: "low",
  minimal: "low"
}
