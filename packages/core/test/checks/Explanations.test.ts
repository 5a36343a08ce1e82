import { assert, describe, it } from "@effect/vitest"
import * as Checks from "../../src/checks/Checks.js"
import * as Explanations from "../../src/checks/Explanations.js"

describe("Explanations", () => {
  it("says of every check, and of nothing else, how it decides and what each state means", () => {
    const ids = [...Checks.all, ...Checks.optional].map(({ id }) => id)
    assert.deepStrictEqual(Object.keys(Explanations.all).sort(), ids.sort())
    for (const [id, explanation] of Object.entries(Explanations.all))
      for (const [part, text] of Object.entries(explanation)) assert.match(text, /^[A-Z].{4,}\.$/, `${id} ${part}`)
  })
})
