import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState, type SimulateRequest } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import * as Document from "../../../src/domain/facts/CounterfactualSet.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Code from "../../../src/facts/code/Code.js"
import * as Functions from "../../../src/facts/code/Functions.js"
import * as Proxy from "../../../src/facts/code/Proxy.js"
import * as Control from "../../../src/facts/control/Control.js"
import * as Safe from "../../../src/facts/control/Safe.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as Token from "../../../src/facts/market/Token.js"
import * as Counterfactual from "../../../src/facts/powers/Counterfactual.js"
import * as Powers from "../../../src/facts/powers/Powers.js"
import * as Levers from "../Levers.js"
import { pinned, Running, running } from "../SandboxState.js"
import * as SharedReadings from "../SharedReadings.js"

const { selector } = Selectors

const facts = Counterfactual.layer.pipe(
  Layer.provideMerge(Powers.layer),
  Layer.provideMerge(Layer.mergeAll(Control.layer, Functions.layer, Pools.layer)),
  Layer.provideMerge(Layer.mergeAll(Proxy.layer, Safe.layer, Token.layer)),
  Layer.provideMerge(Layer.merge(Code.layer, SharedReadings.layer))
)

const read = (token: Hex) =>
  Effect.map(
    Effect.flatMap(Counterfactual.Counterfactual, (fact) => fact.of(Address.checksum(token))),
    Option.map(({ value }) => value)
  )

const of = (token: Hex) => Effect.provide(read(token), Layer.provideMerge(facts, pinned()))

const ofTarget = (
  name: "pausable" | "blacklist" | "taxable" | "safeOwned" | "hiddenMinter" | "plain" | "sentMark" | "usdc"
) => Effect.flatMap(Running, ({ targets }) => Effect.flatten(of(targets[name].address)))

const deployed = (name: Levers.Name) =>
  Effect.flatMap(Running, (sandbox) => Effect.promise(() => Levers.deploy(sandbox, name)))

const ofLever = (name: Levers.Name) => Effect.flatMap(Effect.flatMap(deployed(name), of), Effect.orDie)

/** The same chain, with another answer to `eth_simulateV1`. */
const simulating = (simulate: ChainState["Type"]["simulate"]) =>
  Layer.provideMerge(
    facts,
    Layer.provide(
      Layer.effect(
        ChainState,
        Effect.map(ChainState, (state) => ({ ...state, simulate }))
      ),
      pinned()
    )
  )

const row = (set: Document.CounterfactualSet, power: Document.TokenPower, signature: string) =>
  set.shown.find((each) => each.power === power && each.selector === selector(signature))

const free = { transfer: "moved", sale: "moved", purchase: "moved", tax_bps: 0 } as const

const shows = (found: object | undefined, expected: object) => assert.deepInclude(found ?? {}, expected)

describe("Counterfactual", () => {
  layer(running)("on a chain", (it) => {
    it.effect("shows that the owner's pause stops a holder who moves freely without it, and nobody else's does", () =>
      Effect.gen(function* () {
        const { accounts } = yield* Running
        const set = yield* ofTarget("pausable")
        Schema.validateSync(Document.CounterfactualSet)(set)
        assert.deepStrictEqual(set.baseline, free)
        shows(row(set, "pause", "pause()"), {
          effect: "stopped",
          controller: accounts.issuer,
          arguments: [],
          baseline: free,
          after: { transfer: "reverted", sale: "reverted", purchase: "reverted", tax_bps: null },
          guard_proved: true
        })
      })
    )

    it.effect("makes up the arguments by what the code does with them", () =>
      Effect.gen(function* () {
        const set = yield* ofTarget("blacklist")
        const found = row(set, "blacklist", "setBlacklisted(address,bool)")
        assert.strictEqual(found?.effect, "stopped")
        assert.lengthOf(found?.arguments ?? [], 2)
        assert.strictEqual(BigInt(found?.arguments[1] ?? 0), 1n)
        assert.strictEqual(found?.after.purchase, "moved")
      })
    )

    it.effect("calls from a contract that holds the power, which needs no signature", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const set = yield* ofTarget("safeOwned")
        shows(row(set, "mint", "mint(address,uint256)"), {
          effect: "minted",
          controller: targets.safe.address,
          guard_proved: true
        })
        assert.strictEqual(row(set, "pause", "pause()")?.controller, targets.safe.address)
      })
    )

    it.effect("calls from an account that only the code names", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const set = yield* ofTarget("hiddenMinter")
        const found = row(set, "mint", "distribute(address,uint256)")
        assert.strictEqual(found?.effect, "minted")
        assert.notStrictEqual(found?.controller, null)
        assert.notStrictEqual(found?.controller, targets.hiddenMinter.address)
      })
    )

    it.effect("names the required caller where calls of others succeed as well and do nothing", () =>
      Effect.gen(function* () {
        const { accounts } = yield* Running
        shows(row(yield* ofTarget("sentMark"), "blacklist", "transfer(address,uint256)"), {
          effect: "stopped",
          controller: accounts.issuer,
          guard_proved: false
        })
      })
    )

    it.effect("finds the powers of an implementation behind a proxy, each with the account that has it", () =>
      Effect.gen(function* () {
        const set = yield* ofTarget("usdc")
        shows(row(set, "pause", "pause()"), { effect: "stopped", guard_proved: true })
      })
    )

    it.effect("measures the worst tax that can be set, on a transfer, a sale and a purchase", () =>
      Effect.gen(function* () {
        const set = yield* ofTarget("taxable")
        shows(row(set, "tax", "setTax(uint256)"), {
          effect: "taxed",
          worst_tax_bps: 10_000,
          baseline: free,
          refused_from: null
        })
      })
    )

    it.effect("says nothing of code that gives nobody anything to try", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        assert.deepStrictEqual(yield* of(targets.plain.address), Option.none())
        assert.deepStrictEqual(yield* of(targets.collectible.address), Option.none())
      })
    )

    it.effect("needs no pool and no holder: the holder's balance is pretended in the books that the code keeps", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("Freezing")
        assert.deepStrictEqual(set.baseline, { ...free, sale: "unmeasured", purchase: "unmeasured" })
        assert.isTrue(
          set.shown.some(
            ({ effect, selector: by }) => effect === "stopped" && by === selector("freeze(address,uint256)")
          )
        )
      })
    )

    it.effect("puts the holder into lists", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("ListingMany")
        assert.strictEqual(row(set, "blacklist", "list(address[],bool)")?.effect, "stopped")
      })
    )

    it.effect.each(["PercentTax", "PackedTax"] as const)(
      "finds the largest of the small numbers that %s takes, and that the next is refused",
      (name) =>
        Effect.gen(function* () {
          const set = yield* ofLever(name)
          shows(row(set, "tax", "setTaxes(uint8,uint8)"), {
            effect: "taxed",
            worst_tax_bps: 3_000,
            largest_value: "30",
            refused_from: "31"
          })
        })
    )

    it.effect("is not misled by a tax that can only sink: it tries the largest first", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("SinkingTax")
        const found = row(set, "tax", "lower(uint256)")
        assert.strictEqual(found?.largest_value, "700")
        assert.strictEqual(found?.worst_tax_bps, 700)
      })
    )

    it.effect("says that anybody could where a made-up account's call does it", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("OpenToAll")
        shows(row(set, "pause", "stop(bool)"), {
          effect: "stopped",
          controller: null,
          guard_proved: false
        })
      })
    )

    it.effect("spends what it was allowed without the holder", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("Allowing")
        shows(row(set, "bypass", "allow(address,address,uint256)"), {
          effect: "bypassed",
          guard_proved: true
        })
      })
    )

    it.effect("distinguishes a function without a successful call from one without an effect", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("Delayed")
        assert.strictEqual(row(set, "pause", "stop()"), undefined)
        shows(
          set.unavailable.find(({ selector: by }) => by === selector("stop()")),
          { power: "pause", reason: "inconclusive" }
        )
      })
    )

    it.effect("tries no more functions than its budget, and names those that it left out", () =>
      Effect.gen(function* () {
        const set = yield* ofLever("ManyLevers")
        const cut = set.unavailable.filter(({ reason }) => reason === "budget_exhausted")
        // The sixteenth lets transfers go on: it was tried, and is no lever while nothing is stopped.
        assert.strictEqual(set.shown.length + set.unavailable.length - cut.length, 15)
        assert.strictEqual(row(set, "pause", "go()"), undefined)
        assert.isAbove(cut.length, 0)
      })
    )

    it.effect("says the same of the same block, byte for byte", () =>
      Effect.gen(function* () {
        const [first, second] = [yield* ofTarget("usdc"), yield* ofTarget("usdc")]
        assert.strictEqual(JSON.stringify(first), JSON.stringify(second))
      })
    )

    it.effect("is listed as unavailable with the reason where the endpoint does not simulate", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const refusing = simulating(() =>
          Effect.fail(
            new ChainError({ reason: "method_unsupported", method: "eth_simulateV1", retryable: false, detail: "none" })
          )
        )
        const set = yield* Effect.flatten(Effect.provide(read(targets.pausable.address), refusing))
        assert.deepStrictEqual(set.shown, [])
        shows(
          set.unavailable.find(({ selector: by }) => by === selector("pause()")),
          { power: "pause", reason: "method_unsupported" }
        )
      })
    )

    it.effect("shows no effect of a gate where the blocks without the call were lost", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const state = yield* ChainState
        const isBaseline = ({ blocks }: SimulateRequest) =>
          !blocks.some(({ calls }) => calls.some(({ data }) => data === selector("pause()")))
        const losing = simulating((request) =>
          isBaseline(request)
            ? Effect.fail(
                new ChainError({ reason: "rate_limited", method: "eth_simulateV1", retryable: true, detail: "busy" })
              )
            : state.simulate(request)
        )
        const set = yield* Effect.flatten(Effect.provide(read(targets.pausable.address), losing))
        assert.deepStrictEqual(set.shown, [])
        assert.strictEqual(set.unavailable[0]?.reason, "rate_limited")
      }).pipe(Effect.provide(pinned()))
    )
  })
})
