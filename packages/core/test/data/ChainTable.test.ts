import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as ChainTable from "../../src/data/ChainTable.js"
import { covered } from "./Books.js"

describe("ChainTable", () => {
  it("has one id and one alias a chain, and only web links", () => {
    const all = ChainTable.all()
    assert.isAbove(all.length, 700)
    assert.strictEqual(new Set(all.map((chain) => chain.id)).size, all.length)
    assert.strictEqual(new Set(all.map((chain) => chain.alias)).size, all.length)
    for (const chain of all) {
      assert.match(chain.alias, /^[a-z0-9]+(-[a-z0-9]+)*$/)
      assert.isNotEmpty(chain.name)
      if (Option.isSome(chain.explorer)) assert.match(chain.explorer.value, /^https:\/\/[^\s/].*[^/]$/)
      if (Option.isSome(chain.blockTime)) assert.isAbove(chain.blockTime.value, 0)
    }
  })

  it("knows the big chains by the words people use", () => {
    for (const [alias, id] of [
      ["ethereum", 1],
      ["optimism", 10],
      ["bnb", 56],
      ["polygon", 137],
      ["Base", 8453],
      ["arbitrum", 42161],
      ["avalanche", 43114]
    ] as const) {
      assert.strictEqual(Option.getOrThrow(ChainTable.findByAlias(alias)).id, id)
    }
    assert.strictEqual(Option.getOrThrow(ChainTable.find(1)).native.symbol, "ETH")
    assert.deepStrictEqual(Option.getOrThrow(ChainTable.find(1)).explorer, Option.some("https://etherscan.io"))
    assert.isTrue(Option.isNone(ChainTable.findByAlias("nowhere")))
  })

  it("has every chain of the address book", () => {
    for (const [id] of covered) assert.isTrue(Option.isSome(ChainTable.find(id)), `${id}`)
  })
})
