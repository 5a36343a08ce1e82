/** @internal */

import * as Changes from "@assay/core/changes/Changes"
import type { AnalysisResult } from "@assay/core/domain/AnalysisResult"
import type { Change } from "@assay/core/domain/ChangeReport"
import { Severity } from "@assay/core/domain/Evidence"
import type { ExecutionId } from "@assay/core/domain/Id"
import type { StoredExecution } from "@assay/core/storage/ExecutionStore"
import type { Witness } from "./Witness.js"

/** Holds every change report that is stored against the laws of comparison. */
export interface Reports {
  readonly look: (execution: StoredExecution) => void
}

export const make = ({ check }: Witness): Reports => {
  const results = new Map<ExecutionId, AnalysisResult>()

  return {
    look: ({ result }) => {
      const id = result.execution_id
      results.set(id, result)
      const report = result.change_report
      if (report === null) return check("I8", false, () => `${id} has no change report`)
      const { base, changes, counts, head, max_severity, status } = report
      check("I8", head.execution_id === id, () => `the report of ${id} is about ${head.execution_id}`)
      check(
        "I8",
        status === "changed" ? changes.length > 0 : changes.length === 0,
        () => `${id} is ${status} with ${changes.length} changes`
      )
      for (const severity of Severity.literals) {
        const number = changes.filter((change) => change.severity === severity).length
        check("I8", counts[severity] === number, () => `${id} counts ${counts[severity]} ${severity}, it has ${number}`)
      }
      const most = Severity.literals.findLast((severity) => counts[severity] > 0) ?? null
      check("I8", max_severity === most, () => `${id} says ${max_severity} at most, it has ${most}`)
      const paths = new Set(changes.map(({ path }) => path))
      check("I8", paths.size === changes.length, () => `${id} tells a change twice`)
      for (const change of changes) {
        check("I8", change.id !== "" && change.source_url !== "", () => `a change of ${id} has no id or no source`)
        check(
          "I8",
          stateOf(change.after) !== "unknown" || (change.kind === "visibility_lost" && change.severity === "info"),
          () => `${id} takes loss of sight of ${change.id} for ${change.kind}, ${change.severity}`
        )
      }
      const same = Changes.between(result, result)
      check("I8", same.length === 0, () => `${id} differs from itself in ${same[0]?.path}`)
      const before = base === null ? undefined : results.get(base.execution_id)
      if (before === undefined) return
      const forth = Changes.between(before, result)
      const back = Changes.between(result, before)
      check("I8", key(forth, "forth") === key(back, "back"), () => `${id} and ${before.execution_id} do not mirror`)
      const turned = Changes.between(before, { ...result, evidence: [...result.evidence].reverse() })
      check("I8", JSON.stringify(turned) === JSON.stringify(forth), () => `the order of evidence matters in ${id}`)
    }
  }
}

const stateOf = (side: unknown): unknown =>
  typeof side === "object" && side !== null && "state" in side ? side.state : undefined

const mirrored: { readonly [K in Change["kind"]]: Change["kind"] } = {
  added: "removed",
  removed: "added",
  state_changed: "state_changed",
  value_changed: "value_changed",
  visibility_lost: "visibility_gained",
  visibility_gained: "visibility_lost"
}

/** What of a list of changes is the same when it is read from its other end. */
const key = (changes: ReadonlyArray<Change>, way: "forth" | "back"): string =>
  changes
    .map(({ after, before, kind, path }) =>
      JSON.stringify(way === "forth" ? [path, kind, before, after] : [path, mirrored[kind], after, before])
    )
    .sort()
    .join()
