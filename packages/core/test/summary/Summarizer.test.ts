import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { AnalysisResult } from "../../src/domain/AnalysisResult.js"
import * as Summarizer from "../../src/summary/Summarizer.js"
import { input } from "./Inputs.js"

describe("Summarizer", () => {
  it.effect("that is disabled says that nothing was configured, before and after", () =>
    Effect.gen(function* () {
      const { pending, summarize } = yield* Summarizer.Summarizer
      const expected = { summary: null, summary_status: "never_configured", summary_reason: null }
      assert.deepStrictEqual([pending, yield* summarize(input())], [expected, expected])
    }).pipe(Effect.provide(Summarizer.layerDisabled))
  )

  it("has words of the contract for each outcome, and prose only where there is some", () => {
    const isSummary = Schema.is(AnalysisResult.pick("summary", "summary_status", "summary_reason"))
    const outcomes = [
      Summarizer.generated("x"),
      Summarizer.skipped("budget"),
      Summarizer.neverConfigured,
      Summarizer.unwritten
    ]
    for (const outcome of outcomes) {
      assert.isTrue(isSummary(outcome))
      assert.strictEqual(outcome.summary !== null, outcome.summary_status === "generated")
    }
  })
})
