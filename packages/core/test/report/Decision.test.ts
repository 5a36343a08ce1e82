import { DecisionPolicy, type Risk } from "@assay/core"
import { assert, describe, it } from "vitest"
import * as Decision from "../../src/report/Decision.js"

const levels = ["minimal", "low", "medium", "high", "critical"] as const

const parts = { reasons: [], reassurances: [], unknowns: [] }

const outcome = (policy: DecisionPolicy.DecisionPolicy, level: Risk.RiskLevel, level_at_best: Risk.RiskLevel = level) =>
  Decision.make(policy, {
    ...parts,
    verdict: { level, level_at_best, score: 50, range: { worst: 50, best: 50 }, coverage: 1 }
  }).outcome

const policies = levels
  .slice(1)
  .flatMap((block) =>
    levels.slice(1).map((review) => ({ block_from: block, review_from: review }) as DecisionPolicy.DecisionPolicy)
  )

describe("Decision", () => {
  it("by the standard policy allows what is low, has what is medium or high reviewed, and blocks what is critical", () => {
    assert.deepStrictEqual(
      levels.map((level) => outcome(DecisionPolicy.standard, level)),
      ["allow", "allow", "review", "review", "block"]
    )
  })

  it("never allows what is unknown, and blocks it only where it is to be blocked at best", () => {
    for (const policy of policies)
      for (const best of levels)
        assert.strictEqual(
          outcome(policy, "unknown", best),
          levels.indexOf(best) >= levels.indexOf(policy.block_from) ? "block" : "unknown",
          JSON.stringify([policy, best])
        )
  })

  it("is never milder for a worse level, whatever the policy", () => {
    const order = ["allow", "review", "block"]
    for (const policy of policies) {
      const outcomes = levels.map((level) => order.indexOf(outcome(policy, level)))
      assert.deepStrictEqual(outcomes, outcomes.toSorted(), JSON.stringify(policy))
    }
  })

  it("says why in at most three sentences, each with one item", () => {
    const sentence = (text: string) => ({
      text,
      evidence_ids: ["a.b:1", "a.b:2"],
      points: 1,
      controlled_by: null,
      claims: 1
    })
    const many = ["one", "two", "three", "four"].map(sentence)
    const { because } = Decision.make(DecisionPolicy.standard, {
      reasons: many,
      reassurances: [],
      unknowns: [],
      verdict: { level: "high", level_at_best: "high", score: 20, range: { worst: 20, best: 20 }, coverage: 1 }
    })
    assert.deepStrictEqual(
      because,
      ["one", "two", "three"].map((text) => ({ text, evidence_ids: ["a.b:1"] }))
    )
  })
})
