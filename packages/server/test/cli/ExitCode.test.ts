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
})
