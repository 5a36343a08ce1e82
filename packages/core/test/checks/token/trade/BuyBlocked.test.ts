import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { buyBlocked } from "../../../../src/checks/token/trade/BuyBlocked.js"
import type { TradeOutcome } from "../../../../src/domain/facts/TradeOutcome.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import {
  allRuns,
  blocked,
  contractRuns,
  evidence,
  leg,
  observation,
  outcome,
  run,
  unreached,
  valueOf,
  worthless
} from "../Trades.js"

const of = (trade: TradeOutcome) => Effect.map(evidence(buyBlocked, { trade }), (items) => items[0])

const refused = { buy: blocked("closed"), transfer: unreached, sell: unreached, sold_bps: null } as const

describe("trade.buy-blocked", () => {
  it.effect("is confirmed where no fresh account could buy and the control was traded", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: allRuns(refused), owner_receives: false }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "medium")
      assert.deepStrictEqual(item?.value, {
        complete: true,
        purchases: 7,
        refused: 7,
        refuses: "everyone",
        reason: "closed"
      })
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect("recognises a token that is not launched, because its owner can receive it", () =>
    Effect.gen(function* () {
      for (const [receives, refuses] of [
        [true, "not_launched"],
        [false, "everyone"]
      ] as const) {
        const item = yield* of(outcome({ runs: allRuns(refused), owner_receives: receives }))
        assert.strictEqual(valueOf(item).refuses, refuses)
      }
    })
  )

  it.effect("does not say whom it refuses where no owner could be tried", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: allRuns(refused), owner_receives: null }))
      assert.strictEqual(item?.state, "confirmed")
      assert.deepInclude(item?.value, { complete: false, refuses: null })
    })
  )

  it.effect("recognises a limit that lets only a tiny amount through", () =>
    Effect.gen(function* () {
      const runs = allRuns(refused).map((one) =>
        one.environment.sells === "at_once" && one.environment.method === "simulate_v1"
          ? run({ environment: one.environment })
          : one
      )
      const item = yield* of(outcome({ runs, owner_receives: true }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(valueOf(item).refuses, "over_a_size")
    })
  )

  it.effect("is refuted where fresh accounts bought, and says whom else it refuses", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: allRuns() }))
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, {
        complete: true,
        purchases: 7,
        refused: 0,
        refuses: null,
        reason: null
      })
      const people = allRuns().slice(0, 9)
      const contracts = yield* of(outcome({ runs: [...people, ...contractRuns(refused)] }))
      assert.strictEqual(contracts?.state, "refuted")
      assert.strictEqual(valueOf(contracts).refuses, "contracts")
      const small = allRuns().map((one) => (one.spent === Quantity.make(10) ? { ...one, ...refused } : one))
      const limited = yield* of(outcome({ runs: small }))
      assert.strictEqual(limited?.state, "refuted")
      assert.deepStrictEqual(limited?.value, {
        complete: true,
        purchases: 7,
        refused: 3,
        refuses: "over_a_size",
        reason: "closed"
      })
      const alone = yield* of(outcome({ runs: people }))
      assert.strictEqual(alone?.state, "refuted")
      assert.isFalse(valueOf(alone).complete, "no contract was tried")
    })
  )

  it.effect.each([
    ["a control that failed", allRuns({ ...refused, control: "failed" })],
    ["no control", allRuns({ ...refused, control: "unavailable" })],
    ["a purchase whose balance could not be read", allRuns({ ...refused, buy: unreached })],
    ["a pool that has less than a unit to give", allRuns({ ...refused, buy: worthless })]
  ] as const)("stays unknown at %s", ([, runs]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "inconclusive")
    })
  )

  it.effect("is unknown without blocks, whatever contracts could do", () =>
    Effect.gen(function* () {
      for (const runs of [contractRuns(), contractRuns(refused)]) {
        const item = yield* of(
          outcome({
            runs,
            unavailable: [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }]
          })
        )
        assert.strictEqual(item?.state, "unknown")
        assert.strictEqual(item?.reason, "method_unsupported")
      }
    })
  )

  it.effect("is unknown without liquidity, and with the reason where the pools could not be read", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* evidence(buyBlocked, {}))[0]?.reason, "inconclusive")
      const trade = new ChainError({ reason: "rate_limited", method: "eth_call", retryable: true, detail: "slow down" })
      assert.strictEqual((yield* evidence(buyBlocked, { trade }))[0]?.reason, "rate_limited")
    })
  )

  it.effect("is unknown without a known exchange, and does not apply to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* evidence(buyBlocked, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(buyBlocked, { standard: "erc721", trade: outcome() }), [])
    })
  )

  it.effect("does not hold a silent purchase for a purchase", () =>
    Effect.gen(function* () {
      const silent = allRuns({ ...refused, buy: leg({ state: "no_effect", tax_bps: null }) })
      assert.strictEqual((yield* of(outcome({ runs: silent })))?.state, "confirmed")
    })
  )
})
