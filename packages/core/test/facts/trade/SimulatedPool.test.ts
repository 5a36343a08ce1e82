import { Pool } from "@assay/sandbox"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Functions from "../../../src/facts/code/Functions.js"
import * as Proxy from "../../../src/facts/code/Proxy.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as Token from "../../../src/facts/market/Token.js"
import * as SimulatedPool from "../../../src/facts/trade/SimulatedPool.js"
import { pinned, Running, running } from "../SandboxState.js"
import * as SharedReadings from "../SharedReadings.js"

const facts = SimulatedPool.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(Pools.layer, Functions.layer, Token.layer)),
  Layer.provide(Layer.provideMerge(Proxy.layer, SharedReadings.layer))
)

const inChain = <A, E>(effect: Effect.Effect<A, E, SimulatedPool.SimulatedPool | ChainState | Pools.Pools>) =>
  Effect.provide(effect, facts.pipe(Layer.provideMerge(pinned())))

const of = (token: Hex) =>
  Effect.flatMap(SimulatedPool.SimulatedPool, (pool) => pool.of(Address.checksum(token))).pipe(
    Effect.map(Option.map(({ value }) => value))
  )

const states = ({ outcome }: SimulatedPool.SimulatedTrades, leg: "buy" | "transfer" | "sell") => [
  ...new Set(outcome.runs.map((run) => run[leg].state).filter((state) => state !== "not_reached"))
]

describe("SimulatedPool", () => {
  layer(running)("on a chain", (it) => {
    it.effect("trades a token without a pool beside a control token, in a pair at the address of its own", () =>
      Effect.gen(function* () {
        const { infrastructure, targets } = yield* Running
        const { address } = targets.unlaunched
        const trades = yield* Effect.flatten(inChain(of(address)))
        assert.isFalse(trades.pairExists)
        assert.strictEqual(trades.outcome.pool, Pool.v2Address(address, infrastructure.weth))
        assert.deepStrictEqual(
          [states(trades, "buy"), states(trades, "transfer"), states(trades, "sell")],
          [["ok"], ["ok"], ["ok"]]
        )
        assert.deepStrictEqual([...new Set(trades.outcome.runs.map(({ control }) => control))], ["ok"])
        const { buy_tax_bps, sell_tax_bps, transfer_tax_bps } = trades.outcome
        assert.deepStrictEqual([buy_tax_bps, transfer_tax_bps, sell_tax_bps], [0, 0, 0])
      })
    )

    it.effect("uses the empty pair that a token knows, and sees what the token does to its sales", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        for (const name of ["pairedTrap", "pairedSnare"] as const) {
          const trades = yield* Effect.flatten(inChain(of(targets[name].address)))
          assert.isTrue(trades.pairExists, name)
          assert.deepStrictEqual([states(trades, "buy"), states(trades, "sell")], [["ok"], ["reverted"]], name)
        }
        const { outcome } = yield* Effect.flatten(inChain(of(targets.pairedTax.address)))
        assert.deepStrictEqual([outcome.buy_tax_bps, outcome.transfer_tax_bps, outcome.sell_tax_bps], [0, 0, 5_000])
      })
    )

    it.effect("fills a pair that was emptied", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const trades = yield* Effect.flatten(inChain(of(targets.emptied.address)))
        assert.strictEqual(trades.outcome.pool, targets.emptied.pair)
        assert.isTrue(trades.pairExists)
        assert.deepStrictEqual(states(trades, "sell"), ["ok"])
      })
    )

    it.effect("reads nothing for a token that has a pool to trade in", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const [found, before, after] = yield* inChain(
          Effect.gen(function* () {
            const { spending } = yield* ChainState
            yield* Effect.flatMap(Pools.Pools, (pools) => pools.inspect(Address.checksum(targets.plain.address)))
            const before = yield* spending
            const found = yield* of(targets.plain.address)
            return [found, before, yield* spending] as const
          })
        )
        assert.deepStrictEqual(found, Option.none())
        assert.deepStrictEqual(after, before)
      })
    )

    it.effect("is none where balances are not one mapping, or the token has no supply", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        for (const name of ["diamond", "safe"] as const)
          assert.deepStrictEqual(yield* inChain(of(targets[name].address)), Option.none(), name)
      })
    )
  })
})
