import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Id from "../../src/domain/Id.js"
import * as AnalysisChanges from "../../src/executions/AnalysisChanges.js"
import * as Documents from "../../src/testing/Documents.js"

const at = (block: number, state: "confirmed" | "refuted", target = Documents.token(1)): AnalysisChanges.Side => ({
  analysis: Documents.analysis(target, [Documents.evidence("token.mintable", state)], block),
  executionId: Option.none()
})

describe("AnalysisChanges", () => {
  it.effect("reports of two analyses what is reported of two executions, under the ids that they have", () =>
    Effect.gen(function* () {
      const executionId = yield* Id.make("exe")
      const head = { ...at(2, "confirmed"), executionId: Option.some(executionId) }
      const report = yield* AnalysisChanges.between({ base: at(1, "refuted"), head, rules: [] })
      assert.strictEqual(report.status, "changed")
      assert.include(
        report.changes.map(({ id }) => id),
        "token.mintable"
      )
      assert.strictEqual(report.head.execution_id, executionId)
      assert.match(report.base?.execution_id ?? "", /^exe_/)
    })
  )

  it.effect("compares no later block with an earlier one", () =>
    Effect.gen(function* () {
      const report = yield* AnalysisChanges.between({ base: at(2, "refuted"), head: at(1, "confirmed"), rules: [] })
      assert.deepInclude(report, { status: "incomparable", reason: "block_regressed" })
    })
  )

  it.effect("refuses analyses of two targets", () =>
    Effect.gen(function* () {
      const head = at(2, "confirmed", Documents.token(2))
      const error = yield* Effect.flip(AnalysisChanges.between({ base: at(1, "refuted"), head, rules: [] }))
      assert.strictEqual(error._tag, "NotComparable")
    })
  )
})
