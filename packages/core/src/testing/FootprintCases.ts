/** @internal */

import { Effect, Option } from "effect"
import type { BlockRef } from "../domain/BlockRef.js"
import type { ChangeReport } from "../domain/ChangeReport.js"
import type { ExecutionId } from "../domain/Id.js"
import * as Id from "../domain/Id.js"
import { fromMillis } from "../domain/Timestamp.js"
import * as ResultDocument from "../executions/ResultDocument.js"
import { ExecutionStore, type StoredExecution } from "../storage/ExecutionStore.js"
import { QuotaStore } from "../storage/QuotaStore.js"
import type { Storage } from "../storage/Storage.js"
import type { StorageError } from "../storage/StorageError.js"
import * as CheckedToken from "./CheckedToken.js"
import * as Documents from "./Documents.js"
import { memory, start } from "./ExecutionCases.js"
import { noon, same, Violation } from "./Guarantee.js"
import { reserve } from "./QuotaCases.js"
import * as WatchSteps from "./WatchSteps.js"

/** What a back end promises that can report its size in bytes. */
export type Weighed = <E>(bytes: Effect.Effect<number, E>) => Effect.Effect<void, Violation | StorageError | E, Storage>

/** What the stores may weigh. */
export const cases: { readonly [title: string]: Weighed } = {
  "a check of a watch that finds nothing new costs at most 2 KB, with its run, its unit and all indexes, and is found unchanged":
    (bytes) => costs(bytes, 0, 2048),
  "one where numbers of half of the claims moved, which no threshold reports, costs at most 6 KB": (bytes) =>
    costs(bytes, 30, 6144)
}

const costs = <E>(bytes: Effect.Effect<number, E>, moved: number, limit: number) =>
  Effect.gen(function* () {
    const key = yield* Id.make("key")
    const watch = yield* WatchSteps.watchAt(key, noon, { target: Documents.token(0xf007 + moved) })
    let last: Option.Option<{ readonly id: ExecutionId; readonly block: BlockRef }> = Option.none()
    const check = (block: number) =>
      Effect.gen(function* () {
        const at = noon + block * WatchSteps.minute
        const begun = yield* WatchSteps.started(watch, at)
        const id = begun.executionId
        yield* reserve(key, 1_000_000, { id, kind: "watch", now: at })
        const running = Documents.running(id, watch.target, at)
        const { lease } = yield* start(key, { id, joinKey: id, running, watchId: Option.some(watch.id) })
        const analysis = CheckedToken.analysis(watch.target, block, moved)
        const result = {
          ...ResultDocument.completed(running, { analysis, completedAt: at + 8000 }),
          change_report: report(last, { id, block: analysis.block })
        }
        const known = Object.fromEntries(analysis.evidence.map((item) => [item.id, item]))
        const remembered = { known, reported: memory.reported }
        const executions = yield* ExecutionStore
        yield* same("completed", yield* executions.complete(lease.token, result, remembered), true)
        yield* (yield* QuotaStore).settle(id, "committed", at + 8000)
        yield* same("finished", yield* WatchSteps.finish(begun, at + 8000), true)
        last = Option.some({ id, block: analysis.block })
        return { keyId: key, watchId: Option.some(watch.id), result, ...remembered } satisfies StoredExecution
      })
    for (let block = 20_000_000; block < 20_000_010; block++) yield* check(block)
    const before = yield* bytes
    const checks = yield* Effect.forEach(
      Array.from({ length: 60 }, (_, index) => 20_000_010 + 7 * index),
      check
    )
    const each = ((yield* bytes) - before) / checks.length
    for (const kept of checks) {
      const found = yield* (yield* ExecutionStore).find(key, kept.result.execution_id)
      yield* same("the same document", found, Option.some(kept))
    }
    if (each > limit)
      return yield* new Violation({
        what: "bytes a check",
        sides: { expected: JSON.stringify(`at most ${limit}`), actual: JSON.stringify(Math.round(each)) }
      })
  })

const report = (
  last: Option.Option<{ readonly id: ExecutionId; readonly block: BlockRef }>,
  head: { readonly id: ExecutionId; readonly block: BlockRef }
): ChangeReport => {
  const side = ({ block, id }: typeof head) => ({
    execution_id: id,
    completed_at: fromMillis(noon),
    block,
    ruleset_version: "2026.11.1"
  })
  return {
    format_version: "1.0",
    status: Option.isNone(last) ? "baseline" : "unchanged",
    reason: null,
    base: Option.getOrNull(Option.map(last, side)),
    head: side(head),
    max_severity: null,
    counts: { critical: 0, high: 0, medium: 0, low: 0, info: 0, suppressed: 0 },
    risk: null,
    changes: [],
    ruleset_changes: [],
    suppressed: [],
    text: "No change."
  }
}
