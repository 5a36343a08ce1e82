import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Version from "../../src/analysis/Version.js"

const numbers = (version: string): ReadonlyArray<number> => version.split(".").map(Number)

/** Below zero where the first version is the older one. */
const compare = (one: string, other: string): number => {
  const [a, b] = [numbers(one), numbers(other)]
  return a.map((part, place) => part - (b[place] ?? 0)).find((difference) => difference !== 0) ?? 0
}

describe("Version", () => {
  it("compares part by part", () => {
    assert.isBelow(compare("0.9.9", "0.10.0"), 0)
    assert.isAbove(compare("1.0.0", "0.10.9"), 0)
    assert.strictEqual(compare("0.1.0", "0.1.0"), 0)
  })

  it("of the engine is a semantic version, and never behind the package's", () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      readonly version: string
    }
    const semantic = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/
    assert.match(Version.engine, semantic)
    assert.match(version, semantic)
    assert.isAtLeast(compare(Version.engine, version), 0)
  })

  it("of the rules is year, month and a count in it", () => {
    assert.match(Version.ruleset, /^20\d\d\.([1-9]|1[0-2])\.[1-9]\d*$/)
  })
})
