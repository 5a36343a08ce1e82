/** @internal */

import { Option } from "effect"
import type { AnalysisResult } from "../domain/AnalysisResult.js"
import { changesShown, type EventBody, type NewEvent } from "../domain/Event.js"
import { Severity, severityRank } from "../domain/Evidence.js"
import * as Id from "../domain/Id.js"
import { dayOf, fromMillis, toMillis } from "../domain/Timestamp.js"
import type { StoredWatch } from "../storage/WatchStore.js"
import type { Outcome } from "./Outcome.js"
import type { Notice } from "./Transition.js"

/**
 * The events that the end of a run causes. Their ids belong to the run (for an exhausted quota: to key and day), so
 * that finishing a run twice reports once. `watch` is the watch after the run.
 */
export const make = (options: {
  readonly runId: Id.RunId
  readonly watch: StoredWatch
  readonly outcome: Outcome
  readonly notices: ReadonlyArray<Notice>
  readonly now: number
}): ReadonlyArray<NewEvent> => {
  const { now, outcome, runId, watch } = options
  const event = (body: EventBody, id = Id.derive("evt", runId, body.type)): NewEvent => ({
    id,
    keyId: watch.keyId,
    timestamp: fromMillis(now),
    body,
    only: null
  })
  const of = {
    watch_id: watch.id,
    label: watch.label,
    target: watch.target.kind,
    address: watch.target.address,
    chain: watch.target.chain
  }

  const told = (notice: Notice): ReadonlyArray<NewEvent> => {
    switch (notice) {
      case "watch.failing":
        return Option.toArray(watch.memory.lastError).map(({ code, detail }) =>
          event({
            type: notice,
            data: { ...of, consecutive_failures: watch.memory.failures, error_code: code, error: detail }
          })
        )
      case "watch.recovered":
        return outcome._tag === "Succeeded"
          ? [event({ type: notice, data: { ...of, execution_id: outcome.result.execution_id } })]
          : []
      case "watch.suspended":
        return watch.memory.status._tag === "Suspended"
          ? [event({ type: notice, data: { ...of, reason: watch.memory.status.reason } })]
          : []
      case "quota.exhausted":
        return outcome._tag === "OutOfQuota"
          ? Option.toArray(outcome.dailyQuota).map((daily_quota) => {
              // The day that was exhausted, even if midnight has passed since.
              const day = dayOf(toMillis(outcome.resetsAt) - 1)
              const data = { day, daily_quota, resets_at: outcome.resetsAt }
              return event({ type: notice, data }, Id.derive("evt", watch.keyId, day, notice))
            })
          : []
    }
  }

  return [
    ...(outcome._tag === "Succeeded" ? ofResult(watch, outcome.result).map((body) => event(body(of))) : []),
    ...options.notices.flatMap(told)
  ]
}

type OfWatch = Pick<
  Extract<EventBody, { type: "watch.changed" }>["data"],
  "watch_id" | "label" | "target" | "address" | "chain"
>

const ofResult = (watch: StoredWatch, result: AnalysisResult): ReadonlyArray<(of: OfWatch) => EventBody> => {
  const report = result.change_report
  if (report === null) return []
  const isNews =
    report.status === "changed" &&
    report.max_severity !== null &&
    severityRank(report.max_severity) >= severityRank(watch.options.min_severity)
  if (!isNews && !watch.options.notify_unchanged) return []
  return [
    (of) => ({
      type: isNews ? "watch.changed" : "watch.checked",
      data: {
        ...of,
        execution_id: result.execution_id,
        base_execution_id: report.base?.execution_id ?? null,
        max_severity: report.max_severity,
        counts: Object.fromEntries(
          Severity.literals.flatMap((severity) =>
            report.counts[severity] > 0 ? [[severity, report.counts[severity]] as const] : []
          )
        ),
        score_before: report.risk?.score_before ?? null,
        score_after: report.risk?.score_after ?? null,
        changes: report.changes.slice(0, changesShown),
        changes_url: `/api/v1/executions/${result.execution_id}/changes`
      }
    })
  ]
}
