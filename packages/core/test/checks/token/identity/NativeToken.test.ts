import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Check from "../../../../src/checks/Check.js"
import * as NativeTarget from "../../../../src/checks/NativeTarget.js"
import { nativeToken } from "../../../../src/checks/token/identity/NativeToken.js"
import * as Address from "../../../../src/domain/Address.js"
import * as Selectors from "../../../../src/evm/bytecode/Selectors.js"
import * as Implementation from "../../../../src/facts/native/Implementation.js"
import * as ScriptedChain from "../../../../src/testing/ScriptedChain.js"
import { failing, inert, target, text, word } from "../../Scripted.js"

const token = Address.checksum("0x20c0000000000000000000001234567890abcdef")
const isTip20 = Selectors.selector("isTIP20(address)")

const tempo = (known: boolean): ScriptedChain.Script["accounts"] => ({
  [token]: {
    code: "0xef",
    calls: {
      [Selectors.selector("currency()")]: text("USD"),
      [Selectors.selector("supplyCap()")]: word(9n),
      [Selectors.functions.totalSupply]: word(4n),
      [Selectors.selector("paused()")]: word(1n),
      [Selectors.selector("quoteToken()")]: word(token),
      [Selectors.selector("nextQuoteToken()")]: word(token),
      [Selectors.selector("transferPolicyId()")]: word(0n),
      [Selectors.selector("getRoleAdmin(bytes32)")]: word(0n)
    }
  },
  [Implementation.factory]: { code: "0xef", calls: { [isTip20]: word(known ? 1n : 0n) } }
})

const of = <V, R>(check: Check.Check<V, R>, script: ScriptedChain.Script, address = token) =>
  Effect.provide(
    Check.evaluate(check, { kind: "token", address, chain: { id: 1, name: "scripted" } }),
    ScriptedChain.layer(script)
  )

describe("token.native", () => {
  it.effect("is confirmed with what getters say where the chain's own factory knows the token", () =>
    Effect.gen(function* () {
      const [item] = yield* of(nativeToken, { accounts: tempo(true) })
      assert.strictEqual(item?.state, "confirmed")
      assert.deepInclude(item?.value, {
        currency: "USD",
        total_supply: "4",
        supply_cap: "9",
        paused: true,
        next_quote_token: null,
        // No event names an admin.
        complete: false
      })
      assert.include(item?.detail, "paused now; transfer policy: rejects every account")
    })
  )

  it.effect("does not apply to a contract, at whichever address it is", () =>
    Effect.gen(function* () {
      const accounts = { ...tempo(true), [token]: { code: inert }, [target]: { code: inert } }
      assert.deepStrictEqual(yield* of(nativeToken, { accounts }), [])
      assert.deepStrictEqual(yield* of(nativeToken, { accounts }, target), [])
    })
  )

  it.effect("is unknown where the factory does not know the token, and where a read failed", () =>
    Effect.gen(function* () {
      const [unknown] = yield* of(nativeToken, { accounts: tempo(false) })
      assert.strictEqual(unknown?.reason, "inconclusive")
      const [lost] = yield* of(nativeToken, { accounts: tempo(true), fault: failing("eth_call") })
      assert.strictEqual(lost?.reason, "rate_limited")
    })
  )
})

describe("a check of a token that the chain implements", () => {
  const checked = (id: string) =>
    NativeTarget.over(
      Check.make({
        id,
        code: "X-1",
        version: 1,
        targets: ["token"],
        claim: "The code is short",
        polarity: "neutral",
        severity: "info",
        dimension: "code",
        value: Schema.Struct({}),
        run: () => Effect.succeed([Check.refuted({ value: {}, detail: "by its code" })])
      })
    )

  it.effect("decides what getters and events decide, and nothing else", () =>
    Effect.gen(function* () {
      const rows = [
        ["token.metadata-readable", true, true],
        ["control.roles", true, false],
        ["contract.compiler", false, false],
        ["trade.honeypot", false, false],
        ["acme.new", false, false]
      ] as const
      for (const [id, known, unknown] of rows) {
        const states = yield* Effect.forEach([tempo(true), tempo(false)], (accounts) => of(checked(id), { accounts }))
        assert.deepStrictEqual(
          states.map(([item]) => item?.state === "refuted"),
          [known, unknown],
          id
        )
      }
      const [trade] = yield* of(checked("trade.honeypot"), { accounts: tempo(true) })
      assert.include(trade?.detail, Implementation.exchange)
    })
  )

  it.effect("is as it was for every other target, and unknown where it was not read what implements the token", () =>
    Effect.gen(function* () {
      const contract = { accounts: { [target]: { code: inert }, [token]: { code: inert } } }
      for (const address of [target, token])
        assert.strictEqual((yield* of(checked("contract.compiler"), contract, address))[0]?.state, "refuted")
      const [lost] = yield* of(checked("contract.compiler"), { accounts: tempo(true), fault: failing("eth_getCode") })
      assert.strictEqual(lost?.reason, "rate_limited")
    })
  )
})
