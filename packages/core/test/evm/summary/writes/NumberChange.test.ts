import { assert, describe, it } from "@effect/vitest"
import * as StorageFlow from "../../../../src/evm/summary/StorageFlow.js"

const selector = "0x12345678"

/** A function of one selector that reverts unless SLOAD(1) < CALLVALUE, and then runs `body`. */
const contract = (body: string): `0x${string}` =>
  `0x60003560e01c63${selector.slice(2)}1460145760006000fd5b346001541060225760006000fd5b${body}00`

/** SLOAD(0) + (CALLVALUE - SLOAD(1)) */
const raised = "60015434036000 5401".replace(" ", "")

const storeAtZero = "600055"

const changeOf = (body: string) => {
  const { functions } = StorageFlow.analyseWith(contract(body), [selector])
  return functions.find((one) => one.selector === selector)?.writes.map(({ change }) => change)
}

describe("NumberChange", () => {
  // Regression: beside SLOAD(1), the amount CALLVALUE - SLOAD(1) is CALLVALUE, which was taken apart as a sum all the same.
  for (const [name, mask] of [
    ["a word", ""],
    ["16 bytes of a word", `6f${"ff".repeat(16)}16`]
  ] as const)
    it(`analyses an increase of ${name} by an amount that another variable turns into something other than a sum`, () => {
      const [change, ...others] = changeOf(`${raised}${mask}${storeAtZero}`) ?? []
      assert.deepStrictEqual(others, [])
      assert.strictEqual(change?.kind, "increase")
    })
})
