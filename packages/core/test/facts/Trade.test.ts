import { Pool } from "@assay/sandbox"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChainError } from "../../src/chain/ChainError.js"
import { ChainState } from "../../src/chain/ChainState.js"
import * as Address from "../../src/domain/Address.js"
import * as TradeOutcome from "../../src/domain/facts/TradeOutcome.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Pools from "../../src/facts/Pools.js"
import * as Trade from "../../src/facts/Trade.js"
import * as Adversaries from "./Adversaries.js"
import { pinned, Running, running } from "./SandboxState.js"

const facts = Layer.mergeAll(Trade.layer, Pools.layer)

const tradeOf = (token: Hex) =>
  Effect.flatMap(Trade.Trade, (trade) => trade.of(Address.checksum(token))).pipe(
    Effect.map(Option.map(({ value }) => value)),
    Effect.provide(facts.pipe(Layer.provideMerge(pinned())))
  )

const outcomeOf = (token: Hex) => Effect.flatten(tradeOf(token))

const by = (outcome: TradeOutcome.TradeOutcome, method: TradeOutcome.TradeMethod) =>
  outcome.runs.filter((run) => run.method === method)

const taxes = (run: TradeOutcome.TradeRun) => [run.buy.tax_bps, run.transfer.tax_bps, run.sell.tax_bps]

const states = (run: TradeOutcome.TradeRun) => [run.buy.state, run.transfer.state, run.sell.state]

const launch = (name: Adversaries.Name) =>
  Effect.flatMap(Running, (sandbox) => Effect.promise(() => Adversaries.launch(sandbox, name)))

describe("Trade", () => {
  layer(running)("on a chain", (it) => {
    it.effect.each([
      ["plain", [0, 0, 0]],
      ["uups", [0, 0, 0]],
      ["clone", [0, 0, 0]],
      ["pausable", [0, 0, 0]],
      ["deflating", [100, 100, 100]],
      ["sellTax90", [0, 0, 9000]],
      ["taxable", [0, 0, 0]]
    ] as const)("measures the same taxes of %s by every method", ([name, expected]) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets[name].address)
        assert.deepStrictEqual(outcome.unavailable, [])
        assert.strictEqual(outcome.pool, targets[name].pair)
        assert.deepStrictEqual(
          outcome.runs.map((run) => run.method),
          ["simulate_v1", "simulate_v1", "override", "override", "constructor"]
        )
        for (const run of outcome.runs) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "ok"], run.method)
          assert.deepStrictEqual(taxes(run), [...expected], run.method)
          assert.strictEqual(run.control, "ok", run.method)
        }
        assert.deepStrictEqual([outcome.buy_tax_bps, outcome.transfer_tax_bps, outcome.sell_tax_bps], [...expected])
        Schema.validateSync(TradeOutcome.TradeOutcome)(outcome)
      })
    )

    it.effect.each(["honeypot", "silentHoneypot"] as const)("sees that %s is bought, moved and not sold", (name) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets[name].address)
        assert.strictEqual(outcome.runs.length, 5)
        for (const run of outcome.runs) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "reverted"], run.method)
          assert.strictEqual(run.control, "ok", run.method)
        }
        assert.strictEqual(outcome.sell_tax_bps, null)
      })
    )

    it.effect("gives the token's own words where the router hides them", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets.honeypot.address)
        for (const run of by(outcome, "simulate_v1")) assert.strictEqual(run.sell.error, "TRANSFER_FAILED")
      })
    )

    it.effect("lets a later block undo an anti-bot rule that fails within one block", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets.cooldown.address)
        for (const run of by(outcome, "simulate_v1")) assert.deepStrictEqual(states(run), ["ok", "ok", "ok"])
        for (const run of by(outcome, "constructor")) {
          assert.deepStrictEqual(states(run), ["ok", "reverted", "reverted"])
          assert.strictEqual(run.transfer.error, "cooldown")
        }
      })
    )

    it.effect("trades with fresh accounts, two of them and in two sizes where it decides", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const state = yield* ChainState
        const runs = by(yield* outcomeOf(targets.plain.address), "simulate_v1")
        assert.strictEqual(new Set(runs.map((run) => run.sender)).size, 2)
        assert.strictEqual(new Set(runs.map((run) => run.spent)).size, 2)
        for (const { sender } of runs) {
          assert.strictEqual((yield* state.code(sender)).value, "0x")
          assert.strictEqual((yield* state.nonce(sender)).value, 0)
        }
      }).pipe(Effect.provide(pinned()))
    )

    it.effect("says the same of the same block, byte for byte", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const first = yield* outcomeOf(targets.deflating.address)
        const second = yield* outcomeOf(targets.deflating.address)
        assert.strictEqual(JSON.stringify(first), JSON.stringify(second))
      })
    )

    it.effect("costs two dependent levels and seven calls, pools included, however many ask", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const token = Address.checksum(targets.plain.address)
        const trade = yield* Trade.Trade
        const pools = yield* Pools.Pools
        yield* Effect.all([trade.of(token), trade.of(token), pools.of(token)], { concurrency: "unbounded" })
        yield* trade.of(token)
        const { calls, levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        assert.deepStrictEqual({ calls, levels }, { calls: 7, levels: 2 })
      }).pipe(Effect.provide(facts.pipe(Layer.provideMerge(pinned()))))
    )

    it.effect("trades a token that a stable coin quotes, funded from native coin", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        yield* Effect.promise(() => Adversaries.pairWithUsdc(sandbox, token, 300_000_000_000n))
        const outcome = yield* outcomeOf(token)
        assert.strictEqual<string>(outcome.quote, sandbox.infrastructure.usdc)
        for (const run of outcome.runs) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "ok"], run.method)
          assert.deepStrictEqual(taxes(run), [0, 0, 0], run.method)
          assert.strictEqual(run.control, "ok", run.method)
        }
      })
    )

    it.effect("trades a token that has a Uniswap V3 pool only, and sees a tax there as what the pool refuses", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const { infrastructure } = sandbox
        const plain = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        yield* Effect.promise(() => Adversaries.poolV3(sandbox, plain, "50"))
        const outcome = yield* outcomeOf(plain)
        assert.strictEqual(outcome.pool, Pool.v3Address(plain, infrastructure.weth, 10_000))
        for (const run of outcome.runs) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "ok"], run.method)
          assert.deepStrictEqual(taxes(run), [0, 0, 0], run.method)
          assert.strictEqual(run.control, "ok", run.method)
        }

        const taxed = yield* Effect.promise(() => Adversaries.deploy(sandbox, "TakingSales"))
        yield* Effect.promise(() => Adversaries.poolV3(sandbox, taxed, "50"))
        yield* Effect.promise(() =>
          Adversaries.setPair(sandbox, taxed, Pool.v3Address(taxed, infrastructure.weth, 10_000))
        )
        const refused = yield* outcomeOf(taxed)
        for (const run of by(refused, "simulate_v1")) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "underpaid"])
          assert.strictEqual(run.control, "ok")
        }
      })
    )

    it.effect("trades the wrapped coin itself, against a stable coin", () =>
      Effect.gen(function* () {
        const { infrastructure } = yield* Running
        const outcome = yield* outcomeOf(infrastructure.weth)
        assert.strictEqual<string>(outcome.quote, infrastructure.usdc)
        for (const run of outcome.runs) assert.deepStrictEqual(states(run), ["ok", "ok", "ok"], run.method)
      })
    )

    it.effect("says that no control is there where the token is the only one it could be", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets.usdc.address)
        assert.deepStrictEqual([...new Set(outcome.runs.map((run) => run.control))], ["unavailable"])
        for (const run of outcome.runs) assert.deepStrictEqual(states(run), ["ok", "ok", "ok"], run.method)
      })
    )

    it.effect("has nothing to say of a token without a pool, nor on a chain whose exchanges nobody knows", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        assert.isTrue(Option.isNone(yield* tradeOf(targets.fakeUsdc.address)))
        assert.isTrue(Option.isNone(yield* tradeOf(targets.collectible.address)))
        const uncovered = Effect.flatMap(Trade.Trade, (trade) => trade.of(Address.checksum(targets.plain.address)))
        const answer = yield* uncovered.pipe(
          Effect.provide(Trade.layer.pipe(Layer.provide(pinned({ addressBook: 31_337 }))))
        )
        assert.isTrue(Option.isNone(answer))
      })
    )
  })

  layer(running)("against tokens that fight back", (it) => {
    it.effect("is not taken in by a token that tells contracts and foreign origins from accounts", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("TellingSimulationsApart"))
        for (const run of by(outcome, "simulate_v1")) assert.strictEqual(run.sell.state, "reverted")
        for (const run of by(outcome, "override")) assert.strictEqual(run.sell.state, "ok")
        for (const run of by(outcome, "constructor")) assert.strictEqual(run.sell.state, "ok")
      })
    )

    it.effect("sets a gas price and a fee recipient, which a token may ask for", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("AskingForGasPrice"))
        for (const run of outcome.runs) assert.strictEqual(run.sell.state, "reverted", run.method)
      })
    )

    it.effect("bounds the gas of a leg, so that the control and the other legs still count", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("BurningGas"))
        assert.strictEqual(outcome.runs.length, 5)
        for (const run of outcome.runs) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "reverted"], run.method)
          assert.strictEqual(run.control, "ok", run.method)
          assert.isAbove(run.sell.gas ?? 0, 1_500_000, run.method)
          assert.isAtMost(run.sell.gas ?? 0, 2_000_000, run.method)
        }
      })
    )

    it.effect("is not drowned in a revert of half a megabyte", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("RevertingAtLength"))
        assert.strictEqual(outcome.runs.length, 5)
        for (const run of outcome.runs) {
          assert.strictEqual(run.sell.state, "reverted", run.method)
          assert.isAtMost((run.sell.error ?? "").length, 64, run.method)
        }
      })
    )

    it.effect("survives balances that cannot be read", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("UnreadableBalances"))
        assert.strictEqual(outcome.runs.length, 5)
        for (const run of outcome.runs) assert.notStrictEqual(run.sell.state, "ok", run.method)
      })
    )

    it.effect("reads the words of a closed gate, without what they hide", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("ClosedGate"))
        for (const run of by(outcome, "simulate_v1")) {
          assert.deepStrictEqual(states(run), ["reverted", "not_reached", "not_reached"])
          assert.strictEqual(run.buy.error, "trading not open <b>yet</b>")
        }
      })
    )

    it.effect("does not call a sale blocked where too little was left to sell", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("TakingPurchases"))
        assert.strictEqual(outcome.buy_tax_bps, 9_700)
        for (const run of by(outcome, "simulate_v1")) {
          assert.deepStrictEqual(states(run), ["ok", "not_reached", "not_reached"])
        }
      })
    )

    it.effect("sees that one size sells and another does not", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("LimitingSales"))
        assert.deepStrictEqual(
          by(outcome, "simulate_v1").map((run) => run.sell.state),
          ["ok", "reverted"]
        )
      })
    )

    it.effect("measures a sale tax also where the token sells its own in the same transfer", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("SellingItsTax"))
        for (const run of outcome.runs) assert.deepStrictEqual(taxes(run), [0, 0, 700], run.method)
      })
    )

    it.effect("believes balances and not return values", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("SilentTransfers"))
        for (const run of outcome.runs) assert.deepStrictEqual(states(run), ["ok", "no_effect", "ok"], run.method)
      })
    )
  })

  layer(running)("where a way to simulate is lost", (it) => {
    const refused = (method: string) =>
      new ChainError({ reason: "rate_limited", method, retryable: true, detail: "too many requests" })

    const losing = (change: (state: ChainState["Type"]) => Partial<ChainState["Type"]>) =>
      facts.pipe(
        Layer.provide(
          Layer.map(pinned(), (context) => {
            const state = Context.get(context, ChainState)
            return Context.make(ChainState, { ...state, ...change(state) })
          })
        )
      )

    const outcomeLosing = (change: (state: ChainState["Type"]) => Partial<ChainState["Type"]>) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const trade = yield* Trade.Trade
        return yield* Effect.either(trade.of(Address.checksum(targets.plain.address)))
      }).pipe(Effect.provide(losing(change)))

    it.effect("keeps the other runs and says why one is missing", () =>
      Effect.gen(function* () {
        const answer = yield* Effect.flatten(outcomeLosing(() => ({ simulate: () => refused("eth_simulateV1") })))
        const { value } = yield* answer
        assert.deepStrictEqual(
          value.runs.map((run) => run.method),
          ["override", "override", "constructor"]
        )
        assert.deepStrictEqual(value.unavailable, [
          { method: "simulate_v1", reason: "rate_limited", detail: "too many requests" }
        ])
      })
    )

    it.effect("takes an ignored override for a missing method, and not for a blocked token", () =>
      Effect.gen(function* () {
        const answer = yield* Effect.flatten(
          outcomeLosing((state) => ({
            call: (request) => {
              const { block: _block, gasPrice: _gasPrice, overrides, ...rest } = request
              return state.call(overrides === undefined ? request : rest)
            }
          }))
        )
        const { value } = yield* answer
        assert.deepStrictEqual(
          value.runs.map((run) => run.method),
          ["simulate_v1", "simulate_v1", "constructor"]
        )
        assert.deepStrictEqual(
          value.unavailable.map((row) => [row.method, row.reason]),
          [["override", "method_unsupported"]]
        )
      })
    )

    it.effect("fails where the pools could not be read", () =>
      Effect.gen(function* () {
        const answer = yield* outcomeLosing(() => ({ call: () => refused("eth_call") }))
        assert.isTrue(answer._tag === "Left" && answer.left.reason === "rate_limited")
      })
    )
  })
})
