import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as OxHex from "ox/Hex"
import { metadataReadable } from "../../../../src/checks/token/identity/MetadataReadable.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../../src/facts/Getter.js"
import { type Account, reverts, type Script } from "../../../../src/testing/ScriptedChain.js"
import { alice, erc20, evidence, failing, inert, said, target, text, word } from "../../Scripted.js"

const { functions, interfaceIds } = Selectors

type Calls = NonNullable<Account["calls"]>

const token = (calls: Calls, options: Partial<Script> = {}): Script => ({
  accounts: { [target]: { code: inert, calls } },
  ...options
})

const collection = (id: Hex): Calls => ({
  [functions.supportsInterface]: word(0n),
  [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(id)])]: word(1n)
})

/** A string of any length, as contracts return it. */
const long = (value: string): Hex => {
  const bytes = OxHex.fromString(value)
  const size = OxHex.size(bytes)
  return Getter.calldata("0x", [word(32n), word(BigInt(size)), OxHex.padRight(bytes, Math.ceil(size / 32) * 32)])
}

const all = { name: "Juniper", symbol: "JNP", decimals: 18, total_supply: "1000" }

describe("token.metadata-readable", () => {
  it.effect("is confirmed of an ERC-20 or ERC-4626 token with all four getters", () =>
    Effect.gen(function* () {
      const vault = { ...erc20, [functions.asset]: word(alice), [functions.convertToAssets]: word(5n) }
      for (const calls of [erc20, vault]) {
        const [item] = yield* evidence(metadataReadable, "token", token(calls))
        assert.strictEqual(item?.state, "confirmed")
        assert.deepStrictEqual(item?.value, all)
        assert.strictEqual(item?.observation?.method, "eth_call")
      }
    })
  )

  it.effect.each<readonly [string, keyof typeof all, Calls]>([
    ["reverts for the name", "name", { [functions.name]: reverts() }],
    ["has an empty answer for the symbol", "symbol", { [functions.symbol]: "0x" }],
    ["has no decimals", "decimals", { [functions.decimals]: reverts() }],
    ["has more decimals than a byte can hold", "decimals", { [functions.decimals]: word(256n) }],
    ["points its name outside the answer", "name", { [functions.name]: Getter.calldata("0x", [word(32n), word(99n)]) }]
  ])("is refuted of a token that %s, with what could be read", ([_, absent, calls]) =>
    Effect.gen(function* () {
      const [item] = yield* evidence(metadataReadable, "token", token({ ...erc20, ...calls }))
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { ...all, [absent]: null })
      assert.strictEqual(item?.detail, `could not read ${absent}`)
    })
  )

  it.effect("reads the bytes32 names of old tokens", () =>
    Effect.gen(function* () {
      const fixed = OxHex.padRight(OxHex.fromString("Maker"), 32)
      const [item] = yield* said(metadataReadable, "token", token({ ...erc20, [functions.name]: fixed }))
      assert.deepInclude(item, { says: "confirmed", value: { ...all, name: "Maker" } })
    })
  )

  it.effect("requires only name and symbol of collections", () =>
    Effect.gen(function* () {
      for (const id of [interfaceIds.erc721, interfaceIds.erc1155]) {
        const named = { [functions.name]: text("Juniper"), [functions.symbol]: text("JNP") }
        const [some] = yield* said(metadataReadable, "token", token({ ...collection(id), ...named }))
        assert.deepInclude(some, { says: "confirmed", value: { ...all, decimals: null, total_supply: null } })
        const [none] = yield* evidence(metadataReadable, "token", token(collection(id)))
        assert.strictEqual(none?.state, "refuted")
        assert.strictEqual(none?.detail, "could not read name, symbol")
      }
    })
  )

  it.effect.each<readonly [string, string, string]>([
    ["turns the direction of reading", "\u202Egnp.exe\u202C", "gnp.exe"],
    ["hides characters between its letters", "U\u200BS\u2060D\uFEFFC", "USDC"],
    ["commands a terminal", "\u001b[2JUSDC\u0007", "[2JUSDC"],
    ["forges lines of a report", "USDC\r\n\n## safe\t!", "USDC ## safe !"],
    ["carries unseen tags", "USDC\u{E0049}\u{E0047}", "USDC"],
    ["is longer than a line", "x".repeat(5_000), "x".repeat(64)]
  ])("shows a name that %s as clean text", ([_, written, shown]) =>
    Effect.gen(function* () {
      const [item] = yield* said(metadataReadable, "token", token({ ...erc20, [functions.name]: long(written) }))
      assert.deepInclude(item, { says: "confirmed", value: { ...all, name: shown } })
    })
  )

  it.effect("does not apply to what is no token, nor to wallets and contracts", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(metadataReadable, "token", token({})), [])
      assert.deepStrictEqual(yield* said(metadataReadable, "wallet", token(erc20)), [])
      assert.deepStrictEqual(yield* said(metadataReadable, "contract", token(erc20)), [])
    })
  )

  it.effect("is unknown where one of the getters was not answered, and never refuted by that", () =>
    Effect.gen(function* () {
      for (const selector of [functions.name, functions.symbol, functions.decimals, functions.totalSupply]) {
        const items = yield* said(metadataReadable, "token", token(erc20, { fault: failing("eth_call", selector) }))
        assert.deepStrictEqual(
          items.map(({ says, value }) => [says, value]),
          [["unknown: rate_limited", null]]
        )
      }
    })
  )
})
