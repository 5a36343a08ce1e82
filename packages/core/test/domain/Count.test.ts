import { assert, describe, it } from "vitest"
import * as Count from "../../src/domain/Count.js"

describe("Count", () => {
  it("has the noun in the number of its count", () => {
    assert.deepStrictEqual(
      [Count.of(0, "pool"), Count.of(1, "pool"), Count.of(2, "pool"), Count.of(2, "registry", "registries")],
      ["0 pools", "1 pool", "2 pools", "2 registries"]
    )
  })

  it("says seconds in whole units of the largest that fits, never more than there are", () => {
    for (const [seconds, words] of [
      [0, "0 seconds"],
      [1, "1 second"],
      [3_599, "59 minutes"],
      [86_399, "23 hours"],
      [86_400, "1 day"],
      [604_800, "7 days"]
    ] as const)
      assert.strictEqual(Count.duration(seconds), words)
  })
})
