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

/** Why a change is not reported. */
export type Why = ChangeReport["suppressed"][number]["why"]

/** The inputs of the decision: the rules of the checks and the options of a watch. */
export interface Wishes {
  readonly rules?: ReadonlyArray<EvidenceRule> | undefined
  readonly ignore?: ReadonlyArray<string> | undefined
  readonly thresholds?: { readonly [id: string]: number } | undefined
}

/** Why a change of evidence from the last reported `before` to `after` is not reported; null where it is. */
export const ofEvidence = (wishes: Wishes) => {
  const rules = new Map((wishes.rules ?? []).map((rule) => [rule.id, rule]))
  const isIgnored = ignores(wishes)
  return (change: Change, before: Evidence | undefined, after: Evidence | undefined): Why | null => {
    if (isIgnored(change.id)) return "ignored"
    const check = checkId(change.id)
    const rule = rules.get(check)
    // A volatile claim is about a moment or the endpoint: its end and its value are not reported.
    if (rule?.volatile === true && (change.kind === "value_changed" || change.direction !== "worse")) return "volatile"
    if (before === undefined || after === undefined) return null
    if (change.kind !== "value_changed" && change.kind !== "state_changed") return null
    const isOfState = before.state !== after.state
    const harm = ChangeGrade.harmOfMove(before, after)
    // At the border of two states or severities the worse one is reported and stays.
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

/** Why a change of a fact is not reported; null where it is. */
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

/** Why a change of risk is not reported; null where it is. */
export const ofRisk =
  (wishes: Wishes) =>
  (before: RiskPoint, after: RiskPoint): Why | null =>
    ignores(wishes)(RiskChanges.id)
      ? "ignored"
      : RiskChanges.isNoise(before, after, wishes.thresholds?.[RiskChanges.id] ?? points)
        ? "below_threshold"
        : null

/**
 * The ids for which a threshold has an effect on a kind of target: a rule without tolerance has no unit, and volatile
 * claims do not depend on a size.
 */
export const thresholdIds = (rules: ReadonlyArray<EvidenceRule>, kind: TargetKind): ReadonlyArray<string> => [
  RiskChanges.id,
  ...(kind === "token" ? [supply.fact] : []),
  ...rules.flatMap(({ id, targets, tolerance, volatile }) =>
    tolerance !== null && !volatile && targets.includes(kind) ? [id] : []
  )
]

/** Whether an id to ignore exists, given all checks. */
export const isIgnorable = (id: string, checks: ReadonlySet<string>): boolean =>
  checks.has(checkId(id)) ||
  [RiskChanges.id, ...FactChanges.ids].some((fact) => fact === id || FactChanges.memberOf(fact) === id)

const points = 5

/** The supply, which a check reports together with the name, or the facts where that check is absent. */
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
