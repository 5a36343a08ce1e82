import { Pool as SandboxPool } from "@assay/sandbox"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import * as Draw from "../../../../../test/Draw.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import { Pool } from "../../../src/domain/facts/Pool.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Quantity from "../../../src/domain/Quantity.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as Adversaries from "../Adversaries.js"
import { pinned, Running, running } from "../SandboxState.js"

const poolsOf = (token: Hex) =>
  Effect.flatMap(Pools.Pools, (pools) => pools.of(Address.checksum(token))).pipe(
    Effect.map(({ value }) => value),
    Effect.provide(Pools.layer.pipe(Layer.provide(pinned())))
  )

describe("Pools", () => {
  const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"

  layer(running)("on a chain", (it) => {
    it.effect("finds, at computed addresses, the pairs that the factory itself names", () =>
      Effect.gen(function* () {
        const { infrastructure, rpc, targets } = yield* Running
        const paired = Draw.portion(
          Object.values(targets).filter((target) => target.kind === "token" && target.pair !== undefined)
        )
        assert.isAbove(paired.length, 10)
        const named = yield* Effect.promise(() =>
          rpc.batch(
            paired.map(({ address }) => {
              const data = encodeFunctionData({
                abi: parseAbi(["function getPair(address, address) view returns (address)"]),
                args: [address, infrastructure.weth]
              })
              return { method: "eth_call", params: [{ to: infrastructure.uniswapV2Factory, data }, "latest"] }
            })
          )
        )
        const found = yield* Effect.forEach(paired, ({ address }) => poolsOf(address), { concurrency: 16 })
        for (const [index, { name }] of paired.entries()) {
          const places = found[index]?.map((pool) => pool.address) ?? []
          assert.include(places, Address.fromWord(named[index] as Hex), name)
        }
      })
    )

    it.effect("reads reserves and liquidity as the pair reports them", () =>
      Effect.gen(function* () {
        const { rpc, targets } = yield* Running
        const [pool] = yield* poolsOf(targets.plain.address)
        const read = (signature: string, args: ReadonlyArray<unknown> = []) =>
          Effect.promise(() =>
            rpc.call("eth_call", [
              { to: pool?.address, data: encodeFunctionData({ abi: parseAbi([signature] as never), args } as never) },
              "latest"
            ])
          ).pipe(Effect.map((answer) => BigInt((answer as string).slice(0, 66))))
        const { infrastructure } = yield* Running
        const tokenFirst = targets.plain.address.toLowerCase() < infrastructure.weth.toLowerCase()
        const first = yield* read("function getReserves() view returns (uint112, uint112, uint32)")
        assert.strictEqual(tokenFirst ? pool?.reserve_token : pool?.reserve_quote, first.toString())
        const supply = yield* read("function totalSupply() view returns (uint256)")
        assert.strictEqual(pool?.lp_total_supply, supply.toString())
        const dead = "0x000000000000000000000000000000000000dEaD"
        const burned = yield* read("function balanceOf(address) view returns (uint256)", [dead])
        assert.strictEqual(pool?.lp_burned, (burned + 1_000n).toString())
        Schema.validateSync(Pool)(pool)
      })
    )

    it.effect("orders by the depth of the quote side, whatever the quote", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const token = yield* Effect.promise(() => Adversaries.launch(sandbox, "Plain"))
        // 100 ether are worth 300,000 of the stable coin: first a shallower pool beside them, then a deeper one.
        yield* Effect.promise(() => Adversaries.pairWithUsdc(sandbox, token, 200_000_000_000n))
        yield* Effect.promise(() => Adversaries.poolV3(sandbox, token, "120"))
        const found = yield* poolsOf(token)
        assert.deepStrictEqual(
          found.map((pool) => [pool.kind, pool.quote_symbol, pool.fee_bps]),
          [
            ["uniswap-v3", "WETH", 100],
            ["uniswap-v2", "WETH", null],
            ["uniswap-v2", "USDC", null]
          ]
        )
        for (const pool of found) {
          assert.strictEqual(pool.lp_total_supply === null, pool.kind === "uniswap-v3")
          Schema.validateSync(Pool)(pool)
        }
      })
    )

    it.effect("sees pools of the third version with their fee", () =>
      Effect.gen(function* () {
        const { parts, targets } = yield* Running
        const found = yield* poolsOf(targets.usdc.address)
        assert.deepStrictEqual(
          new Map<string, number | null>(found.map((pool) => [pool.address, pool.fee_bps])),
          new Map<string, number | null>([
            [targets.usdc.pair ?? "", null],
            [parts.usdcV3Pool, 5]
          ])
        )
        assert.strictEqual(SandboxPool.v3Address(targets.usdc.address, weth, 500), parts.usdcV3Pool)
      })
    )

    it.effect("is not held up by balances that burn all gas", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const token = yield* Effect.promise(() => Adversaries.launch(sandbox, "UnreadableBalances"))
        const found = yield* poolsOf(token)
        assert.strictEqual(found.length, 1)
        assert.strictEqual(found[0]?.reserve_quote, (100n * 10n ** 18n).toString())
      })
    )

    it.effect("reads what lies in a vault of unread pools, in the same round trip", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const token = yield* Effect.promise(() => Adversaries.launch(sandbox, "Plain"))
        // Balancer V2 on Ethereum: https://docs.balancer.fi
        const vault = "0xBA12222222228d8Ba445958a75a0704d566BF2C8"
        yield* Effect.promise(() => Adversaries.distribute(sandbox, token, [vault]))
        const read = Effect.gen(function* () {
          const pools = yield* Pools.Pools
          const [{ value }, , vaults] = yield* pools.inspect(Address.checksum(token))
          const { calls, levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
          return { pools: value.length, vaults, calls, levels }
        })
        assert.deepStrictEqual(yield* Effect.provide(read, Pools.layer.pipe(Layer.provideMerge(pinned()))), {
          pools: 1,
          vaults: [
            { exchange: "Balancer V2", vault: Address.checksum(vault), amount: Quantity.make(1_000n * 10n ** 18n) }
          ],
          calls: 2,
          levels: 1
        })
      })
    )

    it.effect(
      "finds none of a token that has none, in one round trip of two calls, and looks elsewhere in two more",
      () =>
        Effect.gen(function* () {
          const { targets } = yield* Running
          const pools = yield* Pools.Pools
          const { value } = yield* pools.of(Address.checksum(targets.fakeUsdc.address))
          assert.isTrue(yield* pools.covers(Address.checksum(targets.fakeUsdc.address)))
          assert.deepStrictEqual(value, [])
          const spent = Effect.flatMap(ChainState, ({ spending }) => spending)
          const { calls, levels } = yield* spent
          assert.deepStrictEqual({ calls, levels }, { calls: 2, levels: 1 })
          const [, , vaults] = yield* pools.inspect(Address.checksum(targets.fakeUsdc.address))
          assert.deepStrictEqual(vaults, [])
          const beside = yield* spent
          assert.strictEqual(beside.levels - levels, 2)
          // Transfers, three scans of events, and what the holders say of themselves.
          assert.isAtMost(beside.calls - calls, 24)
        }).pipe(Effect.provide(Pools.layer.pipe(Layer.provideMerge(pinned()))))
    )

    it.effect("are read once a token for all callers, in whichever form", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const pools = yield* Pools.Pools
        const token = Address.checksum(targets.plain.address)
        const [[inspected], of] = yield* Effect.all([pools.inspect(token), pools.of(token)], {
          concurrency: "unbounded"
        })
        assert.strictEqual((yield* pools.inspect(token))[0], inspected)
        assert.deepStrictEqual(
          inspected.value.map(({ pool }) => pool),
          of.value
        )
        const { calls, levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        assert.deepStrictEqual({ calls, levels }, { calls: 2, levels: 1 })
      }).pipe(Effect.provide(Pools.layer.pipe(Layer.provideMerge(pinned()))))
    )

    it.effect("finds the same pools on a chain without a row, by the builds of their factories", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const pools = yield* Pools.Pools
        for (const { address } of [targets.plain, targets.usdc]) {
          const token = Address.checksum(address)
          const listed = yield* poolsOf(address)
          assert.isTrue(yield* pools.covers(token))
          const [found, { value: reference }, vaults, , unfound] = yield* pools.inspect(token)
          const inWrapped = listed.filter(({ quote }) => quote === Address.checksum(weth))
          assert.isNotEmpty(inWrapped)
          assert.deepStrictEqual(
            found.value.map(({ pool }) => pool).filter(({ quote }) => quote === Address.checksum(weth)),
            inWrapped
          )
          assert.deepStrictEqual(Option.getOrNull(reference.wrapped), Address.checksum(weth))
          // A pool with any other token is named, and decides nothing.
          assert.deepStrictEqual(
            vaults.filter(({ exchange }) => exchange !== "a pool with a token that has no known price"),
            []
          )
          assert.isTrue(Option.isNone(unfound))
        }
      }).pipe(Effect.provide(Pools.layer.pipe(Layer.provide(pinned({ addressBook: 31_337 })))))
    )
  })
})
