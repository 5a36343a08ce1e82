import { Pool } from "@assay/sandbox"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import * as TradeOutcome from "../../../src/domain/facts/TradeOutcome.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Functions from "../../../src/facts/code/Functions.js"
import * as Proxy from "../../../src/facts/code/Proxy.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as Trade from "../../../src/facts/trade/Trade.js"
import * as TradeMoments from "../../../src/facts/trade/TradeMoments.js"
import * as Adversaries from "../Adversaries.js"
import { pinned, Running, running } from "../SandboxState.js"
import * as SharedReadings from "../SharedReadings.js"

const facts = Trade.layer.pipe(
  Layer.provideMerge(Layer.merge(Pools.layer, Functions.layer)),
  Layer.provide(Layer.provideMerge(Proxy.layer, SharedReadings.layer))
)

const readings = TradeMoments.layer.pipe(
  Layer.provideMerge(Functions.layer),
  Layer.provide(Layer.provideMerge(Proxy.layer, SharedReadings.layer))
)

const spent = Effect.flatMap(ChainState, ({ spending }) => spending)

const tradeOf = (token: Hex) =>
  Effect.flatMap(Trade.Trade, (trade) => trade.of(Address.checksum(token))).pipe(
    Effect.map(Option.map(({ value }) => value)),
    Effect.provide(facts.pipe(Layer.provideMerge(pinned())))
  )

const outcomeOf = (token: Hex) => Effect.flatten(tradeOf(token))

const by = (outcome: TradeOutcome.TradeOutcome, method: TradeOutcome.TradeMethod) =>
  outcome.runs.filter((run) => run.environment.method === method)

const called = ({ environment: { begins, fees, method, sells } }: TradeOutcome.TradeRun) =>
  `${method} ${begins} ${sells} ${fees}`

/** Every environment, best method first; in a pair the largest buyer comes last of those in blocks. */
const environments = [
  "simulate_v1 now in_hours paid",
  "simulate_v1 now in_hours paid",
  "simulate_v1 now in_a_day paid",
  "simulate_v1 now in_a_month paid",
  "simulate_v1 now in_a_month paid",
  "simulate_v1 now in_a_year paid",
  "simulate_v1 now in_a_year paid",
  "simulate_v1 now at_once paid",
  "simulate_v1 now in_hours none",
  "simulate_v1 now in_hours paid",
  "override now at_once paid",
  "override in_a_month at_once paid",
  "override in_a_year at_once paid",
  "constructor now at_once paid"
]

const environmentsOfV3 = environments.filter((_, index) => index !== 9)

/** Of the accounts that do everything. */
const settled = (outcome: TradeOutcome.TradeOutcome) =>
  outcome.runs.filter((run) => called(run) === "simulate_v1 now in_hours paid")

/** Of all that move and sell what they bought. */
const whole = (outcome: TradeOutcome.TradeOutcome) => [
  ...settled(outcome),
  ...outcome.runs.filter(({ environment }) => environment.method !== "simulate_v1")
]

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
    ] as const)("measures the same taxes of %s in every environment", ([name, expected]) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets[name].address)
        assert.deepStrictEqual(outcome.unavailable, [])
        assert.strictEqual(outcome.pool, targets[name].pair)
        assert.deepStrictEqual(outcome.runs.map(called), environments)
        const [buyTax, , sellTax] = expected
        for (const run of outcome.runs) {
          assert.strictEqual(run.buy.tax_bps, buyTax, called(run))
          assert.strictEqual(run.sell.tax_bps, sellTax, called(run))
          assert.strictEqual(run.control, "ok", called(run))
        }
        for (const run of whole(outcome)) {
          assert.deepStrictEqual(states(run), ["ok", "ok", "ok"], called(run))
          assert.deepStrictEqual(taxes(run), [...expected], called(run))
        }
        for (const run of settled(outcome)) assert.deepStrictEqual([run.sold_bps, run.refused_bps], [10_000, null])
        assert.deepStrictEqual([outcome.buy_tax_bps, outcome.transfer_tax_bps, outcome.sell_tax_bps], [...expected])
        Schema.validateSync(TradeOutcome.TradeOutcome)(outcome)
      })
    )

    it.effect.each(["honeypot", "silentHoneypot"] as const)("sees that %s is bought, moved and not sold", (name) =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets[name].address)
        assert.deepStrictEqual(outcome.runs.map(called), environments)
        for (const run of outcome.runs) {
          assert.strictEqual(run.buy.state, "ok", called(run))
          assert.strictEqual(run.sell.state, "reverted", called(run))
          assert.strictEqual(run.control, "ok", called(run))
        }
        for (const run of whole(outcome)) assert.strictEqual(run.transfer.state, "ok", called(run))
        for (const run of settled(outcome)) assert.deepStrictEqual([run.sold_bps, run.refused_bps], [0, 10_000])
        assert.strictEqual(outcome.sell_tax_bps, null)
      })
    )

    it.effect("holds no failed sale against a token with an emptied pool, except those that the token refuses", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        for (const [name, held] of [
          ["emptied", false],
          ["emptiedTrap", true]
        ] as const) {
          const outcome = yield* outcomeOf(targets[name].address)
          const refused = outcome.runs.filter(({ sell }) => sell.state === "reverted")
          assert.deepStrictEqual(refused, held ? settled(outcome) : [])
          for (const run of outcome.runs) {
            assert.strictEqual(run.buy.state, "ok", called(run))
            assert.strictEqual(run.control, "ok", called(run))
          }
          // What the others pay into it may be enough to pay one of them back.
          for (const run of outcome.runs) {
            const states = settled(outcome).includes(run) ? ["ok", "worthless"] : ["worthless"]
            if (!refused.includes(run)) assert.include(states, run.sell.state, called(run))
          }
          const [small, large] = settled(outcome)
          assert.notStrictEqual(small?.spent, large?.spent)
        }
      })
    )

    it.effect("gives the token's own words where the router hides them", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets.honeypot.address)
        for (const run of settled(outcome)) assert.strictEqual(run.sell.error, "TRANSFER_FAILED")
      })
    )

    it.effect("lets a later block undo an anti-bot rule that fails within one block", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const outcome = yield* outcomeOf(targets.cooldown.address)
        for (const run of by(outcome, "simulate_v1")) {
          assert.strictEqual(run.sell.state, run.environment.sells === "at_once" ? "reverted" : "ok", called(run))
        }
        for (const run of by(outcome, "constructor")) {
          assert.deepStrictEqual(states(run), ["ok", "reverted", "reverted"])
          assert.strictEqual(run.transfer.error, "cooldown")
        }
      })
    )

    it.effect("trades with fresh accounts of both halves of all addresses, in four sizes", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const state = yield* ChainState
        const runs = by(yield* outcomeOf(targets.plain.address), "simulate_v1")
        assert.strictEqual(new Set(runs.map((run) => run.sender)).size, 10)
        assert.strictEqual(new Set(runs.map((run) => run.spent)).size, 4)
        assert.deepStrictEqual(
          runs.slice(0, 2).map(({ sender }) => BigInt(sender) >> 159n),
          [0n, 1n]
        )
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

    it.effect(
      "costs two dependent levels and eight calls, pools included, beside those that find its code and its owner, for any number of callers",
      () =>
        Effect.gen(function* () {
          const { targets } = yield* Running
          const token = Address.checksum(targets.plain.address)
          const trade = yield* Trade.Trade
          const pools = yield* Pools.Pools
          yield* Effect.all([trade.of(token), trade.of(token), pools.of(token)], { concurrency: "unbounded" })
          yield* trade.of(token)
          const { calls, levels } = yield* spent
          const finding = yield* Effect.flatMap(Functions.Functions, ({ of }) =>
            Effect.zipRight(of(token), spent)
          ).pipe(Effect.provide(facts.pipe(Layer.provideMerge(pinned()))))
          assert.deepStrictEqual({ calls: calls - finding.calls, levels }, { calls: 8, levels: 2 })
        }).pipe(Effect.provide(facts.pipe(Layer.provideMerge(pinned()))))
    )

    it.effect("finds when a code compares a clock, at no call for one that compares none", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const of = (token: Hex) =>
          Effect.gen(function* () {
            const moments = yield* TradeMoments.TradeMoments
            const { of } = yield* Functions.Functions
            yield* of(Address.checksum(token))
            const before = yield* spent
            const ahead = yield* moments.of(Address.checksum(token))
            const after = yield* spent
            return {
              calls: after.calls - before.calls,
              days: ahead.tries.map((each) => Math.round(each / 86_400)),
              gap: ahead.gap
            }
          }).pipe(Effect.provide(readings.pipe(Layer.provideMerge(pinned()))))
        const deployed = (name: Adversaries.Name) =>
          Effect.flatMap(
            Effect.promise(() => Adversaries.deploy(sandbox, name)),
            of
          )
        const nothing = { calls: 0, days: [], gap: Option.none() }
        assert.deepStrictEqual(yield* of(sandbox.targets.plain.address), nothing)
        assert.deepStrictEqual(yield* deployed("LimitingSales"), nothing)
        assert.deepStrictEqual(yield* deployed("ClosedForASeason"), { ...nothing, days: [50, 50, 130, 130] })
        const { calls, days } = yield* deployed("DearWeeks")
        assert.isAtMost(calls, 3)
        assert.deepStrictEqual(days, [42, 42, 90, 90])
        const { gap } = yield* deployed("ClosedByHash")
        assert.match(Option.getOrThrow(gap), /^sales may change with time: /)
      })
    )

    it.effect("shows each environment by the call that it was seen in", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const trade = yield* Trade.Trade
        const reading = Option.getOrThrow(yield* trade.of(Address.checksum(targets.plain.address)))
        const seen = reading.value.runs.map(({ environment }) => reading.observationIn(environment))
        assert.strictEqual(new Set(seen.map(({ params_hash }) => params_hash)).size, 5)
        assert.strictEqual(reading.observation().method, "eth_simulateV1")
        assert.deepStrictEqual(seen[0], reading.observation())
        assert.strictEqual(seen.at(-1)?.method, "eth_call")
      }).pipe(Effect.provide(facts.pipe(Layer.provideMerge(pinned()))))
    )

    it.effect("trades a token that a stable coin quotes, funded from native coin", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        yield* Effect.promise(() => Adversaries.pairWithUsdc(sandbox, token, 300_000_000_000n))
        const outcome = yield* outcomeOf(token)
        assert.strictEqual<string>(outcome.quote, sandbox.infrastructure.usdc)
        assert.deepStrictEqual(outcome.runs.map(called), environments)
        for (const run of outcome.runs) {
          assert.strictEqual(run.sell.state, "ok", called(run))
          assert.strictEqual(run.control, "ok", called(run))
        }
        for (const run of whole(outcome)) assert.deepStrictEqual(taxes(run), [0, 0, 0], called(run))
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
        assert.deepStrictEqual(outcome.runs.map(called), environmentsOfV3)
        for (const run of outcome.runs) {
          assert.strictEqual(run.sell.state, "ok", called(run))
          assert.strictEqual(run.control, "ok", called(run))
        }
        for (const run of whole(outcome)) assert.deepStrictEqual(taxes(run), [0, 0, 0], called(run))

        const taxed = yield* Effect.promise(() => Adversaries.deploy(sandbox, "TakingSales"))
        yield* Effect.promise(() => Adversaries.poolV3(sandbox, taxed, "50"))
        yield* Effect.promise(() =>
          Adversaries.setPair(sandbox, taxed, Pool.v3Address(taxed, infrastructure.weth, 10_000))
        )
        const refused = yield* outcomeOf(taxed)
        for (const run of refused.runs) {
          assert.strictEqual(run.sell.state, "underpaid", called(run))
          assert.strictEqual(run.control, "ok", called(run))
        }
      })
    )

    it.effect("trades the wrapped coin itself, against a stable coin", () =>
      Effect.gen(function* () {
        const { infrastructure } = yield* Running
        const outcome = yield* outcomeOf(infrastructure.weth)
        assert.strictEqual<string>(outcome.quote, infrastructure.usdc)
        for (const run of outcome.runs) assert.strictEqual(run.sell.state, "ok", called(run))
      })
    )

    it.effect("trades a stable coin beside another one, and says that no control is there where none has a pool", () =>
      Effect.gen(function* () {
        const { infrastructure, rpc, targets } = yield* Running
        const controls = Effect.map(outcomeOf(targets.usdc.address), ({ runs }) => {
          for (const run of runs) assert.strictEqual(run.sell.state, "ok", called(run))
          return [...new Set(runs.map((run) => run.control))]
        })
        assert.deepStrictEqual(yield* controls, ["ok"])
        const before = yield* Effect.promise(() => rpc.call("evm_snapshot", []))
        yield* Effect.promise(() =>
          rpc.call("anvil_setCode", [Pool.v2Address(targets.usdt.address, infrastructure.weth), "0x"])
        )
        const alone = yield* Effect.ensuring(
          controls,
          Effect.promise(() => rpc.call("evm_revert", [before]))
        )
        assert.deepStrictEqual(alone, ["unavailable"])
      })
    )

    it.effect("has no result for a token without a pool, also where exchanges have to be found", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        assert.isTrue(Option.isNone(yield* tradeOf(targets.fakeUsdc.address)))
        assert.isTrue(Option.isNone(yield* tradeOf(targets.collectible.address)))
        const uncovered = Effect.flatMap(Trade.Trade, (trade) => trade.of(Address.checksum(targets.fakeUsdc.address)))
        const answer = yield* uncovered.pipe(Effect.provide(facts.pipe(Layer.provide(pinned({ addressBook: 31_337 })))))
        assert.isTrue(Option.isNone(answer))
      })
    )
  })

  layer(running)("against tokens that fight back", (it) => {
    /** How each sale ended, by environment. */
    const sales = (outcome: TradeOutcome.TradeOutcome) => outcome.runs.map((run) => run.sell.state)

    const [ok, no] = ["ok", "reverted"] as const

    it.effect.each([
      // In hours twice, a day, a month twice, a year twice, at once, without fees, in hours; by a contract now, in a month
      // and in a year, by a constructor.
      ["TellingSimulationsApart", [no, no, no, no, no, no, no, no, no, no, ok, ok, ok, ok]],
      ["AskingForGasPrice", [no, no, no, no, no, no, no, no, ok, no, no, no, no, no]],
      ["AskingForBaseFee", [no, no, no, no, no, no, no, no, ok, no, no, no, no, no]],
      // Two more before and after the moment that its code names.
      ["ClosingInTime", [ok, ok, ok, no, no, no, no, ok, ok, ok, ok, ok, no, no, ok, no, no, ok]],
      ["ClosingInBlocks", [ok, ok, ok, no, no, no, no, ok, ok, ok, ok, ok, no, no, ok, no, no, ok]],
      ["ClosingAfterTheFirst", [no, no, no, no, no, no, no, ok, no, no, ok, ok, ok, ok]],
      ["ListingSellers", [no, no, no, no, no, no, no, no, no, no, no, no, no, no]],
      ["SellingOnce", [ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok]]
    ] as const)("sees each environment in which %s is sold", ([name, expected]) =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch(name))
        const usual = outcome.runs.filter(({ environment }) => environment.sells !== "at_a_moment")
        assert.deepStrictEqual(usual.map(called), environments)
        assert.deepStrictEqual(sales(outcome), [...expected])
        for (const run of outcome.runs) assert.strictEqual(run.control, "ok", called(run))
      })
    )

    it.effect("sees that a token treats accounts differently by their addresses", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("ChoosingSenders"))
        for (const run of by(outcome, "simulate_v1")) {
          assert.strictEqual(run.sell.state, BigInt(run.sender) >> 159n === 0n ? "ok" : "reverted", called(run))
        }
      })
    )

    it.effect("sees that contracts are refused and accounts are not", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("RefusingContracts"))
        for (const run of by(outcome, "simulate_v1")) assert.strictEqual(run.sell.state, "ok", called(run))
        for (const run of by(outcome, "override")) assert.strictEqual(run.buy.state, "reverted", called(run))
        // While a constructor runs, there is no code at its address.
        for (const run of by(outcome, "constructor")) assert.strictEqual(run.sell.state, "ok", called(run))
      })
    )

    it.effect("sees a second sale refused where the first was not", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("SellingOnce"))
        assert.deepStrictEqual(
          outcome.runs.flatMap((run) => run.sell_again?.state ?? []),
          ["reverted"]
        )
      })
    )

    it.effect("sells all of what is held, to the unit, and less of it where that is refused", () =>
      Effect.gen(function* () {
        const parts = (outcome: TradeOutcome.TradeOutcome) =>
          settled(outcome).map((run) => [run.sold_bps, run.refused_bps])
        assert.deepStrictEqual(parts(yield* outcomeOf(yield* launch("KeepingDust"))), [
          [9_900, 10_000],
          [9_900, 10_000],
          [1_000, 10_000]
        ])
        // A hundred of 400,000 at most: all of the small holding, a hundredth of the large one, a thousandth of the largest.
        assert.deepStrictEqual(parts(yield* outcomeOf(yield* launch("LimitingSales"))), [
          [10_000, null],
          [100, 10_000],
          [10, 10_000]
        ])
      })
    )

    it.effect("counts as many blocks since a purchase as there are in that time, though it simulates a few", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const aged = yield* outcomeOf(targets.blockAgeTax.address)
        assert.deepStrictEqual(
          by(aged, "simulate_v1").map((run) => run.sell.tax_bps),
          // All but the one that sells at once sell after more than five hundred blocks.
          [9_900, 9_900, 9_900, 9_900, 9_900, 9_900, 9_900, 0, 9_900, 9_900]
        )
        const clocked = yield* outcomeOf(targets.clock.address)
        for (const run of by(clocked, "simulate_v1")) {
          assert.strictEqual(run.buy.state, "ok", called(run))
          assert.strictEqual(run.sell.state, "reverted", called(run))
          assert.strictEqual(run.control, "ok", called(run))
        }
      })
    )

    it.effect("measures the tax that begins a day later", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("TaxingLater"))
        assert.deepStrictEqual(
          by(outcome, "simulate_v1").map((run) => run.sell.tax_bps),
          // The last four right before and right after the moment that its code names.
          [0, 0, 5_000, 5_000, 5_000, 5_000, 5_000, 0, 0, 0, 0, 0, 5_000, 5_000]
        )
        assert.strictEqual(outcome.sell_tax_bps, 5_000)
      })
    )

    it.effect("finds who can buy: a small amount, the owner, nobody", () =>
      Effect.gen(function* () {
        const small = yield* outcomeOf(yield* launch("LimitingPurchases"))
        assert.deepStrictEqual(
          by(small, "simulate_v1").map((run) => run.buy.state),
          [no, no, no, no, no, no, no, ok, no, no]
        )
        assert.strictEqual(small.owner_receives, null)
        const owners = yield* outcomeOf(yield* launch("NotLaunched"))
        for (const run of owners.runs) assert.strictEqual(run.buy.state, "reverted", called(run))
        assert.strictEqual(owners.owner_receives, true)
        const nobodys = yield* outcomeOf(yield* launch("LimitingToNothing"))
        for (const run of nobodys.runs) assert.strictEqual(run.buy.state, "reverted", called(run))
        for (const run of settled(nobodys)) assert.strictEqual(run.buy.error, "over the limit")
      })
    )

    it.effect("bounds the gas of a leg, so that the control and the other legs still count", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("BurningGas"))
        assert.deepStrictEqual(outcome.runs.map(called), environments)
        for (const run of outcome.runs) {
          assert.strictEqual(run.sell.state, "reverted", called(run))
          assert.strictEqual(run.control, "ok", called(run))
          assert.isAbove(run.sell.gas ?? 0, 1_500_000, called(run))
          assert.isAtMost(run.sell.gas ?? 0, 2_000_000, called(run))
        }
      })
    )

    it.effect("is not drowned in a revert of half a megabyte", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("RevertingAtLength"))
        assert.deepStrictEqual(outcome.runs.map(called), environments)
        for (const run of outcome.runs) {
          assert.strictEqual(run.sell.state, "reverted", called(run))
          assert.isAtMost((run.sell.error ?? "").length, 64, called(run))
        }
      })
    )

    it.effect("survives balances that cannot be read", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("UnreadableBalances"))
        assert.deepStrictEqual(outcome.runs.map(called), environments)
        for (const run of outcome.runs) assert.notStrictEqual(run.sell.state, "ok", called(run))
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

    it.effect("sells a part so small that it is there also where nearly all was taken", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("TakingPurchases"))
        assert.strictEqual(outcome.buy_tax_bps, 9_700)
        for (const run of by(outcome, "simulate_v1")) {
          assert.deepStrictEqual(states(run), ["ok", "not_reached", "ok"], called(run))
        }
      })
    )

    it.effect("measures a sale tax also where the token sells its own in the same transfer", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("SellingItsTax"))
        for (const run of outcome.runs) assert.strictEqual(run.sell.tax_bps, 700, called(run))
      })
    )

    it.effect("believes balances and not return values", () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeOf(yield* launch("SilentTransfers"))
        for (const run of whole(outcome)) assert.deepStrictEqual(states(run), ["ok", "no_effect", "ok"], called(run))
        // Nor does it say that all was sold where the rest could not be taken away.
        for (const run of settled(outcome)) assert.isBelow(run.sold_bps ?? 0, 9_000)
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
          value.runs.map(called),
          environments.filter((environment) => !environment.startsWith("simulate_v1"))
        )
        assert.deepStrictEqual(value.unavailable, [
          { method: "simulate_v1", begins: "now", reason: "rate_limited", detail: "too many requests" }
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
          value.runs.map(called),
          environments.filter((environment) => !environment.startsWith("override"))
        )
        assert.deepStrictEqual(
          value.unavailable.map((row) => [row.method, row.begins, row.reason]),
          [
            ["override", "now", "method_unsupported"],
            ["override", "in_a_month", "method_unsupported"],
            ["override", "in_a_year", "method_unsupported"]
          ]
        )
      })
    )

    it.effect("has no fees, no month and no year where a block cannot be pretended", () =>
      Effect.gen(function* () {
        const answer = yield* Effect.flatten(
          outcomeLosing((state) => ({
            capabilities: Effect.map(state.capabilities, (able) => ({ ...able, blockOverride: false })),
            call: (request) => (request.block === undefined ? state.call(request) : refused("eth_call"))
          }))
        )
        const { value } = yield* answer
        assert.deepStrictEqual(
          value.runs.map(called).filter((environment) => !environment.startsWith("simulate_v1")),
          ["override now at_once none", "constructor now at_once none"]
        )
        assert.deepStrictEqual(
          value.unavailable.map((row) => [row.method, row.begins]),
          [
            ["override", "in_a_month"],
            ["override", "in_a_year"]
          ]
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
