import { assert, describe, it } from "@effect/vitest"
import * as ShortList from "../../src/checks/ShortList.js"

describe("ShortList", () => {
  it("shows the first items and counts the others", () => {
    assert.strictEqual(ShortList.format([]), "")
    assert.strictEqual(ShortList.format(["a", "b"]), "a, b")
    assert.strictEqual(ShortList.format(["a", "b", "c", "d"]), "a, b and 2 more")
    assert.strictEqual(ShortList.format(["a", "b", "c", "d"], 3), "a, b, c and 1 more")
  })
})
