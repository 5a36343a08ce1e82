/** @internal */

import type { DecidedLevel, DecisionPolicy } from "../domain/DecisionPolicy.js"
import type { ReportDecision, ReportSentence, RiskReport } from "../domain/RiskReport.js"
import * as Sentence from "./Sentence.js"

/**
 * What a policy makes of a report. A level that is not decided blocks only where it does at best, and allows never.
 */
export const make = (
  policy: DecisionPolicy,
  { reasons, reassurances, unknowns, verdict }: Pick<RiskReport, "reasons" | "reassurances" | "unknowns" | "verdict">
): ReportDecision => {
  const outcome = outcomeOf(policy, verdict)
  const why = outcome === "allow" ? reassurances : outcome === "unknown" ? [...unknowns, ...reasons] : reasons
  return { outcome, because: why.slice(0, mostReasons).map(brief), policy }
}

const outcomeOf = (
  policy: DecisionPolicy,
  { level, level_at_best }: RiskReport["verdict"]
): ReportDecision["outcome"] => {
  if (reaches(level === "unknown" ? level_at_best : level, policy.block_from)) return "block"
  if (level === "unknown") return "unknown"
  return reaches(level, policy.review_from) ? "review" : "allow"
}

const levels: ReadonlyArray<string> = ["minimal", "low", "medium", "high", "critical"]

const reaches = (level: string, limit: DecidedLevel): boolean => levels.indexOf(level) >= levels.indexOf(limit)

const mostReasons = 3

const mostOfReason = 200

const brief = ({ evidence_ids, text }: ReportSentence): ReportSentence => ({
  text: Sentence.clip(text, mostOfReason),
  evidence_ids: evidence_ids.slice(0, 1)
})
