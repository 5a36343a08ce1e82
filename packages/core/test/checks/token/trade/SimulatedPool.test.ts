import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import type * as Check from "../../../../src/checks/Check.js"
import { buyBlocked } from "../../../../src/checks/token/trade/BuyBlocked.js"
import { environmentDependent } from "../../../../src/checks/token/trade/EnvironmentDependent.js"
import { honeypot } from "../../../../src/checks/token/trade/Honeypot.js"
import { sellLimited } from "../../../../src/checks/token/trade/SellLimited.js"
import { tradeTax } from "../../../../src/checks/token/trade/TradeTax.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import type { TransferProof } from "../../../../src/evm/token/TransferProof.js"
import type { SimulatedTrades } from "../../../../src/facts/trade/SimulatedPool.js"
import { allRuns, blocked, evidence, leg, observation, outcome, run, valueOf, type World } from "../Trades.js"

const checks = [buyBlocked, honeypot, sellLimited, tradeTax, environmentDependent] as const

const free: TransferProof = { state: "free", below: Quantity.make(1n << 256n) }

type Runs = SimulatedTrades["outcome"]["runs"]

/** What accounts met: contracts do not trade in a simulated pool. */
const simulated = (runs: Runs, pairExists = true): SimulatedTrades => ({
  outcome: outcome({
    runs: runs.filter(({ environment }) => environment.method === "simulate_v1"),
    sell_tax_bps: Math.max(0, ...runs.map(({ sell }) => sell.tax_bps ?? 0))
  }),
  pairExists
})

const trapped: Runs = allRuns({ sell: blocked("no"), sold_bps: 0, refused_bps: 10_000 })

const of = (world: World) =>
  Effect.map(
    Effect.forEach(checks, (check) => evidence(check as Check.Check<unknown, never>, world)),
    (items) => Object.fromEntries(items.flat().map((item) => [item.id, item] as const))
  )

const statesOf = (world: World) =>
  Effect.map(of(world), (items) => Object.fromEntries(Object.values(items).map(({ id, state }) => [id, state])))

const unknown = {
  "trade.buy-blocked": "unknown",
  "trade.environment-dependent": "unknown",
  "trade.honeypot": "unknown",
  "trade.sell-limited": "unknown",
  "trade.taxed": "unknown"
} as const

describe("a simulated pool", () => {
  it.effect("confirms that nothing can be sold, and says in detail and value that the pool does not exist", () =>
    Effect.gen(function* () {
      const items = yield* of({ pools: [], simulated: simulated(trapped) })
      for (const id of ["trade.honeypot", "trade.sell-limited"] as const) {
        assert.strictEqual(items[id]?.state, "confirmed", id)
        assert.match(items[id]?.detail ?? "", /^in a simulated pool that does not exist on the chain: /)
        assert.isTrue(valueOf(items[id]).simulated_pool, id)
        assert.deepStrictEqual(items[id]?.observation, observation)
        assert.include(
          items[id]?.source_url?.toLowerCase(),
          "a".repeat(40),
          "it links to the token, not to a pool that is not there"
        )
      }
      assert.strictEqual(items["trade.buy-blocked"]?.state, "unknown")
    })
  )

  it.effect("refutes nothing, whatever works in it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* statesOf({ pools: [], simulated: simulated(allRuns()) }), unknown)
      const { "trade.honeypot": item } = yield* of({ pools: [], simulated: simulated(allRuns()) })
      assert.match(item?.detail ?? "", /; \d of \d fresh accounts sold in a simulated pool$/)
    })
  )

  it.effect("leaves what it cannot be had for unknown, and what code refutes refuted", () =>
    Effect.gen(function* () {
      const lost = new ChainError({ reason: "rpc_error", method: "eth_simulateV1", detail: "lost", retryable: true })
      assert.deepStrictEqual(yield* statesOf({ pools: [], simulated: lost }), unknown)
      for (const trades of [lost, simulated(allRuns())])
        assert.deepStrictEqual(
          [...new Set(Object.values(yield* statesOf({ pools: [], supply: 1n, proof: free, simulated: trades })))],
          ["refuted"]
        )
    })
  )

  it.effect("keeps what the code proves unknown where it shows the opposite without being enough", () =>
    Effect.gen(function* () {
      const states = yield* statesOf({
        pools: [],
        supply: 1n,
        proof: free,
        simulated: simulated([run({ sell: blocked() }), run({ sold_bps: 10_000 })])
      })
      assert.strictEqual(states["trade.honeypot"], "unknown")
    })
  )

  it.effect("does not hold a token for a trap that refuses a pair which nobody made", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* statesOf({ pools: [], simulated: simulated(trapped, false) }), unknown)
      const item = (yield* of({ pools: [], simulated: simulated(trapped, false) }))["trade.honeypot"]
      assert.match(item?.detail ?? "", /the token refuses a simulated pool, but may accept one that it knows/)
    })
  )

  it.effect("holds a token for a trap that refuses transfers between accounts too, or refuses only later", () =>
    Effect.gen(function* () {
      const stuck = trapped.map((each) => ({ ...each, transfer: blocked() }))
      assert.strictEqual(
        (yield* statesOf({ pools: [], simulated: simulated(stuck, false) }))["trade.honeypot"],
        "confirmed"
      )
      const closing = allRuns().map((each) =>
        each.environment.sells === "in_hours" ? each : { ...each, sell: blocked("closed") }
      )
      const states = yield* statesOf({ pools: [], simulated: simulated(closing, false) })
      assert.strictEqual(states["trade.honeypot"], "confirmed")
      assert.strictEqual(states["trade.environment-dependent"], "confirmed")
    })
  )

  it.effect("confirms a tax of more than a tenth at the highest grade, and reports a lower one without deciding", () =>
    Effect.gen(function* () {
      const taxed = (bps: number) => of({ pools: [], simulated: simulated(allRuns({ sell: leg({ tax_bps: bps }) })) })
      const { "trade.taxed": half } = yield* taxed(5_000)
      assert.deepStrictEqual([half?.state, half?.severity], ["confirmed", "critical"])
      assert.deepStrictEqual(half?.value, {
        complete: true,
        buy_tax_bps: 0,
        sell_tax_bps: 5_000,
        transfer_tax_bps: 0,
        simulated_pool: true
      })
      const { "trade.taxed": low } = yield* taxed(500)
      assert.deepStrictEqual([low?.state, low?.severity], ["unknown", "critical"])
      assert.match(low?.detail ?? "", /in a simulated pool: tax on sale 5\.00 %$/)
    })
  )

  it.effect("does not make up for trades in an emptied pool that could not be simulated", () =>
    Effect.gen(function* () {
      const lost = { method: "simulate_v1", begins: "now", reason: "rpc_error", detail: "lost" } as const
      const states = yield* statesOf({ trade: outcome({ unavailable: [lost] }), simulated: simulated(trapped) })
      assert.deepStrictEqual(states, unknown)
    })
  )

  it.effect("changes nothing that trades in a pool of the chain decided", () =>
    Effect.gen(function* () {
      const world: World = { trade: outcome({ runs: allRuns() }) }
      assert.deepStrictEqual(yield* of({ ...world, simulated: simulated(trapped) }), yield* of(world))
    })
  )
})
