import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import * as Accept from "../../../src/http/representation/Accept.js"

const offered = ["application/json", "text/markdown", "text/plain"]

describe("Accept", () => {
  const cases: ReadonlyArray<readonly [string | undefined, string | undefined]> = [
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["TEXT/Markdown", "text/markdown"],
    ["text/*", "text/markdown"],
    ["text/*;q=0.1, text/plain", "text/plain"],
    ["text/markdown;q=0.5, text/plain;q=0.9", "text/plain"],
    ["*/*, application/json;q=0", "text/markdown"],
    ["application/json;q=0", undefined],
    ["application/json;q=nonsense", undefined],
    ["image/*", undefined],
    ["application/json;charset=utf-8", "application/json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"]
  ]
  for (const [header, expected] of cases)
    it(`${header ?? "no header"} prefers ${expected ?? "nothing"}`, () => {
      assert.strictEqual(Accept.preferred(header, offered), expected)
    })
})
