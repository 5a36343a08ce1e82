import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck, Option } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { honeypot } from "../../../../src/checks/token/trade/Honeypot.js"
import type { TradeOutcome, TradeRun } from "../../../../src/domain/facts/TradeOutcome.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import type { Replay, Trial } from "../../../../src/facts/trade/HolderReplay.js"
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
  valueOf,
  type World,
  worthless
} from "../Trades.js"

const of = (trade: TradeOutcome, replay?: World["replay"]) =>
  Effect.map(evidence(honeypot, { trade, ...(replay === undefined ? {} : { replay }) }), (items) => items[0])

type Where = Partial<TradeRun["environment"]>

const isIn = ({ environment }: TradeRun, where: Where) =>
  Object.entries(where).every(([name, value]) => environment[name as keyof TradeRun["environment"]] === value)

const change = (runs: ReadonlyArray<TradeRun>, fields: Partial<TradeRun>, ...wheres: ReadonlyArray<Where>) =>
  runs.map((one) => (wheres.some((where) => isIn(one, where)) ? { ...one, ...fields } : one))

const trapped: Partial<TradeRun> = { sell: blocked("no"), sold_bps: 0, refused_bps: 10_000, sell_again: null }

const inBlocks: Where = { method: "simulate_v1" }
const inAMonth: Where = { method: "simulate_v1", sells: "in_a_month" }
const inAYear: Where = { method: "simulate_v1", sells: "in_a_year" }
const later = [inAMonth, inAYear]
const contracts: ReadonlyArray<Where> = [{ method: "override" }, { method: "constructor" }]

const refused = trial("blocked", { routed: true, error: Option.some("held") })
const unrouted = trial("blocked")
const free = trial("free")
const unshown = trial("unshown")

type Trials = ReadonlyArray<Trial>

/** Holders, each of its own, and what became of those a month later who are refused now. */
const replayed = (trials: Trials, then: Trial["state"], fields: Partial<Replay> = {}): Partial<Replay> => {
  const now = trials.map((one, index) => ({ ...one, holder: address(String(index + 1)) }))
  const inAMonth = now.map((one) => (one.state === "blocked" ? { ...one, state: then } : one))
  return {
    trials: now,
    later: [{ when: "in_a_month", control: "ok", trials: inAMonth, observation: () => observation }],
    ...fields
  }
}

/** Holders of whom those who are refused now are refused a month later too. */
const stuck = (...trials: Trials): Partial<Replay> => replayed(trials, "blocked")

describe("trade.honeypot", () => {
  it.effect("is confirmed where two accounts bought, neither sold, and the control did", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: change(allRuns(), trapped, inBlocks) }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "critical")
      assert.deepStrictEqual(item?.value, { complete: true, since: "in_hours", reason: "no", simulated_pool: false })
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect("is confirmed where sales close within a year, and says since when", () =>
    Effect.gen(function* () {
      for (const [wheres, since] of [
        [[inAYear], "in_a_year"],
        [later, "in_a_month"],
        [[...later, { sells: "in_a_day" }], "in_a_day"]
      ] as const) {
        const item = yield* of(outcome({ runs: change(allRuns(), trapped, ...wheres) }))
        assert.strictEqual(item?.state, "confirmed")
        assert.strictEqual(valueOf(item).since, since)
      }
    })
  )

  it.effect("is refuted where all that bought could sell, at every moment", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: allRuns() }))
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { complete: true, since: null, reason: null, simulated_pool: false })
    })
  )

  it.effect("is refuted where only small amounts could be bought, and those were sold", () =>
    Effect.gen(function* () {
      const runs = allRuns().map((one) =>
        one.spent === Quantity.make(10) ? { ...one, buy: blocked("max"), transfer: unreached, sell: unreached } : one
      )
      assert.strictEqual((yield* of(outcome({ runs })))?.state, "refuted")
    })
  )

  const unknowns: ReadonlyArray<readonly [string, ReadonlyArray<TradeRun>, string]> = [
    ["a control that failed, whatever the token did", allRuns({ control: "failed" }), "inconclusive"],
    ["a control that failed a month later", change(allRuns(), { control: "failed" }, inAMonth), "inconclusive"],
    ["a control that failed a year later", change(allRuns(), { control: "failed" }, inAYear), "inconclusive"],
    ["a blocked sale that has no control", allRuns({ ...trapped, control: "unavailable" }), "inconclusive"],
    ["accounts that disagree", change(allRuns(), trapped, { sells: "in_a_day" }), "conflicting_sources"],
    [
      "a purchase that nobody could make",
      allRuns({ buy: blocked("closed"), transfer: unreached, sell: unreached }),
      "inconclusive"
    ],
    [
      "sales of one size alone",
      change(allRuns(), trapped, inBlocks).map((one) =>
        one.spent === Quantity.make(10) ? { ...one, buy: blocked(), sell: unreached } : one
      ),
      "inconclusive"
    ],
    [
      "a pool that takes no token with a tax",
      allRuns({ sell: leg({ state: "underpaid", tax_bps: null }) }),
      "inconclusive"
    ],
    ["nothing left to sell a month later", change(allRuns(), { sell: unreached }, inAMonth), "inconclusive"],
    ["nothing left to sell a year later", change(allRuns(), { sell: unreached }, inAYear), "inconclusive"],
    [
      "a contract that sells now and not a month of blocks later",
      change(allRuns(), trapped, { begins: "in_a_month" }),
      "conflicting_sources"
    ],
    [
      "a contract that sells in a month and not a year of blocks later",
      change(allRuns(), trapped, { begins: "in_a_year" }),
      "conflicting_sources"
    ]
  ]

  it.effect.each(unknowns)("stays unknown at %s", ([, runs, reason]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, reason)
      assert.strictEqual(item?.severity, "critical")
    })
  )

  const emptied: Partial<TradeRun> = { sell: worthless, sold_bps: null, refused_bps: null, sell_again: null }

  it.effect("is neither confirmed nor refuted by sales that an emptied pool could not have paid for", () =>
    Effect.gen(function* () {
      const allRefused = stuck(refused, refused, refused, refused)
      for (const [runs, replay] of [
        [allRuns(emptied), undefined],
        [allRuns(emptied), allRefused],
        [change(allRuns(), emptied, ...later), undefined],
        [
          change(allRuns(), emptied, { sells: "at_once" }, { method: "override" }, { method: "constructor" }),
          allRefused
        ]
      ] as const) {
        const item = yield* of(outcome({ runs }), replay)
        assert.strictEqual(item?.state, "unknown")
      }
      const item = yield* of(outcome({ runs: allRuns(emptied) }))
      assert.strictEqual(item?.reason, "inconclusive")
      assert.include(item?.detail ?? "", "the pool is almost empty")
    })
  )

  it.effect("is confirmed of an emptied pool where the token itself refused two accounts", () =>
    Effect.gen(function* () {
      const runs = change(allRuns(emptied), trapped, { method: "simulate_v1", sells: "in_hours", fees: "paid" })
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(valueOf(item).since, "in_hours")
    })
  )

  it.effect("holds a sale that moved nothing for a blocked one", () =>
    Effect.gen(function* () {
      const silent = allRuns({ sell: leg({ state: "no_effect", tax_bps: null }) })
      assert.strictEqual((yield* of(outcome({ runs: silent })))?.state, "confirmed")
    })
  )

  const noBlocks = [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }] as const

  it.effect("is never refuted by anything but accounts in blocks", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: contractRuns(), unavailable: noBlocks }), stuck(free, free, free))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "method_unsupported")
    })
  )

  it.effect(
    "is confirmed without blocks where contracts and most holders were blocked, two of them at the router",
    () =>
      Effect.gen(function* () {
        const item = yield* of(
          outcome({ runs: contractRuns(trapped), unavailable: noBlocks }),
          replayed([refused, refused, unrouted, free], "blocked", { method: "call", control: "unavailable" })
        )
        assert.strictEqual(item?.state, "confirmed")
        assert.deepStrictEqual(item?.value, { complete: false, since: null, reason: null, simulated_pool: false })
        assert.include(item?.detail ?? "", '3 of 4 holders, now or 30 days later; error: "held"')
      })
  )

  it.effect.each<readonly [string, ReadonlyArray<TradeRun>, World["replay"]]>([
    ["contracts alone", contractRuns(trapped), { trials: [] }],
    ["holders alone", contractRuns(), stuck(refused, refused, refused, refused)],
    ["one contract", contractRuns(trapped).slice(0, 2), stuck(refused, refused, refused, refused)],
    ["three holders", contractRuns(trapped), stuck(refused, refused, refused)],
    ["holders of whom many are free", contractRuns(trapped), stuck(refused, refused, free, free)],
    ["holders of whom many are not known", contractRuns(trapped), stuck(refused, refused, unshown, unshown)],
    ["holders who gave the router no allowance", contractRuns(trapped), stuck(refused, unrouted, unrouted, unrouted)],
    [
      "contracts whose control failed",
      contractRuns({ ...trapped, control: "failed" }),
      stuck(refused, refused, refused, refused)
    ]
  ])("is not confirmed without blocks by %s", ([, runs, replay]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs, unavailable: noBlocks }), replay)
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "method_unsupported")
    })
  )

  it.effect("is refuted for a rule against bots only where a holder could sell", () =>
    Effect.gen(function* () {
      const guarded = change(allRuns(), trapped, ...contracts)
      assert.strictEqual((yield* of(outcome({ runs: guarded }), stuck(refused, refused, free, free)))?.state, "refuted")
      assert.strictEqual((yield* of(outcome({ runs: guarded }), { trials: [] }))?.state, "refuted")
      const lost = new ChainError({
        reason: "log_range_limited",
        method: "eth_getLogs",
        retryable: false,
        detail: "no"
      })
      assert.strictEqual((yield* of(outcome({ runs: guarded }), lost))?.reason, "log_range_limited")
      const held = yield* of(outcome({ runs: guarded }), stuck(refused, refused, refused, refused))
      assert.strictEqual(held?.state, "confirmed")
    })
  )

  it.effect("does not take a cooldown for a trap that is over a month later for most holders", () =>
    Effect.gen(function* () {
      const all = [refused, refused, refused, refused]
      const guarded = outcome({ runs: change(allRuns(), trapped, ...contracts) })
      assert.strictEqual((yield* of(guarded, replayed(all, "free")))?.state, "refuted")
      const byCalls = outcome({ runs: contractRuns(trapped), unavailable: noBlocks })
      for (const then of ["free", "unshown"] as const)
        assert.strictEqual((yield* of(byCalls, replayed(all, then)))?.state, "unknown")
    })
  )

  it.effect(
    "is unknown where most holders are refused and a month later was not simulated, or without its control",
    () =>
      Effect.gen(function* () {
        const all = [refused, refused, refused, refused]
        const guarded = outcome({ runs: change(allRuns(), trapped, ...contracts) })
        const { later = [] } = stuck(...all)
        for (const lost of [[], later.map((one) => ({ ...one, control: "failed" as const }))])
          assert.strictEqual((yield* of(guarded, { ...stuck(...all), later: lost }))?.reason, "conflicting_sources")
        assert.strictEqual((yield* of(guarded, replayed(all, "unshown")))?.reason, "conflicting_sources")
      })
  )

  const anyRuns = FastCheck.tuple(
    ...allRuns().map((one) =>
      FastCheck.constantFrom(
        one,
        { ...one, ...trapped },
        { ...one, ...emptied },
        { ...one, buy: blocked(), sell: unreached },
        { ...one, control: "failed" as const }
      )
    )
  )
  const anyReplay = FastCheck.constantFrom<Partial<Replay>>(
    { trials: [] },
    stuck(refused, refused, refused, refused),
    stuck(refused, refused, free, free),
    stuck(refused, refused, refused, unshown),
    replayed([refused, refused, refused, refused], "free"),
    replayed([refused, refused, refused, free], "unshown")
  )
  const lostReplay = new ChainError({ reason: "rate_limited", method: "eth_call", retryable: true, detail: "slow" })

  it.effect.prop(
    "losing methods or holders only ever makes it unknown",
    [
      anyRuns,
      anyReplay,
      FastCheck.subarray([
        "simulate_v1",
        "override now",
        "override in_a_month",
        "override in_a_year",
        "constructor",
        "holders",
        "a month later"
      ])
    ],
    ([runs, replay, lost]) =>
      Effect.gen(function* () {
        const left = runs.filter(
          ({ environment: { begins, method } }) => !lost.some((name) => `${method} ${begins}`.startsWith(name))
        )
        const before = yield* of(outcome({ runs }), replay)
        const kept = lost.includes("a month later") ? { ...replay, later: [] } : replay
        const after = yield* of(outcome({ runs: left }), lost.includes("holders") ? lostReplay : kept)
        assert.isTrue(after?.state === "unknown" || after?.state === before?.state)
      })
  )

  it.effect("is unknown where there is no pool to sell into", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(honeypot, {})
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "inconclusive")
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect("is unknown without a known exchange, and does not apply to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.match(
        (yield* evidence(honeypot, { covered: false }))[0]?.detail ?? "",
        /^sales were not tried: no exchange is known on this chain/
      )
      assert.deepStrictEqual(yield* evidence(honeypot, { standard: "erc721", trade: outcome() }), [])
    })
  )

  it.effect("is unknown, with the reason, where the pools could not be read", () =>
    Effect.gen(function* () {
      const trade = new ChainError({ reason: "rate_limited", method: "eth_call", retryable: true, detail: "slow down" })
      const [item] = yield* evidence(honeypot, { trade })
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, "rate_limited")
    })
  )
})
