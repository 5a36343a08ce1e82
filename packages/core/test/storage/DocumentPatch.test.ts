import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as DocumentPatch from "../../src/storage/DocumentPatch.js"

const hash = (digit: string) => `0x${digit.repeat(64)}`
const document = (block: string, items: ReadonlyArray<string>) =>
  JSON.stringify(items.map((title) => ({ title, url: `https://example.com/${block}`, observation: { block } })))

const assertRestored = (base: string, text: string) => {
  const patch = DocumentPatch.make(base, text)
  assert.strictEqual(DocumentPatch.apply(base, patch), text)
  return patch
}

describe("DocumentPatch", () => {
  it("makes any JSON of any other, character by character", () => {
    const json = FastCheck.json({ maxDepth: 4, noUnicodeString: false })
    FastCheck.assert(FastCheck.property(json, json, (base, text) => void assertRestored(base, text)))
  })

  it("makes any text of any other that shares words with it, in any order", () => {
    const word = FastCheck.constantFrom(
      "a",
      "abc",
      "abd",
      "abcdef",
      "abcxyz",
      hash("1"),
      hash("2"),
      '":"',
      " ",
      "0000000000ff",
      ""
    )
    const text = FastCheck.array(word, { maxLength: 60 }).map((words) => words.join(""))
    FastCheck.assert(FastCheck.property(text, text, (...each) => void assertRestored(...each)))
  })

  it("inserts a word that is replaced everywhere once, also inside other text", () => {
    const titles = Array.from({ length: 50 }, (_, index) => `claim number ${index}`)
    const patch = assertRestored(document(hash("a"), titles), document(hash("b"), titles))
    assert.strictEqual(patch.inserted, hash("b"))
    assert.deepStrictEqual(assertRestored(document("1", []), document("1", [])), { steps: [1], inserted: "" })
  })

  it("inserts nothing where parts only moved, and only what is new where parts were added and removed", () => {
    const titles = ["anyone can mint", "nobody can pause", "the owner can upgrade", "sellers pay a fee"]
    const base = document(hash("a"), titles)
    assert.strictEqual(assertRestored(base, document(hash("a"), titles.toReversed())).inserted, "")
    const changed = document(hash("a"), ["buyers pay nothing", ...titles.slice(1)])
    assert.isBelow(assertRestored(base, changed).inserted.length, 30)
  })

  it("gives none where a patch goes past an end of its base or of what it inserts", () => {
    for (const steps of [[9], [0, -1, 0], [0, 9, 0], [0, 1, 9]])
      assert.isUndefined(DocumentPatch.apply("a b", { steps, inserted: "" }))
  })
})
