import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type * as AddressBook from "../../../src/data/AddressBook.js"
import * as Address from "../../../src/domain/Address.js"
import * as Market from "../../../src/facts/venue/Market.js"
import { addresses, book } from "../../EthereumBook.js"

const exchange = <K extends AddressBook.Exchange["kind"]>(kind: K, name: string) => {
  const found = addresses.exchanges.find((one) => one.kind === kind && one.name === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found as Extract<AddressBook.Exchange, { readonly kind: K }>
}

describe("Market", () => {
  // https://etherscan.io: the pools of USDC and WETH that everybody knows.
  const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
  const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"

  it("computes the addresses that Ethereum has", () => {
    assert.strictEqual(
      Market.pairAddress(exchange("uniswap-v2", "Uniswap V2"), usdc, weth),
      "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc"
    )
    assert.strictEqual(
      Market.pairAddress(exchange("uniswap-v2", "SushiSwap V2"), weth, usdc),
      "0x397FF1542f962076d0BFE58eA045FfA2d347ACa0"
    )
    assert.strictEqual(
      Market.poolAddress(exchange("uniswap-v3", "Uniswap V3"), usdc, weth, 500),
      "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640"
    )
    assert.strictEqual(
      Market.poolAddress(exchange("uniswap-v3", "Uniswap V3"), weth, usdc, 3_000),
      "0x8ad599c3A0ff1De082011EFDDc58f1908eb6e6D8"
    )
  })

  it("knows where pools of a token can stand before any is read, each once, and none against itself", () => {
    const market = Market.of(book)
    const pairs = Market.pairAddresses(market, usdc)
    assert.isTrue(pairs.includes(Address.checksum("0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc")))
    const places = Market.poolAddresses(market, usdc)
    assert.isTrue(places.includes(Address.checksum("0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640")))
    assert.strictEqual(new Set(pairs).size, pairs.length)
    assert.strictEqual(pairs.length, 3 * (market.quotes.length - 1))
    assert.deepStrictEqual(Market.pairAddresses(Market.of({ addresses: Option.none(), listed: [] }), usdc), [])
  })
})
