import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { AnalysisResult, type Summary } from "../../src/domain/AnalysisResult.js"
import type { ChangeReport } from "../../src/domain/ChangeReport.js"
import * as Id from "../../src/domain/Id.js"
import * as Timestamp from "../../src/domain/Timestamp.js"
import * as ResultDocument from "../../src/executions/ResultDocument.js"
import * as Summarizer from "../../src/summary/Summarizer.js"
import * as Documents from "../../src/testing/Documents.js"

const target = Documents.token(7)

const begun = (summary: Summary = Summarizer.neverConfigured) =>
  Effect.map(Id.make("exe"), (id) =>
    ResultDocument.running({
      id,
      target,
      startedAt: 1_700_000_000_000,
      engineVersion: "1.2.3",
      rulesetVersion: "2026.11.1+0",
      summary
    })
  )

const analysis = Documents.analysis(target, [Documents.evidence("token.mintable", "confirmed")], 21_000_000)

const isWire = (document: AnalysisResult): boolean =>
  Schema.is(AnalysisResult)(document) &&
  JSON.stringify(document) === JSON.stringify(JSON.parse(JSON.stringify(document)))

describe("ResultDocument", () => {
  it.effect("of a begun execution has its target and start, and no result and no charge", () =>
    Effect.gen(function* () {
      const document = yield* begun()
      assert.isTrue(isWire(document))
      assert.deepInclude(document, {
        target: "token",
        address: target.address,
        chain: target.chain,
        status: "running",
        created_at: Timestamp.fromMillis(1_700_000_000_000),
        completed_at: null,
        error: null,
        block: null,
        content_hash: null,
        change_report: null,
        engine_version: "1.2.3",
        ruleset_version: "2026.11.1+0",
        units: 0
      })
      assert.deepStrictEqual(document.evidence, [])
      assert.deepStrictEqual(document.facts, ResultDocument.noFacts)
    })
  )

  it("has no fact where there is no result, and none that was lost", () => {
    const { unread, ...facts } = ResultDocument.noFacts
    for (const fact of Object.values(facts)) assert.isNull(fact)
    assert.deepStrictEqual(unread, {})
  })

  it.effect("has the state of its summary", () =>
    Effect.gen(function* () {
      for (const summary of [Summarizer.neverConfigured, Summarizer.unwritten, Summarizer.skipped("scheduled_check")]) {
        const document = yield* begun(summary)
        assert.isTrue(isWire(document))
        assert.deepInclude(document, summary)
      }
    })
  )

  it.effect("that is summarised differs in its summary alone, the hash stays", () =>
    Effect.gen(function* () {
      const done = ResultDocument.completed(yield* begun(), { analysis, completedAt: 1_700_000_001_500 })
      for (const summary of [Summarizer.generated("It can be minted."), Summarizer.skipped("budget")]) {
        const told = ResultDocument.summarised(done, summary)
        assert.isTrue(isWire(told))
        assert.deepStrictEqual(told, { ...done, ...summary })
      }
    })
  )

  it.effect("of a finished execution is the analysis under the same id, for one unit", () =>
    Effect.gen(function* () {
      const before = yield* begun()
      for (const status of ["complete", "partial"] as const) {
        const done = ResultDocument.completed(before, {
          analysis: { ...analysis, status },
          completedAt: 1_700_000_001_500
        })
        assert.isTrue(isWire(done))
        const { target: _, ...found } = analysis
        assert.deepStrictEqual(done, {
          ...before,
          ...found,
          status,
          completed_at: "2023-11-14T22:13:21.500Z",
          progress: null,
          units: 1
        } as AnalysisResult)
      }
    })
  )

  it.effect("that is compared differs in its change report alone", () =>
    Effect.gen(function* () {
      const done = ResultDocument.completed(yield* begun(), { analysis, completedAt: 1_700_000_001_500 })
      const report = { status: "baseline" } as unknown as ChangeReport
      assert.deepStrictEqual(ResultDocument.compared(done, report), { ...done, change_report: report })
      assert.isNull(done.change_report)
    })
  )
})
