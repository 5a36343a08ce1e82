import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import * as OxAddress from "ox/Address"
import * as KnownCode from "../../src/data/KnownCode.js"
import * as KnownDelegates from "../../src/data/KnownDelegates.js"

describe("KnownDelegates", () => {
  it("says of each delegate where it was read, in EIP-55 spelling, each once", () => {
    for (const row of KnownDelegates.delegates) {
      assert.strictEqual(OxAddress.checksum(row.address), row.address)
      if (row.chainIds !== undefined) assert.isNotEmpty(row.chainIds)
      assert.isNotEmpty(row.source)
    }
    for (const row of KnownDelegates.runtimes) {
      assert.match(row.codeHash, /^0x[0-9a-f]{64}$/)
      assert.isNotEmpty(row.source)
    }
    const addresses = KnownDelegates.delegates.map(({ address }) => address)
    assert.strictEqual(new Set(addresses).size, addresses.length)
  })

  it("names nothing that was reported", () => {
    for (const { address } of KnownCode.delegates) {
      for (const chainId of [1, 10, 8453]) assert.isTrue(Option.isNone(KnownDelegates.find(chainId, address)))
      assert.isTrue(Option.isNone(KnownDelegates.findOnAnyChain(address)))
    }
  })

  it("finds a delegate in any case on its chains alone, and code wherever it stands", () => {
    const [metamask] = KnownDelegates.delegates
    assert.isDefined(metamask)
    const found = KnownDelegates.find(8453, metamask?.address.toUpperCase().replace("0X", "0x") ?? "")
    assert.deepStrictEqual(found, Option.fromNullable(metamask?.name))
    assert.isTrue(Option.isNone(KnownDelegates.find(999_999, metamask?.address ?? "")))
    assert.isTrue(Option.isNone(KnownDelegates.findOnAnyChain(metamask?.address ?? "")))
    const everywhere = KnownDelegates.delegates.find(({ chainIds }) => chainIds === undefined)
    assert.deepStrictEqual(
      KnownDelegates.findOnAnyChain(everywhere?.address.toLowerCase() ?? ""),
      Option.fromNullable(everywhere?.name)
    )
    assert.isTrue(Option.isNone(KnownDelegates.find(1, everywhere?.address ?? "")))
    const [runtime] = KnownDelegates.runtimes
    assert.isTrue(Option.isSome(KnownDelegates.findByCodeHash(runtime?.codeHash ?? "")))
    assert.isTrue(Option.isNone(KnownDelegates.findByCodeHash(`0x${"00".repeat(32)}`)))
  })
})
