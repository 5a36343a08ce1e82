import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as OxAddress from "ox/Address"
import * as TokenLists from "../../src/data/TokenLists.js"

describe("TokenLists", () => {
  it("has sound rows, each address once a chain", () => {
    let rows = 0
    for (const chainId of TokenLists.chainIds()) {
      const listed = TokenLists.forChain(chainId)
      rows += listed.length
      assert.strictEqual(new Set(listed.map((token) => token.address)).size, listed.length, `${chainId}`)
      for (const token of listed) {
        assert.strictEqual(OxAddress.checksum(token.address), token.address)
        assert.isNotEmpty(token.symbol)
        assert.isNotEmpty(token.name)
        assert.isTrue(Number.isInteger(token.decimals) && token.decimals >= 0 && token.decimals <= 36)
      }
    }
    assert.isAbove(rows, 1_500)
    assert.isAbove(TokenLists.forChain(1).length, 400)
    assert.match(TokenLists.source.version, /^\d+\.\d+\.\d+$/)
  })

  it("finds a token by address in any case, on its own chain only", () => {
    const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
    assert.strictEqual(Option.getOrThrow(TokenLists.find(1, usdc)).symbol, "USDC")
    assert.isTrue(Option.isNone(TokenLists.find(10, usdc)))
    assert.deepStrictEqual(TokenLists.forChain(31337), [])
  })
})
