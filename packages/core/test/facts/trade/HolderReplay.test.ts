import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Check from "../../../src/checks/Check.js"
import { holdersBlocked } from "../../../src/checks/token/trade/HoldersBlocked.js"
import { honeypot } from "../../../src/checks/token/trade/Honeypot.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Code from "../../../src/facts/code/Code.js"
import * as Functions from "../../../src/facts/code/Functions.js"
import * as Proxy from "../../../src/facts/code/Proxy.js"
import * as Control from "../../../src/facts/control/Control.js"
import * as Safe from "../../../src/facts/control/Safe.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as Token from "../../../src/facts/market/Token.js"
import * as FreeTransfer from "../../../src/facts/trade/FreeTransfer.js"
import * as HolderReplay from "../../../src/facts/trade/HolderReplay.js"
import * as SettledFunctions from "../../../src/facts/trade/SettledFunctions.js"
import * as SimulatedPool from "../../../src/facts/trade/SimulatedPool.js"
import * as Trade from "../../../src/facts/trade/Trade.js"
import * as TradeMoments from "../../../src/facts/trade/TradeMoments.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Adversaries from "../Adversaries.js"
import { pinned, Running, running } from "../SandboxState.js"
import * as SharedReadings from "../SharedReadings.js"

const replays = Layer.mergeAll(HolderReplay.layer, FreeTransfer.layer, SimulatedPool.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Trade.layer, TradeMoments.layer)),
  Layer.provideMerge(SettledFunctions.layer),
  Layer.provide(Control.layer),
  Layer.provideMerge(Layer.mergeAll(Pools.layer, Token.layer, Functions.layer, Code.layer, Safe.layer)),
  Layer.provide(Layer.provideMerge(Proxy.layer, SharedReadings.layer))
)

type Change = (state: ChainState["Type"]) => Partial<ChainState["Type"]>

const over = (change: Change = () => ({}), addressBook = 1) =>
  replays.pipe(
    Layer.provideMerge(
      Layer.map(pinned({ addressBook }), (context) => {
        const state = Context.get(context, ChainState)
        return Context.make(ChainState, { ...state, ...change(state) })
      })
    )
  )

const of = (token: Hex) => Effect.flatMap(HolderReplay.HolderReplay, (replay) => replay.of(Address.checksum(token)))

const replayOf = (token: Hex, change?: Change) => Effect.provide(of(token), over(change))

const states = ({ trials }: HolderReplay.Replay) => [...new Set(trials.map(({ state }) => state))]

const strangers = Adversaries.strangers(16)

/** A token with a pool and as many holders as are tried at most, and more. */
const launched = (name: Adversaries.Name) =>
  Effect.gen(function* () {
    const sandbox = yield* Running
    const token = yield* Effect.promise(() => Adversaries.launch(sandbox, name))
    yield* Effect.promise(() => Adversaries.distribute(sandbox, token, strangers))
    return token
  })

const refused = (method: string) =>
  new ChainError({ reason: "method_unsupported", method, retryable: false, detail: "not offered" })

/** An endpoint that offers eth_call as it was in the beginning, beside plain reads. */
const plainCalls: Change = (state) => ({
  capabilities: Effect.map(state.capabilities, (able) => ({
    ...able,
    simulateV1: false,
    codeOverride: false,
    blockOverride: false
  })),
  simulate: () => refused("eth_simulateV1"),
  call: (request) =>
    request.overrides === undefined && request.block === undefined ? state.call(request) : refused("eth_call")
})

/** An endpoint that has the method, and fails whoever uses it. */
const failingBlocks: Change = () => ({
  simulate: () =>
    new ChainError({ reason: "rpc_error", method: "eth_simulateV1", retryable: true, detail: "method handler crashed" })
})

const noBlocks: Change = (state) => ({
  capabilities: Effect.map(state.capabilities, (able) => ({ ...able, simulateV1: false })),
  simulate: () => refused("eth_simulateV1")
})

layer(running)("a replay of holders", (it) => {
  it.effect("sells in the name of eleven of them, large and small, in two levels", () =>
    Effect.gen(function* () {
      const token = yield* launched("Plain")
      const reading = yield* Effect.gen(function* () {
        const reading = yield* of(token)
        const { levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        assert.strictEqual(levels, 2)
        return reading
      }).pipe(Effect.provide(over()))
      const { complete, control, method, trials } = reading.value
      assert.strictEqual(trials.length, 11)
      assert.deepStrictEqual(states(reading.value), ["free"])
      assert.deepStrictEqual({ complete, control, method }, { complete: true, control: "ok", method: "simulate_v1" })
      assert.strictEqual(reading.observation().method, "eth_simulateV1")
      for (const { holder } of trials) assert.notStrictEqual<string>(holder, token)
    })
  )

  it.effect.each(["ListingSellers", "AskingForGasPrice", "AskingForBaseFee", "TellingSimulationsApart"] as const)(
    "finds every holder of %s held, with the token's words",
    (name) =>
      Effect.gen(function* () {
        const { value } = yield* replayOf(yield* launched(name))
        // All but the deployer, whom no rule touches.
        assert.isAtLeast(value.trials.filter(({ state }) => state === "blocked").length, 10)
        for (const { error, routed, state } of value.trials) {
          if (state !== "blocked") continue
          assert.isTrue(routed)
          assert.notInclude(
            Option.getOrElse(error, () => ""),
            "TRANSFER_FROM_FAILED"
          )
        }
      })
  )

  it.effect("tries them a month and a year later too, as if they had not sold before", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const { later, trials } = (yield* replayOf(targets.grudge.address)).value
      const statesOf = (held: HolderReplay.Trials) => [...new Set(held.trials.map(({ state }) => state))]
      assert.deepStrictEqual([...new Set(trials.map(({ state }) => state))], ["free"])
      assert.deepStrictEqual(
        later.map((held) => [held.when, statesOf(held), held.control]),
        [
          ["in_a_month", ["free"], "ok"],
          ["in_a_year", ["blocked"], "ok"],
          // Right before and right after the moment that its code names.
          ["at_a_moment", ["free"], "ok"],
          ["at_a_moment", ["blocked"], "ok"]
        ]
      )
      const seen = later.map(({ observation }) => observation().params_hash)
      assert.strictEqual(new Set(seen).size, 4)
      const once = (yield* replayOf(yield* launched("SellingOnce"))).value
      for (const held of [once, ...once.later]) assert.deepStrictEqual(statesOf(held), ["free"])
    })
  )

  it.effect("shows no holder free who can send the token, where its pool cannot be reached", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, "ListingSellers"))
      yield* Effect.promise(() => Adversaries.distribute(sandbox, token, strangers))
      yield* Effect.promise(() => Adversaries.pairWithUsdc(sandbox, token, 200_000_000_000n))
      // No row: nobody knows what its quote is worth, and no way leads there from native coin.
      const { value } = yield* Effect.provide(of(token), over(undefined, 31_337))
      assert.isNotEmpty(value.trials)
      assert.notInclude(states(value), "free")
    })
  )

  it.effect("shows nothing of holders whom an emptied pool could not pay, whatever the token does", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      for (const name of ["emptied", "emptiedTrap"] as const) {
        const { value } = yield* replayOf(targets[name].address)
        assert.isAbove(value.trials.length, 3)
        assert.deepStrictEqual(states(value), ["unshown"])
        for (const { error } of value.trials) assert.isTrue(Option.isSome(error))
      }
    })
  )

  it.effect("shows nothing of holders of whom the token does not say that they have what it gave them", () =>
    Effect.gen(function* () {
      for (const name of ["UnreadableBalances", "ForgettingHolders"] as const) {
        const { complete, trials, untried } = (yield* replayOf(yield* launched(name))).value
        assert.deepStrictEqual(
          { complete, untried, tried: trials.length },
          { complete: true, untried: true, tried: 11 }
        )
        const lost = trials
          .filter(({ holder }) => strangers.includes(holder))
          .filter(({ holder }) => name === "UnreadableBalances" || BigInt(holder) % 2n === 0n)
        assert.isAbove(lost.length, 2)
        for (const { error, state } of lost) {
          assert.strictEqual(state, "unshown")
          assert.isTrue(Option.isSome(error))
        }
      }
    })
  )

  it.effect("measures that nothing moved where a sale is silent", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const { value } = yield* replayOf(targets.silentHoneypot.address)
      assert.include(states(value), "blocked")
    })
  )

  it.effect("sends to a fresh account where there is no pool, and measures that it arrived", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      for (const [name, state] of [
        ["Plain", "free"],
        ["SilentTransfers", "blocked"],
        ["ClosedGate", "blocked"]
      ] as const) {
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, name))
        yield* Effect.promise(() => Adversaries.distribute(sandbox, token, strangers.slice(0, 4)))
        const { value } = yield* replayOf(token)
        assert.strictEqual(value.control, "unavailable")
        const held = value.trials.filter(({ holder }) => strangers.includes(holder))
        assert.deepStrictEqual(
          held.map((trial) => trial.state),
          [state, state, state, state],
          name
        )
      }
    })
  )

  it.effect("does not count a transfer as a way out where the only pool is empty", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      for (const [name, state] of [
        ["Plain", "unshown"],
        ["ClosedGate", "blocked"]
      ] as const) {
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, name))
        yield* Effect.promise(() => Adversaries.distribute(sandbox, token, strangers.slice(0, 4)))
        yield* Effect.promise(() => Adversaries.emptyPair(sandbox, token))
        const { trials } = (yield* replayOf(token)).value
        const held = trials.filter(({ holder }) => strangers.includes(holder))
        assert.deepStrictEqual([...new Set(held.map((trial) => trial.state))], [state], name)
      }
    })
  )

  /** A token with eleven holders, of whom some are on its list, and no pool unless one is made. */
  const listing = (name: "AmongListed" | "ToListed", listed: (index: number) => boolean, isPaired = false) =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const holders = strangers.slice(0, 11)
      const [first] = holders
      if (first === undefined) return yield* Effect.dieMessage("nobody holds it")
      const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, name))
      yield* Effect.promise(() => Adversaries.distribute(sandbox, token, holders))
      yield* Effect.promise(() => Adversaries.handOver(sandbox, token, first))
      const chosen = holders.filter((_, index) => listed(index))
      yield* Effect.promise(() => Adversaries.list(sandbox, token, chosen))
      if (isPaired) yield* Effect.promise(() => Adversaries.emptyPair(sandbox, token))
      return token
    })

  it.effect("distinguishes holders that can send to each other from those that can send to nobody", () =>
    Effect.gen(function* () {
      const token = yield* listing("AmongListed", () => true)
      const { value } = yield* replayOf(token)
      for (const { trials } of [value, ...value.later]) {
        assert.deepStrictEqual([trials.length, [...new Set(trials.map(({ state }) => state))]], [11, ["restricted"]])
        assert.isTrue(Option.contains(trials[0]?.error ?? Option.none(), "not listed"))
      }
      const [held] = yield* judged(token, () => ({}))
      assert.deepStrictEqual([held?.state, held?.severity], ["confirmed", "high"])
      // A call does not show that anything arrives.
      assert.deepStrictEqual(states((yield* replayOf(token, plainCalls)).value), ["unshown"])
      assert.strictEqual((yield* judged(token))[0]?.state, "unknown")
    })
  )

  it.effect("does not take for a list of holders one that locks in all but insiders, or that spares some", () =>
    Effect.gen(function* () {
      for (const [name, listed] of [
        ["AmongListed", (index: number) => index < 5],
        ["AmongListed", (index: number) => index < 9],
        ["ToListed", (index: number) => index < 3],
        ["ToListed", (index: number) => index % 3 === 0]
      ] as const) {
        const token = yield* listing(name, listed)
        const [held] = yield* judged(token, () => ({}))
        assert.deepStrictEqual([held?.state, held?.severity], ["confirmed", "critical"], name)
      }
    })
  )

  it.effect("does not let holders send to each other where the token has a pool, though it is empty", () =>
    Effect.gen(function* () {
      const token = yield* listing("AmongListed", () => true, true)
      assert.deepStrictEqual(states((yield* replayOf(token)).value), ["blocked"])
      const [held] = yield* judged(token, () => ({}))
      assert.deepStrictEqual([held?.state, held?.severity], ["confirmed", "critical"])
    })
  )

  it.effect("leaves out contracts, and says that nobody is left", () =>
    Effect.gen(function* () {
      const { infrastructure, targets } = yield* Running
      const { value } = yield* replayOf(infrastructure.weth)
      for (const { holder } of value.trials) assert.notStrictEqual<string>(holder, targets.plain.pair ?? "")
    })
  )

  it.effect("shows by plain calls what the router is refused, and never that something moved", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const token = yield* launched("ListingSellers")
      yield* Effect.promise(() => Adversaries.allowRouter(sandbox, token, strangers))
      const reading = yield* replayOf(token, plainCalls)
      const { method, trials } = reading.value
      assert.strictEqual(method, "call")
      assert.strictEqual(reading.observation().method, "eth_call")
      assert.isAtLeast(trials.filter(({ state }) => state === "blocked").length, 10)
      assert.isAtLeast(trials.filter(({ routed }) => routed).length, 10)
      assert.deepStrictEqual(states((yield* replayOf(yield* launched("Plain"), plainCalls)).value), ["unshown"])
    })
  )

  it.effect("does not hold a token for a trap that takes no transfers from contracts within a block", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const { value } = yield* replayOf(targets.cooldown.address, plainCalls)
      assert.deepStrictEqual(
        value.trials.filter(({ state }) => state === "blocked"),
        []
      )
    })
  )

  const judged = (token: Hex, change: Change = plainCalls) =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const target = {
        kind: "token",
        address: Address.checksum(token),
        chain: { id: sandbox.chainId, name: "sandbox" }
      } as const
      const [holders] = yield* Check.evaluate(holdersBlocked, target)
      const [trap] = yield* Check.evaluate(honeypot, target)
      return [holders, trap] as const
    }).pipe(Effect.provide(over(change)))

  it.effect("takes what a code override adds for a confirmed trap, without simulated blocks", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const token = yield* launched("ListingSellers")
      yield* Effect.promise(() => Adversaries.allowRouter(sandbox, token, strangers))
      const [, trap] = yield* judged(token, noBlocks)
      assert.strictEqual(trap?.state, "confirmed")
      assert.strictEqual(trap?.observation?.method, "eth_call")
      // Where nobody gave the router an allowance, one is pretended, since a refusal may be of direct transfers only.
      const unallowed = yield* launched("ListingSellers")
      assert.strictEqual((yield* judged(unallowed, noBlocks))[1]?.state, "confirmed")
      // Where none can be pretended, it may.
      const [, open] = yield* judged(unallowed, plainCalls)
      assert.deepStrictEqual([open?.state, open?.reason], ["unknown", "method_unsupported"])
    })
  )

  it.effect("goes on without blocks where the endpoint has them and fails each request for some", () =>
    Effect.gen(function* () {
      const token = yield* launched("ListingSellers")
      const [{ value: without }, { value: failing }] = [
        yield* replayOf(token, noBlocks),
        yield* replayOf(token, failingBlocks)
      ]
      assert.deepStrictEqual(failing.trials, without.trials)
      assert.strictEqual(failing.method, "call")
      assert.strictEqual((yield* judged(token, failingBlocks))[1]?.state, "confirmed")
    })
  )

  const century = 100n * 365n * 86_400n

  it.effect("does not take a cooldown of half an hour for a trap, and takes one that was made a century for one", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const token = yield* launched("Cooling")
      yield* Effect.promise(() => Adversaries.allowRouter(sandbox, token, strangers))
      // Every holder but the deployer had it at its launch, so that all of them are held now.
      const thenOf = ({ later, trials }: HolderReplay.Replay) => {
        const held = trials.filter(({ state }) => state === "blocked").map(({ holder }) => holder)
        assert.isAtLeast(held.length, 10)
        const inAMonth = later.flatMap((then) => (then.when === "in_a_month" ? then.trials : []))
        return [...new Set(inAMonth.flatMap(({ holder, state }) => (held.includes(holder) ? [state] : [])))]
      }
      assert.deepStrictEqual(thenOf((yield* replayOf(token)).value), ["free"])
      assert.deepStrictEqual(thenOf((yield* replayOf(token, noBlocks)).value), ["unshown"])
      assert.strictEqual((yield* judged(token, () => ({})))[1]?.state, "refuted")
      assert.strictEqual((yield* judged(token, noBlocks))[1]?.state, "unknown")
      assert.strictEqual((yield* judged(token, plainCalls))[1]?.state, "unknown")
      yield* Effect.promise(() => Adversaries.setWait(sandbox, token, century))
      assert.strictEqual((yield* judged(token, () => ({})))[1]?.state, "confirmed")
      assert.strictEqual((yield* judged(token, noBlocks))[1]?.state, "confirmed")
      assert.strictEqual((yield* judged(token, plainCalls))[1]?.state, "unknown")
    })
  )

  it.effect("confirms on an endpoint of plain calls that holders are held, and refutes nothing there", () =>
    Effect.gen(function* () {
      const [held] = yield* judged(yield* launched("ListingSellers"))
      assert.strictEqual(held?.state, "confirmed")
      assert.strictEqual(held?.severity, "critical")
      const [free, plain] = yield* judged(yield* launched("Plain"))
      assert.deepStrictEqual([free?.state, free?.reason], ["unknown", "method_unsupported"])
      assert.deepStrictEqual([plain?.state, plain?.reason], ["unknown", "method_unsupported"])
    })
  )
})

describe("a replay of holders that cannot be read", () => {
  const token = Address.checksum(`0x${"a".repeat(40)}`)
  const holder = Address.checksum(`0x${"b".repeat(40)}`)
  const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`
  const { functions, topics } = Selectors

  const script = (fault?: ScriptedChain.Script["fault"]): ScriptedChain.Script => ({
    chain: { addressBook: 31_337 },
    accounts: {
      [token]: {
        code: "0x60006000f3",
        calls: { [functions.totalSupply]: word(5n), [functions.balanceOf]: word(5n), [functions.transfer]: word(1n) }
      }
    },
    logs: [{ address: token, topics: [topics.Transfer, word(0n), word(BigInt(holder))], data: word(5n) }],
    capabilities: { simulateV1: false },
    fault
  })

  const of = (fault?: ScriptedChain.Script["fault"]) =>
    Effect.flatMap(HolderReplay.HolderReplay, (replay) => replay.of(token)).pipe(
      Effect.provide(Layer.provideMerge(replays, ScriptedChain.layer(script(fault)))),
      Effect.either
    )

  it.effect("fails where the events or balances are lost", () =>
    Effect.gen(function* () {
      const answer = yield* of(({ method }) => (method === "eth_getLogs" ? "log_range_limited" : undefined))
      assert.isTrue(answer._tag === "Left" && answer.left.reason === "log_range_limited")
    })
  )
})
