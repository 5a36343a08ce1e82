import { assert, describe, it } from "@effect/vitest"
import * as BlockTemplate from "../../src/storage/BlockTemplate.js"
import * as CheckedToken from "../../src/testing/CheckedToken.js"
import * as Documents from "../../src/testing/Documents.js"

const target = Documents.token(7)

/** A check of a token with simulated trades, as text. */
const check = (number: number, extra: object = {}): string => {
  const { block, evidence, recipes } = CheckedToken.analysis(target, number, 0)
  return JSON.stringify({ address: target.address, block, evidence, recipes, ...extra })
}

const templateOf = (text: string): BlockTemplate.BlockTemplate => {
  const template = BlockTemplate.make(text)
  assert(template !== undefined)
  return template
}

describe("BlockTemplate", () => {
  it("gives the text again, byte for byte, also after it was printed and parsed", () => {
    for (const text of [check(21_000_000), `${check(21_000_001)}\nfurther\nlines`]) {
      const template = templateOf(text)
      assert.strictEqual(BlockTemplate.fill(template), text)
      const parsed = BlockTemplate.parse(BlockTemplate.print(template))
      assert.deepStrictEqual(parsed, template)
    }
  })

  it("leaves the block and what is computed from it out of the text", () => {
    const text = check(21_000_000)
    const template = templateOf(text)
    assert.notInclude(template.text, template.origin.hash)
    assert.include(text, template.origin.hash)
    assert.isBelow(template.text.length, text.length)
  })

  it("is none of a text without an origin, and of one that it would not give again", () => {
    assert.isUndefined(BlockTemplate.make("{}"))
    assert.isUndefined(BlockTemplate.make("no JSON"))
    assert.isUndefined(BlockTemplate.make(check(21_000_000, { title: "\u007fN\u007f" })))
    assert.isUndefined(BlockTemplate.parse(check(21_000_000)))
  })
})
