/** @internal */

import { Option } from "effect"
import { fromMillis } from "../domain/Timestamp.js"
import type { Warning } from "../domain/Warning.js"
import type { Watch } from "../domain/Watch.js"
import { type StoredWatch, stateOf } from "../storage/WatchStore.js"
import * as Forecast from "./Forecast.js"

/**
 * What the warnings of a watch depend on: all watches of its key, its quota, and whether anything receives its events.
 */
export interface Surroundings {
  readonly watches: ReadonlyArray<StoredWatch>
  readonly dailyQuota: number
  readonly hasWebhook: boolean
}

/** A watch as its owner sees it. */
export const make = (watch: StoredWatch, surroundings: Surroundings): Watch => {
  const { memory, target } = watch
  const at = (moment: Option.Option<number>) => Option.getOrNull(Option.map(moment, fromMillis))
  const error = Option.getOrNull(memory.lastError)
  return {
    id: watch.id,
    target: target.kind,
    address: target.address,
    label: watch.label,
    interval_seconds: memory.grid.interval / 1000,
    chain: target.chain,
    state: stateOf(memory),
    state_reason: memory.status._tag === "Suspended" ? memory.status.reason : null,
    running: Option.isSome(watch.live),
    created_at: fromMillis(watch.createdAt),
    updated_at: fromMillis(watch.updatedAt),
    last_checked_at: at(memory.lastCheckedAt),
    last_error: error?.detail ?? null,
    last_error_code: error?.code ?? null,
    last_success_at: at(memory.lastSuccessAt),
    last_changed_at: at(memory.lastChangedAt),
    next_due_at: at(memory.nextDueAt),
    consecutive_failures: memory.failures,
    units_per_check: 1,
    units_per_day: Math.ceil(Forecast.unitsPerDay(memory.grid)),
    counts: memory.counts,
    skipped_runs: memory.skipped,
    options: watch.options,
    warnings: warnings(watch, surroundings)
  }
}

const warnings = (watch: StoredWatch, { dailyQuota, hasWebhook, watches }: Surroundings): ReadonlyArray<Warning> => {
  const needed = Forecast.needed(watches)
  const isSame = (other: StoredWatch) =>
    other.id !== watch.id &&
    other.target.kind === watch.target.kind &&
    other.target.address === watch.target.address &&
    other.target.chain.id === watch.target.chain.id
  return [
    ...(needed > dailyQuota
      ? [
          {
            code: "over_quota",
            detail: `Watches of this key need ${needed} units a day; the quota is ${dailyQuota}.`
          }
        ]
      : []),
    ...(watches.some(isSame)
      ? [{ code: "duplicate_target", detail: "Another watch of this key checks the same target." }]
      : []),
    ...(hasWebhook
      ? []
      : [{ code: "no_webhook", detail: "No webhook of this key is enabled; events are only in the log." }])
  ]
}
