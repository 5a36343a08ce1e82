import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { addressKind } from "../../../../src/checks/address/AddressKind.js"
import { endpointCapable } from "../../../../src/checks/address/EndpointCapable.js"
import * as Confusables from "../../../../src/checks/token/identity/Confusables.js"
import { impersonates } from "../../../../src/checks/token/identity/Impersonates.js"
import { metadataReadable } from "../../../../src/checks/token/identity/MetadataReadable.js"
import { tokenStandard } from "../../../../src/checks/token/identity/TokenStandard.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../../src/facts/Getter.js"
import type { Answer } from "../../../../src/testing/ScriptedChain.js"
import { alice, erc20, failing, inert, said, target, text, word } from "../../Scripted.js"

const { functions, interfaceIds } = Selectors

const token = (calls: { readonly [data: Hex]: Answer }) => ({ accounts: { [target]: { code: inert, calls } } })

const supports = (id: Hex) => Getter.calldata(functions.supportsInterface, [Getter.leftAligned(id)])

describe("address.kind", () => {
  it.effect("distinguishes each kind of account", () =>
    Effect.gen(function* () {
      for (const [kind, account] of [
        ["contract", { code: inert }],
        ["delegated_eoa", { code: `0xef0100${alice.slice(2)}` }],
        ["eoa", { nonce: 1 }],
        ["eoa", { balance: 1n }],
        ["empty", {}]
      ] as const) {
        const [item] = yield* said(addressKind, "wallet", { accounts: { [target]: account } })
        assert.strictEqual(item?.says, "confirmed")
        assert.strictEqual(item?.value?.kind, kind)
      }
    })
  )

  it.effect("is unknown where one of code, nonce and balance was not read", () =>
    Effect.gen(function* () {
      for (const method of ["eth_getCode", "eth_getTransactionCount", "eth_getBalance"]) {
        const [item] = yield* said(addressKind, "wallet", { fault: failing(method) })
        assert.strictEqual(item?.says, "unknown: rate_limited")
      }
    })
  )
})

describe("endpoint.capable", () => {
  it.effect("is confirmed of an endpoint that can do everything and refuted where something is missing", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(endpointCapable, "token", {}))[0]?.says, "confirmed")
      const [item] = yield* said(endpointCapable, "token", { capabilities: { simulateV1: false } })
      assert.strictEqual(item?.says, "refuted")
      assert.strictEqual(item?.value?.simulate_v1, false)
    })
  )
})

describe("token.standard", () => {
  const standardOf = (calls: { readonly [data: Hex]: Answer }) =>
    Effect.map(said(tokenStandard, "token", token(calls)), ([item]) => [item?.says, item?.value?.standard])

  it.effect("goes by what the token answers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* standardOf(erc20), ["confirmed", "erc20"])
      const vault = { ...erc20, [functions.asset]: word(alice), [functions.convertToAssets]: word(5n) }
      assert.deepStrictEqual(yield* standardOf(vault), ["confirmed", "erc4626"])
      for (const [standard, id] of [
        ["erc721", interfaceIds.erc721],
        ["erc1155", interfaceIds.erc1155]
      ] as const) {
        const calls = { [functions.supportsInterface]: word(0n), [supports(id)]: word(1n) }
        assert.deepStrictEqual(yield* standardOf(calls), ["confirmed", standard])
      }
      assert.deepStrictEqual(yield* standardOf({}), ["refuted", "none"])
    })
  )

  it.effect("does not believe a contract that answers everything", () =>
    Effect.gen(function* () {
      const everything = Object.fromEntries(Object.values(functions).map((selector) => [selector, word(1n)]))
      assert.deepStrictEqual(yield* standardOf(everything), ["refuted", "none"])
      assert.deepStrictEqual(yield* standardOf({ ...erc20, [functions.allowance]: word(1n) }), ["refuted", "none"])
      const liar = { [functions.supportsInterface]: word(1n) }
      assert.deepStrictEqual(yield* standardOf(liar), ["refuted", "none"])
    })
  )

  it.effect("is unknown where a getter could not be read", () =>
    Effect.gen(function* () {
      const [item] = yield* said(tokenStandard, "token", {
        ...token(erc20),
        fault: failing("eth_call", functions.totalSupply)
      })
      assert.strictEqual(item?.says, "unknown: rate_limited")
    })
  )
})

describe("token.metadata-readable", () => {
  it.effect("is confirmed with all four getters, refuted without one, and no claim about what is no token", () =>
    Effect.gen(function* () {
      const [all] = yield* said(metadataReadable, "token", token(erc20))
      assert.deepInclude(all, {
        says: "confirmed",
        value: { name: "Juniper", symbol: "JNP", decimals: 18, total_supply: "1000" }
      })
      const { [functions.symbol]: _, ...nameless } = erc20
      assert.strictEqual((yield* said(metadataReadable, "token", token(nameless)))[0]?.says, "refuted")
      assert.deepStrictEqual(yield* said(metadataReadable, "token", token({})), [])
      const [lost] = yield* said(metadataReadable, "token", { ...token(erc20), fault: failing("eth_call") })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})

describe("token.impersonates", () => {
  const called = (symbol: string, name = "Juniper") =>
    token({ ...erc20, [functions.symbol]: text(symbol), [functions.name]: text(name) })

  it.effect("is confirmed of a listed symbol or name in any letters that look like it", () =>
    Effect.gen(function* () {
      for (const script of [
        called("USDC"),
        called("usdc"),
        called("USDС"),
        called("ＵＳＤＣ"),
        called("JNP", "USD Coin")
      ]) {
        assert.strictEqual((yield* said(impersonates, "token", script))[0]?.says, "confirmed")
      }
    })
  )

  it.effect("is refuted of a name of its own, unknown where it could not be read, and no claim without a list", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said(impersonates, "token", called("JNP")))[0]?.says, "refuted")
      const [lost] = yield* said(impersonates, "token", { ...called("USDC"), fault: failing("eth_call") })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
      assert.deepStrictEqual(
        yield* said(impersonates, "token", { ...called("USDC"), chain: { addressBook: 31_337 } }),
        []
      )
    })
  )

  it("folds what the eye takes for the same", () => {
    for (const [written, seen] of [
      ["ＵＳＤＣ", "usdc"],
      ["UЅDС", "usdc"],
      ["U S-D.C", "usdc"],
      ["Úsdc", "usdc"]
    ] as const) {
      assert.strictEqual(Confusables.fold(written), seen)
    }
    assert.notStrictEqual(Confusables.fold("USDT"), Confusables.fold("USDC"))
  })
})
