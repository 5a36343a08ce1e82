import { type Risk, Scoring } from "@assay/core"

/**
 * How a command ends: 0 below the level that fails, 2 at or above it whatever is unknown, 3 where what is unknown decides
 * it, 1 for an error.
 *
 * @since 0.1.0
 * @category models
 */
export type ExitCode = 0 | 1 | 2 | 3

/**
 * The levels that can fail a command, least first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const levels = ["low", "medium", "high", "critical"] as const

/**
 * @since 0.1.0
 * @category models
 */
export type FailLevel = (typeof levels)[number]

/**
 * The code of an analysis. The worst reading is the level of `range.worst`: what could not be checked counts against the
 * target.
 *
 * @since 0.1.0
 * @category combinators
 */
export const ofRisk = (risk: Pick<Risk.Risk, "level" | "level_at_best" | "range">, failAt: FailLevel): ExitCode => {
  const reaches = (level: Risk.RiskLevel) => ladder.indexOf(level) >= ladder.indexOf(failAt)
  if (reaches(risk.level_at_best)) return 2
  return reaches(Scoring.band(risk.range.worst)) ? 3 : 0
}

/**
 * The code of several: the gravest, in the order 1, 2, 3, 0.
 *
 * @since 0.1.0
 * @category combinators
 */
export const gravest = (codes: ReadonlyArray<ExitCode>): ExitCode =>
  ([1, 2, 3] as const).find((code) => codes.includes(code)) ?? 0

const ladder: ReadonlyArray<Risk.RiskLevel> = ["minimal", ...levels]
