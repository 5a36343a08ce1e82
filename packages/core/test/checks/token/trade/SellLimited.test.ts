import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { sellLimited } from "../../../../src/checks/token/trade/SellLimited.js"
import type { TradeOutcome, TradeRun } from "../../../../src/domain/facts/TradeOutcome.js"
import {
  address,
  allRuns,
  blocked,
  contractRuns,
  evidence,
  leg,
  observation,
  outcome,
  trial,
  unreached,
  type World
} from "../Trades.js"

const of = (trade: TradeOutcome) => Effect.map(evidence(sellLimited, { trade }), (items) => items[0])

/** All runs, with the given results of the accounts that sell all they hold. */
const sold = (small: Partial<TradeRun>, large: Partial<TradeRun>) =>
  allRuns().map((one, index) => (index === 0 ? { ...one, ...small } : index === 1 ? { ...one, ...large } : one))

const nothing: Partial<TradeRun> = { sold_bps: 0, refused_bps: 10_000, sell: blocked("no") }

describe("trade.sell-limited", () => {
  it.effect("is refuted where both accounts sold all that they held, and one sold twice", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: allRuns() }))
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, {
        complete: true,
        sold_bps: 10_000,
        refused_bps: null,
        later_sale_refused: false,
        simulated_pool: false,
        reason: null
      })
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect.each([
    ["99 % of both holdings was sold", { sold_bps: 9_900, refused_bps: 10_000 }, 9_900],
    ["1 % of one was", { sold_bps: 100, refused_bps: 10_000 }, 100],
    ["nothing was", nothing, 0]
  ] as const)("is confirmed where the whole was refused and %s", ([, fields, most]) =>
    Effect.gen(function* () {
      for (const runs of [sold(fields, fields), sold({}, fields), sold(fields, {})]) {
        const item = yield* of(outcome({ runs }))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(item?.severity, "medium")
        const value = item?.value as { readonly sold_bps: number; readonly refused_bps: number }
        assert.deepStrictEqual([value.sold_bps, value.refused_bps], [most, 10_000])
      }
    })
  )

  it.effect("is confirmed where a later sale was refused, the first or a second one", () =>
    Effect.gen(function* () {
      const closed = allRuns().map((one) =>
        one.environment.sells === "in_a_month" && one.environment.method === "simulate_v1"
          ? { ...one, sell: blocked("closed") }
          : one
      )
      assert.strictEqual((yield* of(outcome({ runs: closed })))?.state, "confirmed")
      const runs = allRuns().map((one) => (one.sell_again === null ? one : { ...one, sell_again: blocked("once") }))
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, {
        complete: true,
        sold_bps: 10_000,
        refused_bps: null,
        later_sale_refused: true,
        simulated_pool: false,
        reason: "once"
      })
    })
  )

  it.effect("counts what a token pays to its holders meanwhile as nothing left", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* of(outcome({ runs: sold({ sold_bps: 9_995 }, {}) })))?.state, "refuted")
    })
  )

  it.effect.each([
    ["a whole that could not be told from a part", sold({ sold_bps: 1_000 }, {})],
    ["a control that failed", allRuns({ control: "failed" })],
    [
      "refused sales without a control",
      sold(nothing, nothing).map((one) => ({ ...one, control: "unavailable" as const }))
    ],
    ["purchases that nobody could make", allRuns({ buy: blocked(), sell: unreached, sold_bps: null })],
    [
      "a pool that takes no token with a tax",
      sold(nothing, nothing).map((one) => ({ ...one, sell: leg({ state: "underpaid", tax_bps: null }) }))
    ]
  ] as const)("stays unknown at %s", ([, runs]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "inconclusive")
    })
  )

  it.effect("is confirmed without blocks where contracts and holders could sell nothing, and by neither alone", () =>
    Effect.gen(function* () {
      const holders = ["1", "2", "3", "4"].map((digit) =>
        trial("blocked", { holder: address(digit), routed: true, error: Option.some("held") })
      )
      const stuck: World["replay"] = {
        trials: holders,
        later: [{ when: "in_a_month", control: "ok", trials: holders, observation: () => observation }]
      }
      const noBlocks = [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }] as const
      const by = (runs: ReadonlyArray<TradeRun>, replay: World["replay"]) =>
        Effect.map(
          evidence(sellLimited, { trade: outcome({ runs, unavailable: noBlocks }), ...(replay && { replay }) }),
          (items) => items[0]
        )
      const trapped = contractRuns({ sell: blocked("no") })
      const item = yield* by(trapped, stuck)
      assert.strictEqual(item?.state, "confirmed")
      assert.deepStrictEqual(item?.value, {
        complete: false,
        sold_bps: null,
        refused_bps: null,
        later_sale_refused: null,
        reason: null,
        simulated_pool: false
      })
      for (const [runs, replay] of [
        [trapped, undefined],
        [contractRuns(), stuck],
        [contractRuns({ sell: blocked("no"), control: "failed" }), stuck]
      ] as const)
        assert.strictEqual((yield* by(runs, replay))?.state, "unknown")
    })
  )

  it.effect("is unknown without blocks, without a pool, and where the pools could not be read", () =>
    Effect.gen(function* () {
      const item = yield* of(
        outcome({
          runs: contractRuns(),
          unavailable: [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }]
        })
      )
      assert.strictEqual(item?.reason, "method_unsupported")
      assert.strictEqual((yield* evidence(sellLimited, {}))[0]?.reason, "inconclusive")
      const trade = new ChainError({ reason: "rate_limited", method: "eth_call", retryable: true, detail: "slow down" })
      assert.strictEqual((yield* evidence(sellLimited, { trade }))[0]?.reason, "rate_limited")
    })
  )

  it.effect("is unknown without a known exchange, and does not apply to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* evidence(sellLimited, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(sellLimited, { standard: "erc721", trade: outcome() }), [])
    })
  )
})
