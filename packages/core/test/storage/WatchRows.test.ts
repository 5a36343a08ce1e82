import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type * as Id from "../../src/domain/Id.js"
import * as Timestamp from "../../src/domain/Timestamp.js"
import type { WatchRun } from "../../src/domain/Watch.js"
import * as WatchRows from "../../src/storage/WatchRows.js"

const execution: Id.ExecutionId = "exe_00000000000000000000000000"

const waiting: WatchRun = {
  id: "run_00000000000000000000000000",
  scheduled_for: Timestamp.fromMillis(1_000),
  started_at: null,
  finished_at: null,
  trigger: "schedule",
  status: "running",
  units: 1,
  execution_id: null,
  change_status: null,
  max_severity: null,
  error_code: null,
  error: null
}
const ended: WatchRun = {
  ...waiting,
  started_at: Timestamp.fromMillis(2_000),
  finished_at: Timestamp.fromMillis(3_000),
  status: "succeeded",
  execution_id: execution,
  change_status: "changed",
  max_severity: "high"
}
const failed: WatchRun = {
  ...ended,
  status: "failed",
  change_status: null,
  max_severity: null,
  error_code: "deadline",
  error: "too late"
}

describe("WatchRows", () => {
  it.effect.each([
    ["as a text of what its columns do not say", WatchRows.runText],
    ["as a whole, as it was once written", (run: WatchRun) => JSON.stringify(run)]
  ] as const)("reads a run back from its row, written %s", ([_, write]) =>
    Effect.gen(function* () {
      for (const run of [waiting, ended, failed]) {
        const row = yield* Schema.decodeUnknown(WatchRows.RunColumns)({
          run_id: run.id,
          status: run.status,
          execution_id: execution,
          document: write(run)
        })
        assert.deepStrictEqual(WatchRows.runOf(row), run)
      }
    })
  )
})
