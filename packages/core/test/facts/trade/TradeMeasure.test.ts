import { assert, describe, it } from "@effect/vitest"
import { FastCheck, Option } from "effect"
import * as OxHex from "ox/Hex"
import type { SimulatedCall } from "../../../src/chain/state/ChainState.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as TradeMeasure from "../../../src/facts/trade/TradeMeasure.js"

const errorWith = (text: string): Hex =>
  Getter.calldata(Selectors.selector("Error(string)"), [
    Getter.word(32n),
    Getter.word(BigInt(OxHex.size(OxHex.fromString(text)))),
    OxHex.padRight(OxHex.fromString(text), 32 * Math.ceil(text.length / 32))
  ])

const call = (outcome: SimulatedCall["outcome"]): SimulatedCall => ({ outcome, gasUsed: 21_000, logs: [] })

const legOf = (outcome: SimulatedCall["outcome"], moved: Option.Option<boolean> = Option.some(true)) =>
  TradeMeasure.legOf(call(outcome), { moved: () => moved, tax: () => Option.some(7) })

describe("TradeMeasure", () => {
  it("gives a tax in basis points exactly, whatever a token rounds away", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.bigInt({ min: 20_000n, max: 2n ** 200n }),
        FastCheck.integer({ min: 0, max: 10_000 }),
        (amount, bps) => {
          const tax = (amount * BigInt(bps)) / 10_000n
          assert.deepStrictEqual(TradeMeasure.missing(amount, amount - tax), Option.some(bps))
        }
      )
    )
  })

  it("measures nothing of nothing, and no negative tax", () => {
    assert.deepStrictEqual(TradeMeasure.missing(0n, 0n), Option.none())
    assert.deepStrictEqual(TradeMeasure.missing(5n, 6n), Option.some(0))
  })

  it.each([
    ["words", errorWith("not yet"), Option.some("not yet")],
    ["a panic", Getter.calldata(Selectors.selector("Panic(uint256)"), [Getter.word(0x11n)]), Option.some("panic 0x11")],
    ["a custom error", "0xdeadbeef" as Hex, Option.some("error 0xdeadbeef")],
    ["no data", "0x" as Hex, Option.none()],
    ["words that are cut off", errorWith("not yet").slice(0, 142) as Hex, Option.some("no")],
    [
      "a length beyond all bytes",
      Getter.calldata(Selectors.selector("Error(string)"), [Getter.word(32n), Getter.word(2n ** 255n)]),
      Option.none()
    ]
  ] as const)("reads %s of a revert", (_, data, expected) => {
    assert.deepStrictEqual(TradeMeasure.reasonOf(data), expected)
  })

  it("distinguishes a refusal from a call that moved nothing and from one that could not be seen", () => {
    const returned = { _tag: "Returned", data: "0x" } as const
    assert.deepStrictEqual(legOf(returned), { state: "ok", tax_bps: 7, gas: 21_000, error: null })
    assert.strictEqual(legOf(returned, Option.some(false)).state, "no_effect")
    assert.strictEqual(legOf(returned, Option.none()).state, "not_reached")
    const refused = legOf({ _tag: "Reverted", data: errorWith("no") })
    assert.deepStrictEqual(refused, { state: "reverted", tax_bps: null, gas: 21_000, error: "no" })
    assert.strictEqual(legOf({ _tag: "Reverted", data: errorWith("IIA") }).state, "underpaid")
    assert.strictEqual(TradeMeasure.notReached().state, "not_reached")
  })

  it("holds a failure of what would have paid nothing for no sign, and what went through for what it is", () => {
    const refused = legOf({ _tag: "Reverted", data: errorWith("no") })
    const silent = legOf({ _tag: "Returned", data: "0x" }, Option.some(false))
    for (const leg of [refused, silent]) {
      assert.strictEqual(TradeMeasure.unlessWorthless(leg, TradeMeasure.leastWorth), leg)
      assert.strictEqual(TradeMeasure.unlessWorthless(leg, TradeMeasure.leastWorth - 1n).state, "worthless")
    }
    for (const leg of [legOf({ _tag: "Returned", data: "0x" }), TradeMeasure.notReached()])
      assert.strictEqual(TradeMeasure.unlessWorthless(leg, 0n), leg)
  })

  it.each([
    ["TransferHelper: TRANSFER_FROM_FAILED", true],
    ["STF", true],
    ["UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT", false],
    ["UniswapV2: INSUFFICIENT_LIQUIDITY", false],
    ["IIA", false]
  ])("takes %s for what a router says of the token: %s", (words, expected) => {
    assert.strictEqual(TradeMeasure.isTakingRefused(call({ _tag: "Reverted", data: errorWith(words) })), expected)
    assert.isFalse(TradeMeasure.isTakingRefused(call({ _tag: "Returned", data: errorWith(words) })))
  })
})
