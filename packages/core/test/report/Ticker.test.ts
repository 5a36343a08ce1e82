import type { Evidence } from "@assay/core"
import { Option } from "effect"
import { assert, describe, it } from "vitest"
import * as Ticker from "../../src/report/Ticker.js"

const of = (state: Evidence.Evidence["state"], value: unknown) => ({
  items: [{ id: "token.metadata-readable", state, value } as unknown as Evidence.Evidence],
  points: new Map(),
  undecided: new Set<string>()
})

describe("Ticker", () => {
  it("is the symbol of the token, cleaned and cut by characters, not by halves of them", () => {
    assert.deepStrictEqual(Ticker.of(of("confirmed", { symbol: "PLAIN" }), 12), Option.some("PLAIN"))
    assert.deepStrictEqual(Ticker.of(of("confirmed", { symbol: "😀😀😀" }), 2), Option.some("😀😀"))
    assert.notInclude(
      Option.getOrElse(Ticker.of(of("confirmed", { symbol: "A\u202eB" }), 12), () => ""),
      "\u202e"
    )
  })

  it("is none where it was not read or shows nothing", () => {
    for (const findings of [
      of("unknown", null),
      of("confirmed", {}),
      of("confirmed", { symbol: "" }),
      { ...of("unknown", null), items: [] }
    ])
      assert.deepStrictEqual(Ticker.of(findings, 12), Option.none())
  })
})
