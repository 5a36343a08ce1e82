import { assert, describe, it } from "@effect/vitest"
import { Encoding, FastCheck } from "effect"
import * as CanonicalJson from "../../src/domain/CanonicalJson.js"
import * as Sha256 from "../../src/domain/Sha256.js"
import * as Sha256Portable from "../../src/domain/Sha256Portable.js"

describe("SHA-256", () => {
  it("is the same in Node.js and in a browser, for every text", () => {
    const same = (text: string) =>
      Encoding.encodeHex(Sha256.sha256(text)) === Encoding.encodeHex(Sha256Portable.sha256(text))
    FastCheck.assert(FastCheck.property(FastCheck.string({ unit: "grapheme", maxLength: 300 }), same))
    assert.isTrue(same("\ud800"))
  })

  it("of canonical JSON is that of RFC 8785's serialisation", () => {
    // printf '{"a":1}' | sha256sum
    assert.strictEqual(
      CanonicalJson.hash({ a: 1 }),
      "0x015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    )
  })
})
