import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as ObservedEvidence from "../../src/domain/ObservedEvidence.js"
import * as Documents from "../../src/testing/Documents.js"

const observation = { method: "eth_call", params_hash: "0x01", block_hash: "0x02", answer_hash: "0x03" } as const
const observed = { ...Documents.evidence("token.mintable", "confirmed"), observation }
const unobserved = Documents.evidence("token.pausable", "refuted")
const recipe = { method: "eth_call", params_hash: "0x01", params: ["latest"] } as const
const result = {
  evidence: [observed, unobserved],
  recipes: [{ ...recipe, method: "eth_getCode" }, { ...recipe, params_hash: "0x09" } as const, recipe]
}

describe("ObservedEvidence", () => {
  it("is an item with the recipe of its own observation, and without one where it has none", () => {
    assert.deepStrictEqual(ObservedEvidence.find(result, observed.id), Option.some({ ...observed, recipe }))
    assert.deepStrictEqual(ObservedEvidence.find(result, unobserved.id), Option.some({ ...unobserved, recipe: null }))
    assert.deepStrictEqual(ObservedEvidence.find(result, "token.other"), Option.none())
  })

  it("has no recipe where none was kept", () => {
    const bare = { ...result, recipes: [] }
    assert.deepStrictEqual(ObservedEvidence.find(bare, observed.id), Option.some({ ...observed, recipe: null }))
  })
})
