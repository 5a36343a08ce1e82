import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import * as HostileText from "../../src/facts/HostileText.js"

describe("HostileText.clean", () => {
  it("leaves no character that cannot be seen or that turns the others round, and 64 at most", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary", maxLength: 200 }), (text) => {
        const shown = HostileText.clean(text)
        assert.notMatch(shown, /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/u)
        assert.isAtMost([...shown].length, 64)
        assert.strictEqual(HostileText.clean(shown), shown)
      }),
      { numRuns: 500 }
    )
  })

  it.each([
    ["\u202eCDSU\u202c", "CDSU"],
    ["U\u200bS\u2060D\ufeffC", "USDC"],
    ["\u001b[2JUSDC\u0000", "[2JUSDC"],
    ["US\u{E0044}DC", "USDC"],
    ["two\r\n\t words ", "two words"],
    ["héllo wörld ✓", "héllo wörld ✓"],
    ["\u3164\u2800", ""]
  ])("makes %j %j", (text, shown) => {
    assert.strictEqual(HostileText.clean(text), shown)
  })

  it("does not cut a character in two", () => {
    assert.strictEqual(HostileText.clean("😀".repeat(100)), "😀".repeat(64))
  })
})
