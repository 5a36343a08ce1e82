import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { partOf } from "../../src/domain/Page.js"

const part = (ids: ReadonlyArray<string>, limit: number, from?: string) =>
  partOf(ids, (id) => id, { limit, from: Option.fromNullable(from) })

describe("a part of a list", () => {
  it("begins with its place, and says where the next one begins, unless it is the last", () => {
    const all = ["e", "d", "c", "b"]
    assert.deepStrictEqual(part(all, 2), { data: ["e", "d"], next_cursor: "c" })
    assert.deepStrictEqual(part(all, 2, "c"), { data: ["c", "b"], next_cursor: null })
    assert.deepStrictEqual(part(all, 4), { data: all, next_cursor: null })
    assert.deepStrictEqual(part([], 4), { data: [], next_cursor: null })
  })

  it("needs nothing of what was shown before, and not even its place", () => {
    assert.deepStrictEqual(part(["c", "b"], 2, "c").data, ["c", "b"])
    assert.deepStrictEqual(part(["e", "c", "b"], 9, "d").data, ["c", "b"])
    assert.deepStrictEqual(part(["e"], 9, "d").data, [])
  })

  it("keeps the order of the list where a clock went back", () => {
    assert.deepStrictEqual(part(["b", "d", "c"], 9, "d").data, ["d", "c"])
  })
})
