import { assert, describe, it } from "@effect/vitest"
import * as OxAddress from "ox/Address"
import * as TokenLists from "../../src/data/TokenLists.js"
import { listed } from "./Books.js"

describe("TokenLists", () => {
  it("has sound rows, each address once a chain", () => {
    let rows = 0
    for (const [chainId, tokens] of listed) {
      rows += tokens.length
      assert.strictEqual(new Set(tokens.map((token) => token.address)).size, tokens.length, `${chainId}`)
      for (const token of tokens) {
        assert.strictEqual(OxAddress.checksum(token.address), token.address)
        assert.isNotEmpty(token.symbol)
        assert.isNotEmpty(token.name)
        assert.isTrue(Number.isInteger(token.decimals) && token.decimals >= 0 && token.decimals <= 36)
      }
    }
    assert.isAbove(rows, 1_500)
    assert.isAbove(listed.find(([chainId]) => chainId === 1)?.[1].length ?? 0, 400)
    assert.match(TokenLists.source.version, /^\d+\.\d+\.\d+$/)
  })
})
