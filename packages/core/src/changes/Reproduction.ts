/** @internal */

import type { Change, ChangeReport } from "../domain/ChangeReport.js"
import { checkId, severityRank } from "../domain/Evidence.js"
import * as Delta from "./Delta.js"
import * as FactChanges from "./FactChanges.js"
import * as ReportDocument from "./ReportDocument.js"

/** A report after a second reading, compared with the same base. `unseen` are the ids that it could not read. */
export const reproduced = (first: ChangeReport, second: ChangeReport, unseen: ReadonlySet<string>): ChangeReport => {
  if (first.status !== "changed") return first
  // An incomparable result is no second reading.
  if (second.status === "incomparable" || second.status === "baseline") return unverified(first)
  const shown = new Map(second.changes.map((change) => [change.id, change]))
  const explained = new Set(second.suppressed.flatMap(({ id, why }) => (why === "explained" ? [id] : [])))
  const verdictOf = (change: Change): Verdict => {
    if (!isGrave(change)) return "kept"
    const again = shown.get(change.id)
    if ((again !== undefined && agrees(change, again)) || explained.has(change.id)) return "verified"
    return isUnseen(change.id, unseen) ? "unverified" : "not_reproduced"
  }
  const judged = first.changes
    .filter(({ subject }) => subject !== "risk")
    .map((change) => ({ change, verdict: verdictOf(change) }))
  const causes = judged.map(({ verdict }) => verdict)
  const all = [
    ...judged,
    ...first.changes
      .filter(({ subject }) => subject === "risk")
      .map((change) => ({ change, verdict: ofRisk(change, shown.get(change.id), causes) }))
  ]
  return ReportDocument.withChanges(first, {
    changes: all.flatMap(({ change, verdict }) => (verdict === "not_reproduced" ? [] : [marked(change, verdict)])),
    suppressed: [
      ...first.suppressed,
      ...all.flatMap(({ change, verdict }) =>
        verdict === "not_reproduced" ? [{ id: change.id, why: "not_reproduced" as const }] : []
      )
    ],
    // The score of the first reading includes the changes removed here.
    risk: causes.includes("not_reproduced") ? second.risk : first.risk
  })
}

/** The report where the target could not be read again. */
export const unverified = (report: ChangeReport): ChangeReport =>
  report.changes.some(isGrave)
    ? ReportDocument.withChanges(report, {
        changes: report.changes.map((change) => marked(change, isGrave(change) ? "unverified" : "kept")),
        suppressed: report.suppressed,
        risk: report.risk
      })
    : report

type Verdict = "kept" | "verified" | "unverified" | "not_reproduced"

const marked = (change: Change, verdict: Verdict): Change =>
  verdict === "verified" || verdict === "unverified" ? { ...change, verified: verdict === "verified" } : change

/** Whether a change is severe enough to need a second reading before it is reported. */
export const isGrave = ({ severity }: Change): boolean => severityRank(severity) >= severityRank("high")

/** The risk derives from the other changes, so it is as certain as they are. */
const ofRisk = (change: Change, again: Change | undefined, causes: ReadonlyArray<Verdict>): Verdict => {
  if (!isGrave(change) && !causes.includes("not_reproduced")) return "kept"
  if (again !== undefined && again.kind === change.kind && again.direction === change.direction)
    return isGrave(change) ? "verified" : "kept"
  return causes.includes("unverified") ? "unverified" : "not_reproduced"
}

const isUnseen = (id: string, unseen: ReadonlySet<string>): boolean =>
  unseen.has(id) || unseen.has(checkId(id)) || unseen.has(FactChanges.memberOf(id))

/**
 * Whether the second change reproduces the first: the same kind, state and direction, the same added and removed
 * members, and the same values except numbers, which move between two readings.
 */
const agrees = (first: Change, second: Change): boolean =>
  first.kind === second.kind &&
  first.direction === second.direction &&
  Delta.leaves(first.after, second.after).every((leaf) => isNumber(leaf) || isWider(leaf, first))

const isNumber = (leaf: Delta.Leaf): boolean => Delta.isNumeric(leaf.before) && Delta.isNumeric(leaf.after)

const isWider = (leaf: Delta.Leaf, { delta }: Change): boolean => {
  const set = Delta.setOf(leaf)
  if (set === null || delta === null || !("added" in delta)) return false
  const among = (members: ReadonlyArray<unknown>, others: ReadonlyArray<unknown>) =>
    members.some((member) => others.some((other) => Delta.isSame(member, other)))
  // Members that the first reading added must be present, and those it removed absent.
  return !among(set.removed, delta.added) && !among(set.added, delta.removed)
}
