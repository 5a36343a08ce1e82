import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
// @ts-expect-error: a script without types.
import { compile } from "../../scripts/compile-contracts.mjs"
import * as TradeSimulator from "../../src/data/TradeSimulator.js"

describe("TradeSimulator", () => {
  it("is what its sources compile to", () => {
    for (const module of ["TradeSimulator", "ManagerCode", "PoolRouterCode"]) {
      const committed = readFileSync(new URL(`../../src/data/${module}.ts`, import.meta.url), "utf8")
      assert.strictEqual(compile(module), committed)
    }
  })

  it("fits where it has to run, with room for its arguments", () => {
    // https://eips.ethereum.org/EIPS/eip-3860 and https://eips.ethereum.org/EIPS/eip-170
    assert.isBelow(TradeSimulator.constructorCode.length / 2, 49_152 / 2)
    assert.isBelow(TradeSimulator.batchRead.length / 2, 49_152 / 2)
    assert.isBelow(TradeSimulator.runtime.length / 2, 24_576)
  })
})
