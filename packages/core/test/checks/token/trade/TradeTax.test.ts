import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tradeTax } from "../../../../src/checks/token/trade/TradeTax.js"
import type { TradeOutcome, TradeRun } from "../../../../src/domain/facts/TradeOutcome.js"
import type { Hex } from "../../../../src/domain/Hex.js"
import { blocked, contractRuns, evidence, leg, observation, outcome, run, unreached, valueOf } from "../Trades.js"

const of = (trade: TradeOutcome) => Effect.map(evidence(tradeTax, { trade }), (items) => items[0])

const taxed = (buy: number, transfer: number, sell: number): TradeRun =>
  run({ buy: leg({ tax_bps: buy }), transfer: leg({ tax_bps: transfer }), sell: leg({ tax_bps: sell }) })

const constructed = { method: "constructor", begins: "now", sells: "at_once", fees: "paid" } as const

describe("trade.taxed", () => {
  it.effect(
    "takes the highest of hours, a day, a month and a year later, and none of a simulation's own environments",
    () =>
      Effect.gen(function* () {
        const late = { ...taxed(0, 0, 700), environment: { ...run().environment, sells: "in_a_month" } } as const
        const atOnce = { ...taxed(0, 0, 9_900), environment: { ...run().environment, sells: "at_once" } } as const
        const free = { ...taxed(0, 0, 9_900), environment: { ...run().environment, fees: "none" } } as const
        const item = yield* of(outcome({ runs: [taxed(0, 0, 300), late, atOnce, free] }))
        assert.strictEqual(valueOf(item).sell_tax_bps, 700)
      })
  )

  it.effect.each([
    [2, "low"],
    [500, "low"],
    [501, "medium"],
    [1_000, "medium"],
    [1_001, "high"],
    [5_000, "high"],
    [5_001, "critical"],
    [10_000, "critical"]
  ] as const)("of %s basis points is confirmed and graded %s, whichever leg it is", ([bps, severity]) =>
    Effect.gen(function* () {
      for (const one of [taxed(bps, 0, 0), taxed(0, bps, 0), taxed(0, 0, bps)]) {
        const item = yield* of(outcome({ runs: [one, taxed(0, 0, 0)] }))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, severity)
        assert.deepStrictEqual(item?.observation, observation)
      }
    })
  )

  it.effect("gives the highest of each leg", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: [taxed(100, 0, 300), taxed(50, 20, 900)] }))
      assert.deepStrictEqual(item?.value, {
        complete: true,
        buy_tax_bps: 100,
        sell_tax_bps: 900,
        transfer_tax_bps: 20,
        simulated_pool: false
      })
    })
  )

  it.effect("is refuted where every leg completed within the rounding", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: [taxed(1, 0, 1)] }))
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, {
        complete: true,
        buy_tax_bps: 1,
        sell_tax_bps: 1,
        transfer_tax_bps: 0,
        simulated_pool: false
      })
    })
  )

  it.effect("is unknown and not low where a sale at once pays much, and the time soon changes something", () =>
    Effect.gen(function* () {
      const atOnce = { ...taxed(0, 0, 4_000), environment: { ...run().environment, sells: "at_once" } } as const
      for (const rest of [taxed(0, 0, 0), taxed(300, 0, 0)]) {
        const trade = outcome({ runs: [atOnce, rest] })
        const [soon] = yield* evidence(tradeTax, { trade, soon: true })
        assert.strictEqual(soon?.state, "unknown")
        assert.include(soon?.detail, "40.00 %")
        // Without a moment it is a rule about the block of a purchase.
        assert.notStrictEqual((yield* of(trade))?.state, "unknown")
      }
      // A high tax is one, whatever else there is.
      const [high] = yield* evidence(tradeTax, { trade: outcome({ runs: [atOnce, taxed(0, 0, 2_000)] }), soon: true })
      assert.strictEqual(high?.state, "confirmed")
    })
  )

  it.effect("says to what the tax on a purchase falls, and nothing where it goes up and down", () =>
    Effect.gen(function* () {
      const falling = yield* of(outcome({ runs: [9_000, 8_000, 8_000, 7_000].map((bps) => taxed(bps, 0, 0)) }))
      assert.include(falling?.detail, "falls from one to the next, to 70.00 %")
      for (const taxes of [
        [9_000, 7_000, 8_000],
        [500, 500, 500]
      ]) {
        const other = yield* of(outcome({ runs: taxes.map((bps) => taxed(bps, 0, 0)) }))
        assert.notInclude(other?.detail, "falls")
      }
    })
  )

  it.effect("is unknown where a leg did not complete and the others take nothing", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: [run({ sell: blocked() }), run({ sell: unreached })] }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "inconclusive")
      assert.strictEqual(item?.severity, "critical")
    })
  )

  it.effect("is unknown without accounts in blocks, whatever the others measured", () =>
    Effect.gen(function* () {
      for (const bps of [0, 9_000]) {
        const item = yield* of(
          outcome({
            runs: [{ ...taxed(bps, bps, bps), environment: constructed }],
            unavailable: [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }]
          })
        )
        assert.strictEqual(item?.state, "unknown")
        assert.strictEqual(item?.reason, "method_unsupported")
      }
    })
  )

  /** Code that puts something on the stack and returns a word. */
  const reading = (code: string): Hex => `0x${code}5f5260205ff3`
  const plain = reading("5f54")

  /** Trades of contracts alone, where blocks are not simulated. */
  const byContracts = (runs: ReadonlyArray<TradeRun>, code: Hex = plain) =>
    Effect.map(
      evidence(tradeTax, {
        code,
        trade: outcome({
          runs,
          unavailable: [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }]
        })
      }),
      (items) => items[0]
    )

  const paid = contractRuns({ sell: leg({ tax_bps: 9_000 }) })
  const boughtDear = contractRuns({ buy: leg({ tax_bps: 2_000 }) })

  it.effect("is confirmed without blocks by what both contracts paid, as critical, whichever leg it is", () =>
    Effect.gen(function* () {
      for (const name of ["buy", "transfer", "sell"] as const) {
        const item = yield* byContracts(contractRuns({ [name]: leg({ tax_bps: 1_100 }) }))
        assert.strictEqual(item?.state, "confirmed", name)
        assert.strictEqual(item?.severity, "critical", name)
      }
      const item = yield* byContracts(paid)
      assert.deepStrictEqual(item?.value, {
        complete: false,
        buy_tax_bps: 0,
        sell_tax_bps: 9_000,
        transfer_tax_bps: 0,
        simulated_pool: false
      })
      assert.include(item?.detail, "purchase 0.00 %, sale 90.00 %, transfer 0.00 %")
    })
  )

  it.effect.each<readonly [string, ReadonlyArray<TradeRun>, Hex | undefined]>([
    ["a tax of no more than 10 %", contractRuns({ sell: leg({ tax_bps: 1_000 }) }), undefined],
    ["contracts that were not taxed", contractRuns(), undefined],
    ["one contract", paid.slice(0, 3), undefined],
    ["two of which one was taxed", [...contractRuns().slice(0, 3), ...paid.slice(3)], undefined],
    ["a control that failed", contractRuns({ sell: leg({ tax_bps: 9_000 }), control: "failed" }), undefined],
    ["no control", contractRuns({ sell: leg({ tax_bps: 9_000 }), control: "unavailable" }), undefined],
    ["a token that reads the block", paid, reading("43")],
    ["a token that reads the time", paid, reading("42")],
    ["a token that reads the code of an account", paid, reading("333b")],
    ["a token that reads the sender of the transaction", paid, reading("32")],
    ["a token with transient storage", paid, reading("5f5c")],
    ["a token that calls another contract", paid, reading("5f5f5f5f335afa")],
    ["a purchase from a token that reads the code of an account", boughtDear, reading("333b")],
    ["a token with a jump that cannot be followed", paid, "0x365f525f5156"]
  ])("is unknown without blocks by %s, and says what was paid", ([, runs, code]) =>
    Effect.gen(function* () {
      const item = yield* byContracts(runs, code)
      assert.deepStrictEqual([item?.state, item?.reason], ["unknown", "method_unsupported"])
      if (runs.length > 3)
        assert.include(item?.detail, "contracts that sold in the block of their purchase paid: purchase")
    })
  )

  it.effect("is unknown where there is no pool to measure in", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(tradeTax, {})
      assert.strictEqual(item?.state, "unknown")
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect("is unknown without a known exchange, and does not apply to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* evidence(tradeTax, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(tradeTax, { standard: "erc1155", trade: outcome() }), [])
    })
  )
})
