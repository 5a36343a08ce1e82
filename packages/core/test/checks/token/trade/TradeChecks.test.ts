import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Check from "../../../../src/checks/Check.js"
import { buyBlocked } from "../../../../src/checks/token/trade/BuyBlocked.js"
import { environmentDependent } from "../../../../src/checks/token/trade/EnvironmentDependent.js"
import { holdersBlocked } from "../../../../src/checks/token/trade/HoldersBlocked.js"
import { honeypot } from "../../../../src/checks/token/trade/Honeypot.js"
import { sellLimited } from "../../../../src/checks/token/trade/SellLimited.js"
import { tradeTax } from "../../../../src/checks/token/trade/TradeTax.js"
import * as Address from "../../../../src/domain/Address.js"
import * as Code from "../../../../src/facts/code/Code.js"
import * as Functions from "../../../../src/facts/code/Functions.js"
import * as Proxy from "../../../../src/facts/code/Proxy.js"
import * as Control from "../../../../src/facts/control/Control.js"
import * as Safe from "../../../../src/facts/control/Safe.js"
import * as Pools from "../../../../src/facts/market/Pools.js"
import * as Token from "../../../../src/facts/market/Token.js"
import * as FreeTransfer from "../../../../src/facts/trade/FreeTransfer.js"
import * as HolderReplay from "../../../../src/facts/trade/HolderReplay.js"
import * as SettledFunctions from "../../../../src/facts/trade/SettledFunctions.js"
import * as SimulatedPool from "../../../../src/facts/trade/SimulatedPool.js"
import * as Trade from "../../../../src/facts/trade/Trade.js"
import * as TradeMoments from "../../../../src/facts/trade/TradeMoments.js"
import * as Adversaries from "../../../facts/Adversaries.js"
import { pinned, Running, running } from "../../../facts/SandboxState.js"
import * as SharedReadings from "../../../facts/SharedReadings.js"

const facts = Layer.mergeAll(HolderReplay.layer, FreeTransfer.layer, SimulatedPool.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Trade.layer, TradeMoments.layer)),
  Layer.provideMerge(SettledFunctions.layer),
  Layer.provide(Control.layer),
  Layer.provideMerge(Layer.mergeAll(Pools.layer, Token.layer, Functions.layer, Code.layer, Safe.layer)),
  Layer.provide(Layer.provideMerge(Proxy.layer, SharedReadings.layer)),
  Layer.provideMerge(pinned())
)

const checks = [buyBlocked, honeypot, sellLimited, tradeTax, holdersBlocked, environmentDependent] as const

type Reads = Pools.Pools | Trade.Trade | Token.Token | HolderReplay.HolderReplay | FreeTransfer.FreeTransfer

const judged = (token: string) =>
  Effect.gen(function* () {
    const sandbox = yield* Running
    const target = {
      kind: "token",
      address: Address.checksum(token as `0x${string}`),
      chain: { id: sandbox.chainId, name: "sandbox" }
    } as const
    return yield* Effect.forEach(checks, (check) => Check.evaluate(check as Check.Check<unknown, Reads>, target), {
      concurrency: "unbounded"
    })
  }).pipe(
    Effect.provide(facts),
    Effect.map((lists) => lists.map(([item]) => item))
  )

/** A token of its own, with a pool and twelve holders whom its deployer gave some. */
const launched = (name: Adversaries.Name) =>
  Effect.gen(function* () {
    const sandbox = yield* Running
    const token = yield* Effect.promise(() => Adversaries.launch(sandbox, name))
    yield* Effect.promise(() => Adversaries.distribute(sandbox, token, Adversaries.strangers(12)))
    return token
  })

const [yes, no, open] = ["confirmed", "refuted", "unknown"] as const

type State = "confirmed" | "refuted" | "unknown"

/** Cannot be bought, is a honeypot, sells in part only, is taxed, holds its holders, depends on its environment. */
type Row = readonly [Adversaries.Name, State, State, State, State, State, State]

const rows: ReadonlyArray<Row> = [
  ["Plain", no, no, no, no, no, no],
  ["TakingSales", no, no, no, yes, no, no],
  ["SellingItsTax", no, no, no, yes, no, no],
  ["TakingPurchases", no, no, open, yes, no, no],
  ["SilentTransfers", no, no, open, open, no, no],
  ["TellingSimulationsApart", no, yes, yes, open, yes, yes],
  ["AskingForGasPrice", no, yes, yes, open, yes, yes],
  ["AskingForBaseFee", no, yes, yes, open, yes, yes],
  ["ListingSellers", no, yes, yes, open, yes, no],
  ["BurningGas", no, yes, yes, open, yes, open],
  ["RevertingAtLength", no, yes, yes, open, yes, no],
  // Sold for ten days, so that sales in a month are refused, of those who hold it today too.
  ["ClosingInTime", no, yes, yes, no, yes, yes],
  ["ClosingInBlocks", no, yes, yes, no, yes, yes],
  // Between the times at which trades are always simulated.
  ["ClosedForASeason", no, yes, yes, no, yes, yes],
  ["KeptForASeason", no, no, no, no, no, yes],
  ["DearWeeks", no, no, no, yes, no, yes],
  ["ClosedByPeriod", no, yes, yes, no, yes, yes],
  ["NoApprovals", no, yes, yes, no, yes, yes],
  ["ShowingLess", no, yes, yes, no, yes, yes],
  ["ClosedByHash", no, open, open, open, open, open],
  // Honest ones that read a clock.
  ["GrowingLimit", no, no, no, no, no, no],
  ["StampingTime", no, no, no, no, no, no],
  ["StampingBlocks", no, no, no, no, no, no],
  ["ClosingAfterTheFirst", no, yes, yes, open, yes, yes],
  ["TaxingLater", no, no, no, yes, no, yes],
  ["RefusingContracts", no, no, no, no, no, yes],
  ["SellingOnce", no, no, yes, no, no, no],
  ["KeepingDust", no, no, yes, no, no, no],
  ["LimitingSales", no, no, yes, no, no, open],
  ["RefusingRegulars", no, open, yes, no, no, yes],
  ["RefusingExactAllowances", no, open, yes, no, no, yes],
  ["TaxingLargeHolders", no, no, no, yes, no, no],
  ["TakingTheRest", no, no, no, yes, no, yes],
  ["SparingItsPool", no, no, yes, no, no, no],
  ["LimitingHoldings", no, no, no, no, no, no],
  ["LimitingToNothing", yes, open, open, open, yes, open],
  ["LimitingPurchases", yes, open, open, open, no, open],
  ["NotLaunched", yes, open, open, open, yes, open],
  ["ClosedGate", yes, open, open, open, yes, open],
  // Its balances burn all gas that a call is given, which is the contract's own failure: every purchase reverts.
  ["UnreadableBalances", yes, open, open, open, open, open]
]

layer(running)("the checks of trades, on a chain", (it) => {
  it.effect.each(rows)("say what is true of %s", ([name, ...expected]) =>
    Effect.gen(function* () {
      const items = yield* judged(yield* launched(name))
      const said = items.map((item, index) => `${checks[index]?.id} ${item?.state}`)
      assert.deepStrictEqual(
        said,
        expected.map((state, index) => `${checks[index]?.id} ${state}`),
        items.map((item) => `${item?.id}: ${item?.detail}`).join("; ")
      )
    })
  )

  it.effect("grade what harms nobody low, and what hides a trap high", () =>
    Effect.gen(function* () {
      for (const [name, severity] of [
        ["RefusingContracts", "low"],
        ["ClosingInBlocks", "high"],
        ["ChoosingSenders", "high"]
      ] as const) {
        const items = yield* judged(yield* launched(name))
        assert.strictEqual(items[5]?.state, "confirmed", name)
        assert.strictEqual(items[5]?.severity, severity, name)
      }
    })
  )

  it.effect("say of the sandbox's own tokens what is true of them", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      for (const [name, ...expected] of [
        ["deflating", no, no, no, yes],
        ["sellTax90", no, no, no, yes],
        ["cooldown", no, no, no, no],
        ["honeypot", no, yes, yes, open],
        ["silentHoneypot", no, yes, yes, open]
      ] as const) {
        const items = yield* judged(targets[name].address)
        assert.deepStrictEqual(
          items.slice(0, 4).map((item) => item?.state),
          expected,
          name
        )
      }
    })
  )
})
