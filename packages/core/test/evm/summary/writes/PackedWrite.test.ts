import { assert, describe, it } from "@effect/vitest"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"
import * as SingleUse from "../../../../src/evm/token/SingleUse.js"
import { contracts } from "../../Compiled.js"

const compiled = contracts("optimised", "Places.sol")

const writesOf = (name: string, selector: string) => {
  const { code, selectors } = compiled(name)
  const flow = StorageFlow.analyseWith(code, [])
  const own = flow.functions.find((candidate) => candidate.selector === selectors.get(selector))
  return { flow, own, writes: own?.writes ?? [] }
}

describe("PackedWrite", () => {
  it("finds which of two switches in one word is turned on and which one off", () => {
    const { writes } = writesOf("OneOnOneOff", "close")
    assert.deepStrictEqual(
      writes.map(({ change, field }) => [field, change.kind]),
      [
        [{ offset: 20, size: 1 }, "set"],
        [{ offset: 21, size: 1 }, "clear"]
      ]
    )
  })

  it("does not say that a word only gains bits which loses some, too", () => {
    const { writes } = writesOf("OneOnOneOff", "closeByHand")
    assert.isNotEmpty(writes)
    assert.isFalse(writes.some(({ change }) => change.kind === "raise"))
  })

  it("takes a function that releases its own latch for no single use", () => {
    for (const [name, once] of [
      ["MadeAgain", false],
      ["MadeOnce", true]
    ] as const) {
      const { flow, own } = writesOf(name, "make")
      assert.strictEqual(SingleUse.isSingleUse(flow, own?.selector ?? "fallback"), once, name)
    }
  })
})
