import { Grid, Id, Timestamp, Transition } from "@assay/core"
import { Effect, Option, Schema } from "effect"
import * as WatchMemory from "../packages/core/dist/domain/WatchMemory.js"

/*
 * Watches, their claims and the ends of their runs, as benchmarks of stores make them: all at one moment.
 */

export const noon = Date.UTC(2026, 10, 21, 12)

export const idOf = (prefix, number) => `${prefix}_${String(number).padStart(26, "0")}`

/** What a watch remembers that was checked before, as it is stored. */
export const memory = Schema.encodeSync(Schema.parseJson(WatchMemory.WatchMemory))({
  ...Transition.created(Grid.make(idOf("wat", 0), { anchor: noon, intervalSeconds: 3600 }), "Active"),
  lastCheckedAt: Option.some(noon),
  base: Option.some(idOf("exe", 0))
})

/** So many claims to give out. */
export const slots = (count) =>
  Effect.replicateEffect(
    Effect.map(Effect.all([Id.make("run"), Id.make("exe")]), ([runId, executionId]) => ({
      runId,
      executionId,
      token: runId
    })),
    count
  )

/** What a claim of a watch at `noon` begins. */
export const begin = (watch, slot) => ({
  memory: Transition.apply(watch.memory, { _tag: "Claimed" }, noon).memory,
  run: {
    id: slot.runId,
    scheduled_for: Timestamp.fromMillis(noon),
    started_at: Timestamp.fromMillis(noon),
    finished_at: null,
    trigger: "schedule",
    status: "running",
    units: 0,
    execution_id: slot.executionId,
    change_status: null,
    max_severity: null,
    error_code: null,
    error: null
  }
})

/** How a claimed check ends that found nothing new. */
export const ending = (claim) => (watch) => ({
  run: { ...claim.run, status: "succeeded", finished_at: Timestamp.fromMillis(noon), change_status: "unchanged" },
  memory: {
    ...Transition.apply(
      watch.memory,
      { _tag: "Succeeded", startedAt: noon, execution: claim.executionId, changed: Option.none(), keepsBase: false },
      noon
    ).memory,
    // Due again, behind all the others, so that as many wait as before.
    nextDueAt: Option.some(noon)
  },
  events: []
})
