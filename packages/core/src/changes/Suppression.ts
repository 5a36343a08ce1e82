/** @internal */

import type { Change, ChangeReport } from "../domain/ChangeReport.js"
import { checkId, type Evidence } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { RiskPoint } from "../domain/Reported.js"
import type { TargetKind } from "../domain/Target.js"
import * as ChangeGrade from "./ChangeGrade.js"
import * as FactChanges from "./FactChanges.js"
import * as RiskChanges from "./RiskChanges.js"
import * as Tolerance from "./Tolerance.js"

/**
 * Why a change is not told.
 *
 * @since 0.1.0
 * @category models
 */
export type Why = ChangeReport["suppressed"][number]["why"]

/**
 * What decides it: the rules of the checks, and what a watch asked for.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wishes {
  readonly rules?: ReadonlyArray<EvidenceRule> | undefined
  readonly ignore?: ReadonlyArray<string> | undefined
  readonly thresholds?: { readonly [id: string]: number } | undefined
}

/**
 * Says of a change of evidence, which had `before` told of it and `after` found, why it is not told; null where it is.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofEvidence = (wishes: Wishes) => {
  const rules = new Map((wishes.rules ?? []).map((rule) => [rule.id, rule]))
  const isIgnored = ignores(wishes)
  return (change: Change, before: Evidence | undefined, after: Evidence | undefined): Why | null => {
    if (isIgnored(change.id)) return "ignored"
    const check = checkId(change.id)
    const rule = rules.get(check)
    // Such a claim is of a moment, or of the endpoint: that it holds no longer is no news, nor is what it measures.
    if (rule?.volatile === true && (change.kind === "value_changed" || change.direction !== "worse")) return "volatile"
    if (before === undefined || after === undefined) return null
    if (change.kind !== "value_changed" && change.kind !== "state_changed") return null
    const isOfState = before.state !== after.state
    const harm = ChangeGrade.harmOfMove(before, after)
    // Around the line between two states or grades the worse one is told, and stays told.
    if (harm > 0 || (isOfState && harm === 0)) return null
    const tolerance = rule?.tolerance ?? (check === supply.check ? supply.tolerance : null)
    const threshold =
      wishes.thresholds?.[check] ?? (check === supply.check ? wishes.thresholds?.[supply.fact] : undefined)
    switch (Tolerance.extent(before.value, after.value, { tolerance, threshold })) {
      case "beyond":
        return null
      case "within":
        return "below_threshold"
      case "readings":
        return isOfState || harm !== 0 ? null : "volatile"
    }
  }
}

/**
 * The same of a change of a fact.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofFact =
  (wishes: Wishes) =>
  (change: Change): Why | null => {
    if (ignores(wishes)(change.id)) return "ignored"
    if (change.kind !== "value_changed" || change.id !== supply.fact) return null
    const named = (value: unknown) => ({ [supply.name]: value })
    const extent = Tolerance.extent(named(change.before), named(change.after), {
      tolerance: supply.tolerance,
      threshold: wishes.thresholds?.[supply.fact]
    })
    return extent === "within" ? "below_threshold" : null
  }

/**
 * The same of a change of risk.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofRisk =
  (wishes: Wishes) =>
  (before: RiskPoint, after: RiskPoint): Why | null =>
    ignores(wishes)(RiskChanges.id)
      ? "ignored"
      : RiskChanges.isNoise(before, after, wishes.thresholds?.[RiskChanges.id] ?? points)
        ? "below_threshold"
        : null

/**
 * The ids of which a threshold has an effect on a kind of target: without a tolerance it has no unit, and what is of a
 * moment is told or not whatever its size.
 *
 * @since 0.1.0
 * @category combinators
 */
export const thresholdIds = (rules: ReadonlyArray<EvidenceRule>, kind: TargetKind): ReadonlyArray<string> => [
  RiskChanges.id,
  ...(kind === "token" ? [supply.fact] : []),
  ...rules.flatMap(({ id, targets, tolerance, volatile }) =>
    tolerance !== null && !volatile && targets.includes(kind) ? [id] : []
  )
]

/**
 * Whether there is anything of this id that could be ignored, where these are all checks that there are.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isIgnorable = (id: string, checks: ReadonlySet<string>): boolean =>
  checks.has(checkId(id)) ||
  [RiskChanges.id, ...FactChanges.ids].some((fact) => fact === id || FactChanges.memberOf(fact) === id)

const points = 5

/** The supply, which a check tells together with the name, or the facts where there is no such check. */
const supply = {
  check: "token.metadata-readable",
  fact: "facts.token.total_supply",
  name: "total_supply",
  tolerance: { kind: "relative", amount: 0.1 }
} as const

const ignores = (wishes: Wishes) => {
  const ignored = new Set(wishes.ignore ?? [])
  return (id: string): boolean =>
    ignored.has(id) || ignored.has(checkId(id)) || (id.startsWith("facts.") && ignored.has(FactChanges.memberOf(id)))
}
