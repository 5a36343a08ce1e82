/** @internal */

import { Option } from "effect"
import * as Version from "../analysis/Version.js"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import type { ExecutionId } from "../domain/Id.js"
import type { Target } from "../domain/Target.js"
import { fromMillis, toMillis } from "../domain/Timestamp.js"
import type { WatchRun } from "../domain/Watch.js"
import * as ResultDocument from "../executions/ResultDocument.js"
import type { Begun, Postponed, Slot, StoredWatch } from "../storage/WatchStore.js"
import { skipped } from "../summary/Summarizer.js"
import * as Grid from "./Grid.js"
import * as Transition from "./Transition.js"

/**
 * The run that a due watch begins, and the state of the watch after it. It is a `catch_up` if the watch is overdue by
 * more than one interval. After downtime these runs are spread over at most ten minutes.
 */
export const scheduled =
  (now: number) =>
  (watch: StoredWatch, slot: Slot): Begun | Postponed => {
    const { id, memory } = watch
    const { interval } = memory.grid
    const due = Option.getOrElse(memory.nextDueAt, () => now)
    if (due < now - interval)
      // Stored, so that a restart in between does not spread it again.
      return {
        memory: { ...memory, nextDueAt: Option.some(now + 1 + Grid.spread(id, Math.min(interval, tenMinutes))) }
      }
    return {
      memory: Transition.apply(memory, { _tag: "Claimed" }, now).memory,
      run: running(slot, {
        trigger: Math.min(due, Grid.due(memory.grid, memory.n + 1)) < now - interval ? "catch_up" : "schedule",
        scheduledFor: due,
        now
      })
    }
  }

const tenMinutes = 600_000

/** The run of a manual check. The grid does not change. */
export const manual =
  (now: number) =>
  (watch: StoredWatch, slot: Slot): Begun => ({
    memory: watch.memory,
    run: running(slot, { trigger: "manual", scheduledFor: now, now })
  })

/** The execution of a run that was ended before it began. */
export const execution = (id: ExecutionId, target: Target, run: WatchRun): AnalysisResult =>
  ResultDocument.running({
    id,
    target,
    startedAt: toMillis(run.started_at ?? run.scheduled_for),
    engineVersion: Version.engine,
    rulesetVersion: Version.ruleset,
    summary: skipped("scheduled_check")
  })

const running = (
  slot: Slot,
  options: { readonly trigger: WatchRun["trigger"]; readonly scheduledFor: number; readonly now: number }
): WatchRun => ({
  id: slot.runId,
  scheduled_for: fromMillis(options.scheduledFor),
  started_at: fromMillis(options.now),
  finished_at: null,
  trigger: options.trigger,
  status: "running",
  units: 0,
  execution_id: slot.executionId,
  change_status: null,
  max_severity: null,
  error_code: null,
  error: null
})
