import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as Url from "../../src/domain/Url.js"

describe("Url", () => {
  it("is none where the text is no URL", () => {
    for (const text of ["", "example.com", "https://", "https://a b/"])
      assert.isTrue(Option.isNone(Url.parse(text)), text)
  })

  // Regression: URL.canParse of Node 20 and 22 refuses such a host once V8 has optimised the call.
  it("reads a host with letters outside ASCII, however often it was called before", () => {
    for (let index = 0; index < 20_000; index++) Url.parse(`https://example.com/${index}`)
    assert.strictEqual(Option.getOrThrow(Url.parse("https://bücher.example/")).hostname, "xn--bcher-kva.example")
  })
})
