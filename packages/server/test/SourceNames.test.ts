import { Sources } from "@assay/core"
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import * as SourceNames from "../src/SourceNames.js"

const { none } = Sources

describe("SourceNames", () => {
  it("are said for the log, without a key", () => {
    assert.deepStrictEqual(SourceNames.of(none), [])
    assert.deepStrictEqual(
      SourceNames.of({ ...none, etherscan: Option.some({ key: Redacted.make("hunter2"), url: "https://x.example" }) }),
      ["Etherscan"]
    )
    assert.deepStrictEqual(
      SourceNames.of({ ...none, signatures: Option.some("https://x"), fourByte: Option.some("https://y") }),
      ["signature database", "4byte.directory"]
    )
  })
})
