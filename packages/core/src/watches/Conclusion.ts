/** @internal */

import { Option } from "effect"
import { fromMillis, toMillis } from "../domain/Timestamp.js"
import type { WatchRun } from "../domain/Watch.js"
import type { CheckError } from "../domain/WatchMemory.js"
import type { Claim, Finish, StoredWatch } from "../storage/WatchStore.js"
import * as CheckEvents from "./CheckEvents.js"
import type { Outcome } from "./Outcome.js"
import * as Transition from "./Transition.js"

/** What is written when a run ends. Pure: the worker and the reaper write the same. */
export const finish =
  (claim: Claim, outcome: Outcome, now: number) =>
  (watch: StoredWatch): Finish => {
    const { memory, notices } = transition(claim, watch, outcome, now)
    return {
      run: ended(claim.run, outcome, now),
      memory,
      events: CheckEvents.make({ runId: claim.run.id, watch: { ...watch, memory }, outcome, notices, now })
    }
  }

const transition = (claim: Claim, watch: StoredWatch, outcome: Outcome, now: number): Transition.Transition => {
  const startedAt = toMillis(claim.run.started_at ?? claim.run.scheduled_for)
  const apply = (happening: Transition.WatchHappening) => Transition.apply(watch.memory, happening, now)
  switch (outcome._tag) {
    case "Succeeded": {
      const report = outcome.result.change_report
      return apply({
        _tag: "Succeeded",
        startedAt,
        execution: outcome.result.execution_id,
        changed: report?.status === "changed" ? Option.fromNullable(report.max_severity) : Option.none(),
        keepsBase: report?.suppressed.some(({ why }) => why === "not_reproduced") ?? false
      })
    }
    case "Failed":
      return apply({ _tag: "Failed", startedAt, error: outcome.error })
    case "OutOfQuota":
      return apply({ _tag: "OutOfQuota", trigger: claim.run.trigger, resetsAt: toMillis(outcome.resetsAt) })
    case "KeyUnusable":
      return apply({ _tag: "KeyUnusable", reason: outcome.reason })
    case "Released":
      return apply({ _tag: "Released", grid: claim.watch.memory.grid })
    case "Abandoned":
      return apply({
        _tag: "Abandoned",
        startedAt,
        trigger: claim.run.trigger,
        grid: claim.watch.memory.grid
      })
  }
}

const ended = (run: WatchRun, outcome: Outcome, now: number): WatchRun => {
  const end = { ...run, finished_at: fromMillis(now) }
  const failed = (status: WatchRun["status"], error: CheckError): WatchRun => ({
    ...end,
    status,
    error_code: error.code,
    error: error.detail
  })
  switch (outcome._tag) {
    case "Succeeded": {
      const { change_report: report, execution_id, units } = outcome.result
      return {
        ...end,
        status: "succeeded",
        units,
        execution_id,
        change_status: report?.status ?? null,
        max_severity: report?.max_severity ?? null
      }
    }
    case "Failed":
      return { ...failed("failed", outcome.error), execution_id: outcome.began ? run.execution_id : null }
    case "OutOfQuota":
      return { ...failed("skipped", Transition.noQuota), execution_id: null }
    case "KeyUnusable":
      return { ...failed("skipped", Transition.unusable[outcome.reason]), execution_id: null }
    case "Released":
      return { ...failed("abandoned", draining), execution_id: null }
    case "Abandoned":
      return { ...failed("abandoned", Transition.leaseLost), execution_id: outcome.began ? run.execution_id : null }
  }
}

const draining: CheckError = {
  code: "draining",
  detail: "The process stopped before the check was finished; it is made again."
}
