import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, FastCheck, Layer } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import * as Check from "../../../src/checks/Check.js"
import { honeypot } from "../../../src/checks/token/Honeypot.js"
import * as Address from "../../../src/domain/Address.js"
import type { TradeOutcome, TradeRun } from "../../../src/domain/facts/TradeOutcome.js"
import * as Pools from "../../../src/facts/Pools.js"
import * as Token from "../../../src/facts/Token.js"
import * as Trade from "../../../src/facts/Trade.js"
import * as Adversaries from "../../facts/Adversaries.js"
import { pinned, Running, running } from "../../facts/SandboxState.js"
import { address, blocked, evidence, leg, observation, outcome, run, unreached } from "./Trades.js"

const of = (trade: TradeOutcome) => Effect.map(evidence(honeypot, { trade }), (items) => items[0])

const trapped = (fields: Partial<TradeRun> = {}) => run({ sell: blocked("no"), ...fields })

describe("trade.honeypot", () => {
  it.effect("is confirmed where two accounts bought, neither sold, and the control did", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: [trapped(), trapped({ sender: address("2") })] }))
      assert.strictEqual(item?.state, "confirmed")
      assert.strictEqual(item?.severity, "critical")
      assert.deepStrictEqual(item?.value, { sales: 2, blocked: 2, reason: "no" })
      assert.deepStrictEqual(item?.observation, observation)
    })
  )

  it.effect("is refuted where all that bought could sell", () =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs: [run(), run()] }))
      assert.strictEqual(item?.state, "refuted")
      assert.deepStrictEqual(item?.value, { sales: 2, blocked: 0, reason: null })
    })
  )

  it.effect("is refuted by one sale where the other account could not buy as much", () =>
    Effect.gen(function* () {
      const item = yield* of(
        outcome({ runs: [run(), run({ buy: blocked("max"), transfer: unreached, sell: unreached })] })
      )
      assert.strictEqual(item?.state, "refuted")
    })
  )

  it.effect.each([
    [
      "a control that failed, whatever the token did",
      [run({ control: "failed" }), run({ control: "failed" })],
      "inconclusive"
    ],
    [
      "a blocked sale that has no control",
      [trapped({ control: "unavailable" }), trapped({ control: "unavailable" })],
      "inconclusive"
    ],
    ["accounts that disagree", [run(), trapped()], "conflicting_sources"],
    ["a purchase that nobody could make", [run({ buy: blocked("closed"), sell: unreached })], "inconclusive"],
    ["a blocked sale of one account only", [trapped(), run({ buy: blocked(), sell: unreached })], "inconclusive"],
    [
      "a pool that takes no token with a tax",
      [
        trapped({ sell: leg({ state: "underpaid", tax_bps: null }) }),
        trapped({ sell: leg({ state: "underpaid", tax_bps: null }) })
      ],
      "inconclusive"
    ]
  ] as const)("stays unknown at %s", ([, runs, reason]) =>
    Effect.gen(function* () {
      const item = yield* of(outcome({ runs }))
      assert.strictEqual(item?.state, "unknown")
      assert.strictEqual(item?.reason, reason)
      assert.strictEqual(item?.severity, "critical")
    })
  )

  it.effect("holds a sale that moved nothing for a blocked one", () =>
    Effect.gen(function* () {
      const silent = run({ sell: leg({ state: "no_effect", tax_bps: null }) })
      assert.strictEqual((yield* of(outcome({ runs: [silent, silent] })))?.state, "confirmed")
    })
  )

  it.effect("is decided by accounts in blocks and by nothing else", () =>
    Effect.gen(function* () {
      const others = (sell: TradeRun["sell"]) => [
        run({ method: "override", sell }),
        run({ method: "override", sell }),
        run({ method: "constructor", sell })
      ]
      const unavailable = [{ method: "simulate_v1", reason: "method_unsupported", detail: "no" }] as const
      for (const sell of [leg(), blocked()]) {
        const alone = yield* of(outcome({ runs: others(sell), unavailable }))
        assert.strictEqual(alone?.state, "unknown")
        assert.strictEqual(alone?.reason, "method_unsupported")
        assert.strictEqual((yield* of(outcome({ runs: [run(), run(), ...others(sell)] })))?.state, "refuted")
        assert.strictEqual((yield* of(outcome({ runs: [trapped(), trapped(), ...others(sell)] })))?.state, "confirmed")
      }
    })
  )

  const anyRun = FastCheck.record({
    method: FastCheck.constantFrom("simulate_v1" as const, "override" as const, "constructor" as const),
    buy: FastCheck.constantFrom(leg(), blocked()),
    sell: FastCheck.constantFrom(leg(), blocked(), unreached, leg({ state: "no_effect" }), leg({ state: "underpaid" })),
    control: FastCheck.constantFrom("ok" as const, "failed" as const, "unavailable" as const)
  })

  it.effect.prop(
    "losing a method only ever makes it unknown",
    [FastCheck.array(anyRun, { maxLength: 6 }), FastCheck.constantFrom("simulate_v1", "override", "constructor")],
    ([runs, lost]) =>
      Effect.gen(function* () {
        const all = runs.map((fields) => run(fields))
        const before = yield* of(outcome({ runs: all }))
        const after = yield* of(outcome({ runs: all.filter((one) => one.method !== lost) }))
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

  it.effect("does not apply without a covered exchange, nor to a token that is not fungible", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* evidence(honeypot, { covered: false, trade: outcome() }), [])
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

  layer(running)("on a chain", (it) => {
    const judged = (token: string) =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const target = {
          kind: "token",
          address: Address.checksum(token as `0x${string}`),
          chain: { id: sandbox.chainId, name: "sandbox" }
        } as const
        return yield* Check.evaluate(honeypot, target)
      }).pipe(Effect.provide(Layer.mergeAll(Trade.layer, Pools.layer, Token.layer).pipe(Layer.provideMerge(pinned()))))

    it.effect.each([
      ["plain", "refuted"],
      ["usdc", "refuted"],
      ["deflating", "refuted"],
      ["sellTax90", "refuted"],
      ["cooldown", "refuted"],
      ["pausable", "refuted"],
      ["blacklist", "refuted"],
      ["honeypot", "confirmed"],
      ["silentHoneypot", "confirmed"]
    ] as const)("of %s is %s", ([name, state]) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const [item] = yield* judged(targets[name].address)
        assert.strictEqual(item?.state, state)
        assert.strictEqual(item?.observation?.method, "eth_simulateV1")
      })
    )

    it.effect("does not apply to a collection, and is unknown for a token without a pool", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        assert.deepStrictEqual(yield* judged(targets.collectible.address), [])
        assert.strictEqual((yield* judged(targets.fakeUsdc.address))[0]?.state, "unknown")
      })
    )

    it.effect.each([
      ["TellingSimulationsApart", "confirmed"],
      ["AskingForGasPrice", "confirmed"],
      ["BurningGas", "confirmed"],
      ["RevertingAtLength", "confirmed"],
      ["UnreadableBalances", "unknown"],
      ["ClosedGate", "unknown"],
      ["LimitingSales", "unknown"],
      ["SellingItsTax", "refuted"]
    ] as const)("of %s is %s", ([name, state]) =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const token = yield* Effect.promise(() => Adversaries.launch(sandbox, name))
        assert.strictEqual((yield* judged(token))[0]?.state, state)
      })
    )
  })
})
