import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ChainBook from "../../../../src/chain/ChainBook.js"
import * as Check from "../../../../src/checks/Check.js"
import { impersonates } from "../../../../src/checks/token/identity/Impersonates.js"
import * as TokenLists from "../../../../src/data/TokenLists.js"
import * as Address from "../../../../src/domain/Address.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Token from "../../../../src/facts/market/Token.js"
import * as ScriptedChain from "../../../../src/testing/ScriptedChain.js"
import { addresses, book } from "../../../EthereumBook.js"
import { erc20, evidence, failing, inert, said, target, text } from "../../Scripted.js"

const { functions } = Selectors

const called = (
  symbol: string,
  name = "Juniper",
  options: Partial<ScriptedChain.Script> = {}
): ScriptedChain.Script => ({
  accounts: {
    [target]: {
      code: inert,
      calls: { ...erc20, [functions.symbol]: text(symbol), [functions.name]: text(name) }
    }
  },
  ...options
})

const list = TokenLists.source.name
const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"

const at = (address: Hex, symbol: string) =>
  Check.evaluate(impersonates, {
    kind: "token",
    address: Address.checksum(address),
    chain: { id: 1, name: "scripted" }
  }).pipe(
    Effect.provide(
      Layer.provideMerge(
        Token.layer,
        ScriptedChain.layer({
          accounts: { [address]: { code: inert, calls: { ...erc20, [functions.symbol]: text(symbol) } } }
        })
      )
    )
  )

describe("token.impersonates", () => {
  it.effect.each<readonly [string, string, string]>([
    ["the symbol", "USDC", "Juniper"],
    ["the symbol in lower case", "usdc", "Juniper"],
    ["the symbol in Cyrillic letters", "UЅDС", "Juniper"],
    ["the symbol in wide letters", "ＵＳＤＣ", "Juniper"],
    ["the symbol with a digit", "U5DC", "Juniper"],
    ["the symbol with unseen characters", "US\u200BDC", "Juniper"],
    ["the symbol with spaces and points", "U.S D-C", "Juniper"],
    ["the name", "JNP", "USDCoin"],
    ["the name with accents", "JNP", "Ùsd Còîn"]
  ])("is confirmed and high of another token with %s", ([_, symbol, name]) =>
    Effect.gen(function* () {
      const [item] = yield* evidence(impersonates, "token", called(symbol, name))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "high")
      const value = item?.value as { readonly listed: ReadonlyArray<string>; readonly list: string }
      assert.include(value.listed, usdc)
      assert.strictEqual(value.list, list)
      assert.strictEqual(item?.detail, `the genuine USDC on ${list} is ${usdc}`)
      assert.include(item?.source_url ?? "", usdc)
      assert.strictEqual(item?.observation?.method, "eth_call")
    })
  )

  it.effect.each<readonly [string, string]>([
    ["USDC", "USD Coin"],
    ["UЅDС", "USDCoin"]
  ])("is critical of %s with the name %s: both are those of one listed token", ([symbol, name]) =>
    Effect.gen(function* () {
      const [item] = yield* evidence(impersonates, "token", called(symbol, name))
      assert.strictEqual(item?.severity, "critical")
      assert.strictEqual(item?.detail, `the genuine USDC on ${list} is ${usdc}`)
    })
  )

  it.effect("is high of the symbol of one listed token with the name of another", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(impersonates, "token", called("USDC", "Tether USD"))
      assert.strictEqual(item?.severity, "high")
    })
  )

  it.effect("lists every token that it looks like, in one order", () =>
    Effect.gen(function* () {
      const [item] = yield* said(impersonates, "token", called("USDC", "Tether USD"))
      const listed = item?.value?.listed as ReadonlyArray<string>
      assert.isAbove(listed.length, 1)
      assert.deepStrictEqual(listed, [...listed].sort())
    })
  )

  it.effect("is refuted of a name of its own, and of no name at all", () =>
    Effect.gen(function* () {
      const nameless = { ...erc20, [functions.symbol]: "0x", [functions.name]: "0x" } as const
      for (const script of [called("JNP"), { accounts: { [target]: { code: inert, calls: nameless } } }]) {
        const [item] = yield* said(impersonates, "token", script)
        assert.deepInclude(item, { says: "refuted", value: { listed: [], list } })
      }
    })
  )

  it.effect("is refuted of the listed token itself and of the wrapped coin, which bear the name by right", () =>
    Effect.gen(function* () {
      for (const [address, symbol] of [
        [usdc, "USDC"],
        [addresses.wrappedNative.address, "WETH"]
      ] as const) {
        const [item] = yield* at(address, symbol)
        assert.strictEqual(item?.state, "refuted")
        assert.strictEqual(item?.detail, `the token itself is on ${list}`)
      }
    })
  )

  it.effect("uses the list of the chain that the known addresses are for", () =>
    Effect.gen(function* () {
      const here = new Set((yield* ChainBook.of(8453)).listed.map(({ symbol }) => symbol))
      const onlyThere = book.listed.find(({ symbol }) => !here.has(symbol) && /^[A-Z]{3,6}$/.test(symbol))
      const symbol = onlyThere?.symbol ?? ""
      const [there] = yield* said(impersonates, "token", called(symbol))
      assert.strictEqual(there?.says, "confirmed")
      const [item] = yield* said(impersonates, "token", called(symbol, "Juniper", { chain: { addressBook: 8453 } }))
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("does not apply where no list is known, nor to wallets and contracts", () =>
    Effect.gen(function* () {
      const unlisted = { chain: { addressBook: 31_337 } }
      assert.deepStrictEqual(yield* said(impersonates, "token", called("USDC", "Juniper", unlisted)), [])
      assert.deepStrictEqual(yield* said(impersonates, "wallet", called("USDC")), [])
      assert.deepStrictEqual(yield* said(impersonates, "contract", called("USDC")), [])
    })
  )

  it.effect("is unknown where name or symbol was not answered, also of a name that differs", () =>
    Effect.gen(function* () {
      for (const selector of [functions.symbol, functions.name]) {
        const lost = called("JNP", "Juniper", { fault: failing("eth_call", selector) })
        const items = yield* said(impersonates, "token", lost)
        assert.deepStrictEqual(
          items.map(({ says, severity, value }) => [says, severity, value]),
          [["unknown: rate_limited", "critical", null]]
        )
      }
    })
  )
})
