import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import { environmentDependent } from "../../../../src/checks/token/trade/EnvironmentDependent.js"
import { holdersBlocked } from "../../../../src/checks/token/trade/HoldersBlocked.js"
import { honeypot } from "../../../../src/checks/token/trade/Honeypot.js"
import { sellLimited } from "../../../../src/checks/token/trade/SellLimited.js"
import { tradeTax } from "../../../../src/checks/token/trade/TradeTax.js"
import type { Circumstance } from "../../../../src/evm/expression/Circumstance.js"
import { allRuns, blocked, evidence, outcome, trial, type World } from "../Trades.js"

const fine = outcome({ runs: allRuns() })
const trapped = outcome({ runs: allRuns({ sell: blocked("no"), sold_bps: null, sell_again: null }) })
const offline = new ChainError({ reason: "rpc_error", method: "eth_getCode", retryable: true, detail: "offline" })

const ofEachTrade: ReadonlyArray<Circumstance> = ["gas", "fees", "proposer", "chance", "code"]

const checks = [
  { id: honeypot.id, said: (world: World) => evidence(honeypot, world) },
  { id: tradeTax.id, said: (world: World) => evidence(tradeTax, world) },
  { id: sellLimited.id, said: (world: World) => evidence(sellLimited, world) },
  { id: environmentDependent.id, said: (world: World) => evidence(environmentDependent, world) }
]

describe.each(checks)("what trades show for $id", ({ said }) => {
  const of = (world: World) => Effect.map(said(world), ([item]) => ({ state: item?.state, reason: item?.reason }))

  it.effect("is refuted where a transfer goes by nothing that trades cannot show all sides of", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* of({ trade: fine }), { state: "refuted", reason: null })
    })
  )

  it.effect.each(ofEachTrade)("refutes nothing where a transfer also goes by %s", (circumstance) =>
    Effect.gen(function* () {
      const item = yield* of({ trade: fine, circumstances: [circumstance] })
      assert.deepStrictEqual(item, { state: "unknown", reason: "inconclusive" })
    })
  )

  it.effect("refutes nothing where trades may change at a moment that was not simulated", () =>
    Effect.gen(function* () {
      const moments = "sales may change on 2026-12-24: 5 moments in a year are too many to simulate"
      const [item] = yield* said({ trade: fine, moments })
      assert.deepInclude(item, { state: "unknown", reason: "inconclusive" })
      assert.include(item?.detail ?? "", "sales may change on 2026-12-24")
    })
  )

  it.effect("refutes nothing where the code could not be read", () =>
    Effect.gen(function* () {
      const item = yield* of({ trade: fine, circumstances: offline })
      assert.deepStrictEqual(item, { state: "unknown", reason: "rpc_error" })
    })
  )

  it.effect("keeps what is no refutation as it is", () =>
    Effect.gen(function* () {
      const before = yield* of({ trade: trapped })
      const after = yield* of({ trade: trapped, circumstances: ofEachTrade })
      assert.deepStrictEqual(after, before.state === "refuted" ? { state: "unknown", reason: "inconclusive" } : before)
    })
  )
})

describe("what anybody can bring about", () => {
  const all = [...checks, { id: holdersBlocked.id, said: (world: World) => evidence(holdersBlocked, world) }]

  it.effect.each(all)("refutes nothing of $id where a gift of coins or tokens decides", ({ said }) =>
    Effect.gen(function* () {
      const replay = { trials: Array(4).fill(trial("free")) }
      for (const circumstance of ["wealth", "holding"] as const) {
        const [before] = yield* said({ trade: fine, replay })
        const [after] = yield* said({ trade: fine, replay, deciding: [circumstance] })
        assert.deepStrictEqual([before?.state, after?.state], ["refuted", "unknown"])
        assert.include(after?.detail, "trades also depend on")
      }
    })
  )
})

describe("what other trades and other contracts change", () => {
  it.effect.each(["wealth", "answer"] as const)("leaves open whether all trades end alike: %s", (circumstance) =>
    Effect.gen(function* () {
      const world = { trade: fine, circumstances: [circumstance] }
      const [alike] = yield* evidence(environmentDependent, world)
      assert.strictEqual(alike?.state, "unknown")
      const [sale] = yield* evidence(honeypot, world)
      assert.strictEqual(sale?.state, "refuted")
    })
  )
})
