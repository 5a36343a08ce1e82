import { assert, describe, it } from "@effect/vitest"
import * as OxAddress from "ox/Address"
import * as AddressBook from "../../src/data/AddressBook.js"
import { covered } from "./Books.js"

const addressesIn = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? /^0x[0-9a-fA-F]{40}$/.test(value)
      ? [value]
      : []
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(addressesIn)
      : []

const bookOf = (chainId: number): AddressBook.ChainAddresses => {
  const found = covered.find(([id]) => id === chainId)
  if (found === undefined) throw new Error(`no chain ${chainId}`)
  return found[1]
}

describe("AddressBook", () => {
  it("spells every address as EIP-55 does", () => {
    const found = addressesIn([
      covered,
      AddressBook.permit2,
      AddressBook.multicall3,
      AddressBook.burnAddresses,
      AddressBook.quotesAnywhere,
      AddressBook.vaultsAnywhere
    ])
    assert.isAbove(found.length, 150)
    for (const address of found) assert.strictEqual(OxAddress.checksum(address as `0x${string}`), address)
  })

  it("says of every row where it was read", () => {
    for (const [, chain] of covered) {
      for (const row of [
        chain.wrappedNative,
        ...chain.quoteTokens,
        ...chain.exchanges,
        ...chain.lockers,
        ...chain.spenders
      ])
        assert.isNotEmpty(row.source)
    }
  })

  it("holds no factory, token, locker or spender twice on one chain", () => {
    for (const [id, chain] of covered) {
      for (const list of [
        chain.exchanges.map((exchange) => exchange.factory),
        [chain.wrappedNative.address, ...chain.quoteTokens.map((token) => token.address)],
        chain.lockers.map((locker) => locker.address),
        chain.spenders.map((spender) => spender.address)
      ]) {
        assert.strictEqual(new Set(list).size, list.length, `${id}`)
      }
    }
  })

  it("knows the addresses that everybody knows", () => {
    const ethereum = bookOf(1)
    assert.strictEqual(ethereum.wrappedNative.address, "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2")
    assert.deepStrictEqual(
      ethereum.quoteTokens.slice(0, 3).map((token) => [token.symbol, token.decimals]),
      [
        ["USDC", 6],
        ["USDT", 6],
        ["DAI", 18]
      ]
    )
    const [v2, v3] = ethereum.exchanges
    if (v2?.kind !== "uniswap-v2" || v3?.kind !== "uniswap-v3") throw new Error("Uniswap comes first")
    assert.strictEqual(v2.factory, "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f")
    assert.strictEqual(v2.router, "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D")
    assert.strictEqual(v2.initCodeHash, "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f")
    assert.strictEqual(v3.factory, "0x1F98431c8aD98523631AE4a59f267346ea31F984")
    const bnb = bookOf(56)
    assert.strictEqual(bnb.wrappedNative.symbol, "WBNB")
    assert.isTrue(bnb.quoteTokens.every((token) => token.decimals === 18))
    assert.include(
      bnb.exchanges.map((exchange) => exchange.factory),
      "0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73"
    )
    assert.strictEqual(bookOf(8453).sanctionsOracle, "0x3A91A31cB3dC49b4db9Ce721F50a9D076c8D739B")
  })

  it("has the quote tokens and the vaults of every chain at hand", () => {
    const books = covered.map(([, book]) => book)
    const quotes = books.flatMap(({ quoteTokens, wrappedNative }) => [wrappedNative, ...quoteTokens])
    assert.deepStrictEqual(AddressBook.quotesAnywhere, [...new Set(quotes.map(({ address }) => address))])
    const vaults = books.flatMap(({ poolVaults }) => poolVaults)
    assert.sameMembers(
      AddressBook.vaultsAnywhere.map(({ address }) => address),
      [...new Set(vaults.map(({ address }) => address))]
    )
    assert.includeDeepMembers([...vaults], [...AddressBook.vaultsAnywhere])
  })
})
