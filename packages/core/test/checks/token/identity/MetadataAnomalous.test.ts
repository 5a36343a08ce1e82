import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as OxHex from "ox/Hex"
import * as Check from "../../../../src/checks/Check.js"
import { metadataAnomalous } from "../../../../src/checks/token/identity/MetadataAnomalous.js"
import * as Address from "../../../../src/domain/Address.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../../src/facts/Getter.js"
import * as Token from "../../../../src/facts/market/Token.js"
import * as ScriptedChain from "../../../../src/testing/ScriptedChain.js"
import { book } from "../../../EthereumBook.js"
import { alice, erc20, failing, inert, said, target, word } from "../../Scripted.js"

const { functions, interfaceIds } = Selectors

type Calls = NonNullable<ScriptedChain.Account["calls"]>

const written = (value: string): Hex => {
  const bytes = OxHex.fromString(value)
  const size = OxHex.size(bytes)
  return Getter.calldata("0x", [
    word(32n),
    word(BigInt(size)),
    ...(size === 0 ? [] : [OxHex.padRight(bytes, Math.ceil(size / 32) * 32)])
  ])
}

const of = (calls: Calls, options: Partial<ScriptedChain.Script> = {}) =>
  said(metadataAnomalous, "token", {
    accounts: { [target]: { code: inert, calls: { ...erc20, ...calls } } },
    ...options
  })

describe("token.metadata-anomalous", () => {
  it.effect.each<readonly [string, string]>([
    ["empty", ""],
    ["empty", "  "],
    ["long", "a".repeat(65)],
    ["unseen_characters", "US\u200BDC"],
    ["unseen_characters", "\u202ECDSU"],
    ["unseen_characters", "two\nlines"],
    ["unseen_characters", "US\u0000DC"],
    ["mixed_scripts", "U\u0405DC"],
    ["mixed_scripts", "Tethe\u0433"],
    ["mixed_scripts", "\u039Fpen coin"],
    ["link", "Reward at usdc-bonus.org"],
    ["link", "https://a.b"],
    ["link", "t.me/coin"],
    ["lure", "$1000 Airdrop"],
    ["lure", "Visit us"],
    ["lure", "Claimable USDC"]
  ])("is confirmed and medium of a name that is odd: %s, %j", ([what, name]) =>
    Effect.gen(function* () {
      const [item] = yield* of({ [functions.name]: written(name) })
      assert.deepInclude(item, { says: "confirmed", severity: "medium" })
      const oddities = item?.value?.oddities as ReadonlyArray<{ readonly of: string; readonly what: string }>
      assert.deepInclude(oddities, { of: "name", what })
    })
  )

  it.effect.each(["Juniper", "Wrapped BTC", "Dai Stablecoin v2.0", "猫 Coin", "Токен", "❤️‍🔥 Fire", "Σ Finance", "é"])(
    "is refuted of a name that is merely unusual: %j",
    (name) =>
      Effect.gen(function* () {
        const [item] = yield* of({ [functions.name]: written(name) })
        assert.strictEqual(item?.says, "refuted")
      })
  )

  it.effect.each<readonly [string, string, Hex]>([
    ["decimals", functions.decimals, word(0n)],
    ["decimals", functions.decimals, word(37n)],
    ["supply", functions.totalSupply, word(0n)],
    ["supply", functions.totalSupply, word(2n ** 200n + 1n)]
  ])("is confirmed and low of %s that make no sense", ([of_, selector, answer]) =>
    Effect.gen(function* () {
      const [item] = yield* of({ [selector]: answer })
      assert.deepInclude(item, { says: "confirmed", severity: "low" })
      const oddities = item?.value?.oddities as ReadonlyArray<{ readonly of: string }>
      assert.deepStrictEqual(
        oddities.map((oddity) => oddity.of),
        [of_]
      )
    })
  )

  it.effect("requires no decimals of a collection, and nothing of what is no token", () =>
    Effect.gen(function* () {
      const collection = {
        [functions.supportsInterface]: word(0n),
        [Getter.calldata(functions.supportsInterface, [Getter.leftAligned(interfaceIds.erc721)])]: word(1n),
        [functions.decimals]: word(0n)
      }
      assert.strictEqual((yield* of(collection))[0]?.says, "refuted")
      assert.deepStrictEqual(yield* of({ [functions.balanceOf]: word(5n), [functions.name]: written("") }), [])
    })
  )

  it.effect("does not judge a getter that the token does not have", () =>
    Effect.gen(function* () {
      const [item] = yield* of({ [functions.name]: ScriptedChain.reverts(), [functions.symbol]: "0x" })
      assert.strictEqual(item?.says, "refuted")
    })
  )

  it.effect("is not said of any token on the list by its own names", () =>
    Effect.gen(function* () {
      const wrong: Array<string> = []
      for (const { address, decimals, name, symbol } of book.listed) {
        const calls = { ...erc20, [functions.name]: written(name), [functions.symbol]: written(symbol) }
        const [item] = yield* Check.evaluate(metadataAnomalous, {
          kind: "token",
          address: Address.checksum(address),
          chain: { id: 1, name: "scripted" }
        }).pipe(
          Effect.provide(
            Layer.provideMerge(Token.layer, ScriptedChain.layer({ accounts: { [address]: { code: inert, calls } } }))
          )
        )
        if (item?.state !== "refuted") wrong.push(`${name} ${symbol} ${decimals}`)
      }
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("is unknown where a name was not read", () =>
    Effect.gen(function* () {
      const [lost] = yield* of({ [functions.owner]: word(alice) }, { fault: failing("eth_call", functions.name) })
      assert.strictEqual(lost?.says, "unknown: rate_limited")
    })
  )
})
