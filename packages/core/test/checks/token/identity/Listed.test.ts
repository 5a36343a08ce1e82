import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Check from "../../../../src/checks/Check.js"
import { listed } from "../../../../src/checks/token/identity/Listed.js"
import * as TokenLists from "../../../../src/data/TokenLists.js"
import * as Address from "../../../../src/domain/Address.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import * as ScriptedChain from "../../../../src/testing/ScriptedChain.js"
import { failing, inert, target } from "../../Scripted.js"

const usdc = Address.checksum("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48")

const of = (address: Hex, options: Partial<ScriptedChain.Script> = {}) =>
  Effect.provide(
    Check.evaluate(listed, {
      kind: "token",
      address: Address.checksum(address),
      chain: { id: 1, name: "scripted" }
    }),
    Layer.mergeAll(ScriptedChain.layer({ accounts: { [address]: { code: inert } }, ...options }))
  )

describe("token.listed", () => {
  it.effect("is confirmed of an address on the list of its chain, and refuted of any other", () =>
    Effect.gen(function* () {
      const [on] = yield* of(usdc)
      assert.strictEqual(on?.state, "confirmed")
      assert.deepStrictEqual(on?.value, { list: TokenLists.source.name, symbol: "USDC" })
      const [off] = yield* of(target)
      assert.strictEqual(off?.state, "refuted")
      const [elsewhere] = yield* of(usdc, { chain: { addressBook: 10 } })
      assert.strictEqual(elsewhere?.state, "refuted")
    })
  )

  it.effect("does not apply on a chain that no list covers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of(usdc, { chain: { addressBook: 31_337 } }), [])
    })
  )

  it.effect("is unknown where the account was not read", () =>
    Effect.gen(function* () {
      const [lost] = yield* of(usdc, { fault: failing("eth_getCode") })
      assert.strictEqual(lost?.reason, "rate_limited")
    })
  )
})
