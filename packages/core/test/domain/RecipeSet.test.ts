import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Recipe } from "../../src/domain/Recipe.js"
import * as RecipeSet from "../../src/domain/RecipeSet.js"

const recipe = (params: ReadonlyArray<unknown>): Recipe => ({ method: "eth_call", params_hash: "0x00", params })

const block = { blockHash: `0x${"ab".repeat(32)}` }
const code = `0x${"60".repeat(500)}`

describe("RecipeSet", () => {
  it("writes what several parameters share once, at any depth, and the longest part of it", () => {
    const overrides = (account: string) => ({ [account]: { code, balance: "0x1" } })
    const recipes = [
      recipe([{ data: code }, block]),
      recipe([overrides("0x1"), block]),
      recipe([overrides("0x1"), block])
    ]
    const set = RecipeSet.make(recipes)
    const text = JSON.stringify(set)
    for (const part of [code, block.blockHash]) assert.strictEqual(text.split(part).length, 2, part.slice(0, 8))
    assert.deepStrictEqual(set.shared, [code, block, { "0x1": { code: { $shared: 0 }, balance: "0x1" } }])
    assert.deepStrictEqual(RecipeSet.recipesOf(set), recipes)
  })

  it("leaves short and single parts where they are", () => {
    const recipes = [recipe([{ data: code }, "latest"]), recipe([{ data: "0x" }, "latest"])]
    assert.deepStrictEqual(RecipeSet.make(recipes), { recipes, shared: [] })
  })

  it("gives back the recipes that it was made from", () => {
    const part = fc.oneof(
      fc.constant(code),
      fc.constant(block),
      fc.jsonValue({ maxDepth: 3 }),
      fc.constant([block, code])
    )
    fc.assert(
      fc.property(fc.array(fc.array(fc.oneof(part, fc.dictionary(fc.string(), part))), { maxLength: 6 }), (params) => {
        // What JSON cannot distinguish is the same parameter.
        const recipes: ReadonlyArray<Recipe> = JSON.parse(JSON.stringify(params.map(recipe)))
        const set: RecipeSet.RecipeSet = JSON.parse(JSON.stringify(RecipeSet.make(recipes)))
        assert.deepStrictEqual(RecipeSet.recipesOf(set), recipes)
      })
    )
  })

  it("leaves a reference that leads nowhere, or to a later entry, as it is", () => {
    const params = [{ $shared: 0 }, { $shared: 7 }, { $shared: "length" }]
    const set = { recipes: [recipe(params)], shared: [{ part: { $shared: 0 } }] }
    assert.deepStrictEqual(RecipeSet.recipesOf(set), [recipe([{ part: { $shared: 0 } }, ...params.slice(1)])])
  })
})
