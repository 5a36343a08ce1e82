import { assert, describe, it } from "@effect/vitest"
import * as ExitCode from "../../src/cli/ExitCode.js"

describe("ExitCode", () => {
  const range = (worst: number, best: number) => ({ worst, best })

  it("is 2 only where even the best reading reaches the level that fails", () => {
    assert.strictEqual(ExitCode.ofRisk({ level: "high", level_at_best: "high", range: range(30, 30) }, "high"), 2)
    assert.strictEqual(ExitCode.ofRisk({ level: "unknown", level_at_best: "high", range: range(0, 30) }, "high"), 2)
    assert.strictEqual(ExitCode.ofRisk({ level: "unknown", level_at_best: "low", range: range(0, 80) }, "high"), 3)
  })

  it("is 0 only where the worst reading is below it", () => {
    assert.strictEqual(
      ExitCode.ofRisk({ level: "minimal", level_at_best: "minimal", range: range(100, 100) }, "low"),
      0
    )
    assert.strictEqual(
      ExitCode.ofRisk({ level: "unknown", level_at_best: "minimal", range: range(0, 100) }, "critical"),
      3
    )
  })

  it("is the gravest of 1, 2, 3, 0 for several addresses", () => {
    assert.strictEqual(ExitCode.gravest([0, 3, 2, 1]), 1)
    assert.strictEqual(ExitCode.gravest([0, 3, 2]), 2)
    assert.strictEqual(ExitCode.gravest([3, 0]), 3)
    assert.strictEqual(ExitCode.gravest([0]), 0)
  })

  it("of a change report is 2 for a change as severe, 3 where only sight was lost or nothing could be compared", () => {
    const change = (kind: "added" | "visibility_lost", severity: "info" | "medium" | "high") => ({
      id: "token.mintable",
      subject: "evidence" as const,
      kind,
      path: "/evidence/token.mintable",
      before: null,
      after: null,
      delta: null,
      severity,
      direction: "worse" as const,
      verified: true,
      title: "The supply can be increased",
      source_url: ""
    })
    const of = (changes: ReadonlyArray<ReturnType<typeof change>>, failAt: ExitCode.ChangeLevel) =>
      ExitCode.ofChanges({ status: changes.length > 0 ? "changed" : "unchanged", changes }, failAt)
    const lost = change("visibility_lost", "info")
    assert.strictEqual(of([change("added", "high"), lost], "high"), 2)
    assert.strictEqual(of([change("added", "medium"), lost], "high"), 3)
    assert.strictEqual(of([lost], "info"), 3)
    assert.strictEqual(of([change("added", "medium")], "high"), 0)
    assert.strictEqual(of([], "info"), 0)
    assert.strictEqual(ExitCode.ofChanges({ status: "incomparable", changes: [] }, "high"), 3)
  })
})
