import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainError } from "../../../../src/chain/ChainError.js"
import type * as Check from "../../../../src/checks/Check.js"
import { buyBlocked } from "../../../../src/checks/token/trade/BuyBlocked.js"
import { environmentDependent } from "../../../../src/checks/token/trade/EnvironmentDependent.js"
import { holdersBlocked } from "../../../../src/checks/token/trade/HoldersBlocked.js"
import { honeypot } from "../../../../src/checks/token/trade/Honeypot.js"
import { sellLimited } from "../../../../src/checks/token/trade/SellLimited.js"
import { tradeTax } from "../../../../src/checks/token/trade/TradeTax.js"
import * as Quantity from "../../../../src/domain/Quantity.js"
import type { TransferProof } from "../../../../src/evm/token/TransferProof.js"
import {
  allRuns,
  blocked,
  codeObservation,
  contractRuns,
  evidence,
  leg,
  observation,
  outcome,
  pool,
  trial,
  vault,
  type World
} from "../Trades.js"

const checks = [buyBlocked, honeypot, sellLimited, tradeTax, holdersBlocked, environmentDependent] as const

const free: TransferProof = { state: "free", below: Quantity.make(1n << 256n) }

const lost = new ChainError({ reason: "rpc_error", method: "eth_getLogs", detail: "lost", retryable: true })

/** A pool, and no simulation in blocks. */
const unseen: World = {
  pools: [pool()],
  supply: 1_000_000n,
  proof: free,
  trade: outcome({
    unavailable: [{ method: "simulate_v1", begins: "now", reason: "method_unsupported", detail: "no" }]
  }),
  replay: { method: "call", trials: [trial("unshown"), trial("unshown"), trial("unshown")] }
}

const each = (world: World) =>
  Effect.forEach(checks, (check) =>
    Effect.map(evidence(check as Check.Check<unknown, never>, world), ([item]) => ({ id: check.id, item }))
  )

const states = (world: World) =>
  Effect.map(each(world), (items) => [...new Set(items.map(({ item }) => item?.state))].sort())

describe("claims about trades where no exchange is known", () => {
  const uncovered: World = {
    covered: false,
    supply: 1_000_000n,
    replay: { method: "call", trials: [trial("unshown")] }
  }

  it.effect("are unknown, and refuted by code that proves transfers to be free", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* states(uncovered), ["unknown"])
      assert.deepStrictEqual(yield* states({ ...uncovered, proof: free }), ["refuted"])
    })
  )

  it.effect("stay unknown where lists or votes decide, which a pool of an unknown exchange may be in", () =>
    Effect.gen(function* () {
      const below = Quantity.make(1n << 256n)
      for (const proof of [
        { state: "free_listed", below, mapping: "0x1", balances: "0x0" },
        { state: "free_undelegated", below, mapping: "0x1" }
      ] as ReadonlyArray<TransferProof>)
        assert.deepStrictEqual(yield* states({ ...uncovered, proof }), ["unknown"], proof.state)
    })
  )
})

describe("claims about trades", () => {
  it.effect("are refuted by code that proves transfers to be free, where behaviour is not seen", () =>
    Effect.gen(function* () {
      for (const { id, item } of yield* each(unseen)) {
        assert.strictEqual(item?.state, "refuted", id)
        assert.deepStrictEqual(item?.observation, codeObservation, id)
        assert.match(item?.detail ?? "", /^the code proves that no rule of the token stops or taxes a transfer; /, id)
      }
    })
  )

  it.effect("are refuted by code without a pool, and with an emptied one", () =>
    Effect.gen(function* () {
      const { trade: _, ...without } = unseen
      assert.deepStrictEqual(yield* states({ ...without, pools: [] }), ["refuted"])
      assert.deepStrictEqual(
        yield* states({
          ...unseen,
          pools: [pool({ reserve_token: Quantity.make(1), reserve_quote: Quantity.make(1) })],
          trade: outcome({ runs: allRuns({ sell: leg({ state: "worthless", tax_bps: null }), sold_bps: null }) })
        }),
        ["refuted"]
      )
    })
  )

  it.effect(
    "are refuted by the code of votes where no pool and no sampled holder has a delegate, and by nothing else",
    () =>
      Effect.gen(function* () {
        const votes: World = { ...unseen, proof: { ...free, state: "free_undelegated", mapping: "0x8[k]" } }
        assert.deepStrictEqual(yield* states(votes), ["refuted"])
        assert.deepStrictEqual(yield* states({ ...votes, delegated: [pool().address] }), ["unknown"])
        const holder = trial("unshown").holder
        const ofHolder = yield* each({ ...votes, delegated: [holder] })
        assert.deepStrictEqual(
          ofHolder.flatMap(({ id, item }) => (item?.state === "refuted" ? [] : [id])),
          ["trade.holders-blocked"]
        )
        const unread = yield* each({ ...votes, replay: lost })
        assert.deepStrictEqual(
          unread.flatMap(({ id, item }) => (item?.state === "refuted" ? [] : [id])),
          ["trade.holders-blocked"]
        )
      })
  )

  const ofPurchases = ["trade.environment-dependent", "trade.honeypot", "trade.sell-limited", "trade.taxed"]

  it.effect("are refuted of what was bought by a list that decides for both sides alike, where there is no pool", () =>
    Effect.gen(function* () {
      const { trade: _, ...without } = unseen
      const proof: TransferProof = { ...free, state: "free_listed", mapping: "0x6[k]", balances: "0x0[k]" }
      const listed: World = { ...without, pools: [], proof }
      const refuted = (items: Effect.Effect.Success<ReturnType<typeof each>>) =>
        items.flatMap(({ id, item }) => (item?.state === "refuted" ? [id] : [])).sort()
      const items = yield* each(listed)
      assert.deepStrictEqual(refuted(items), ofPurchases)
      for (const { id, item } of items)
        assert.match(
          item?.detail ?? "",
          ofPurchases.includes(id)
            ? /^the code proves that any account that can receive the token can send it, in full, to any other that can; /
            : /; by the code, transfers also depend on the list in slot 0x6\[k\]$/,
          id
        )
      // With a pool, trades in it show what the list does.
      assert.deepStrictEqual(refuted(yield* each({ ...listed, pools: [pool()] })), [])
      assert.deepStrictEqual(refuted(yield* each({ ...unseen, proof })), [])
    })
  )

  it.effect("are refuted by code where holders could not be read at all", () =>
    Effect.gen(function* () {
      const [item] = yield* evidence(holdersBlocked, { ...unseen, replay: lost })
      assert.strictEqual(item?.state, "refuted")
      assert.match(item?.detail ?? "", /eth_getLogs failed: lost$/)
    })
  )

  it.effect("name both ways where behaviour and code refute them, and keep the observation of behaviour", () =>
    Effect.gen(function* () {
      const seen: World = {
        ...unseen,
        trade: outcome({ runs: allRuns() }),
        replay: { trials: Array(4).fill(trial("free")), later: [] }
      }
      for (const { id, item } of yield* each(seen)) {
        assert.strictEqual(item?.state, "refuted", id)
        assert.match(item?.detail ?? "", /; the code proves it too$/, id)
        assert.deepStrictEqual(item?.observation, observation, id)
      }
    })
  )

  it.effect("stay confirmed by behaviour, whatever the code proves", () =>
    Effect.gen(function* () {
      const runs = allRuns({ sell: blocked("no"), sold_bps: 0, refused_bps: 10_000 })
      const [item] = yield* evidence(honeypot, { ...unseen, trade: outcome({ runs }) })
      assert.strictEqual(item?.state, "confirmed")
      const taxed = allRuns({ sell: leg({ tax_bps: 300 }) })
      const [tax] = yield* evidence(tradeTax, { ...unseen, trade: outcome({ runs: taxed }) })
      assert.strictEqual(tax?.state, "confirmed")
      const [holders] = yield* evidence(holdersBlocked, {
        ...unseen,
        replay: { method: "call", trials: [trial("blocked"), trial("blocked"), trial("blocked")] }
      })
      assert.strictEqual(holders?.state, "confirmed")
    })
  )

  it.effect("stay unknown where something was seen that the code does not explain", () =>
    Effect.gen(function* () {
      for (const runs of [
        contractRuns({ sell: blocked("no") }),
        contractRuns({ sell: leg({ tax_bps: 20 }) }),
        contractRuns({ sell: leg({ state: "underpaid", tax_bps: null }) }),
        contractRuns({ buy: blocked("no"), sell: leg({ state: "not_reached", tax_bps: null }) })
      ]) {
        const { runs: _, ...fields } = unseen.trade as ReturnType<typeof outcome>
        const items = yield* each({ ...unseen, trade: { ...fields, runs } })
        for (const { id, item } of items)
          if (id !== "trade.holders-blocked") assert.strictEqual(item?.state === "refuted", false, id)
      }
      const [holders] = yield* evidence(holdersBlocked, {
        ...unseen,
        replay: { method: "call", trials: [trial("blocked"), ...Array(12).fill(trial("unshown"))] }
      })
      assert.strictEqual(holders?.state, "unknown")
    })
  )

  it.effect("stay unknown where the code is gated or inconclusive, and say by what", () =>
    Effect.gen(function* () {
      const proofs: ReadonlyArray<readonly [TransferProof, RegExp]> = [
        [
          {
            state: "gated",
            gates: [
              { kind: "list", slot: "0x5[k]" },
              { kind: "environment", slot: null }
            ]
          },
          /; by the code, transfers also depend on the list in slot 0x5\[k\], the block or transaction$/
        ],
        [
          { state: "inconclusive", reason: "replaceable" },
          /; the code proves nothing: other code can run in its place$/
        ]
      ]
      for (const [proof, detail] of proofs)
        for (const { id, item } of yield* each({ ...unseen, proof })) {
          assert.strictEqual(item?.state, "unknown", id)
          assert.match(item?.detail ?? "", detail, id)
        }
      assert.deepStrictEqual(yield* states({ ...unseen, proof: lost }), ["unknown"])
    })
  )

  it.effect("stay unknown where the amounts of holders and pools are not known to be below what arithmetic takes", () =>
    Effect.gen(function* () {
      for (const world of [
        { ...unseen, supply: null },
        { ...unseen, held: null },
        { ...unseen, held: 1n << 112n },
        { ...unseen, supply: (1n << 112n) - 1_000_000n },
        { ...unseen, proof: { state: "free", below: Quantity.make(1_999_999) } as const },
        { ...unseen, pools: lost }
      ])
        assert.deepStrictEqual(yield* states(world), ["unknown"])
      assert.deepStrictEqual(yield* states({ ...unseen, supply: (1n << 112n) - 1_000_001n }), ["refuted"])
    })
  )

  it.effect("stay unknown where unread pools hold more than the deepest that was read, whatever traded there", () =>
    Effect.gen(function* () {
      const traded: World = {
        ...unseen,
        trade: outcome({ runs: allRuns() }),
        replay: { trials: [trial("free"), trial("free"), trial("free")] }
      }
      const larger = BigInt(pool().reserve_token) + 1n
      for (const amount of [larger, null])
        assert.deepStrictEqual(yield* states({ ...traded, vaults: [vault(amount)] }), ["unknown"])
      assert.deepStrictEqual(yield* states({ ...traded, vaults: [vault(larger - 1n)] }), ["refuted"])
      assert.deepStrictEqual(yield* states({ ...traded, covered: false, pools: [], vaults: [vault(1n)] }), ["unknown"])
    })
  )

  it.effect("keep a trap that trades in the smaller market show", () =>
    Effect.gen(function* () {
      const trapped = outcome({ runs: allRuns({ sell: blocked("no"), sold_bps: null, sell_again: null }) })
      const [item] = yield* evidence(honeypot, { ...unseen, trade: trapped, vaults: [vault(null)] })
      assert.strictEqual(item?.state, "confirmed")
    })
  )

  it.effect("stay unknown where the only pools are unread, and may have rules of their own", () =>
    Effect.gen(function* () {
      const { trade: _, ...without } = unseen
      assert.deepStrictEqual(yield* states({ ...without, pools: [], vaults: [vault(5n)] }), ["unknown"])
    })
  )
})
