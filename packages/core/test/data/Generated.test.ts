import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
// @ts-expect-error: a script without types.
import { tables } from "../../scripts/generateData.mjs"

describe("the tables of src/data", () => {
  it.each([...(tables as ReadonlyMap<string, string>)])("%s is what its packages and rows make", (name, content) => {
    assert.strictEqual(content, readFileSync(new URL(`../../src/data/${name}.ts`, import.meta.url), "utf8"))
  })
})
