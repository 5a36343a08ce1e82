import { Pool as SandboxPool } from "@assay/sandbox"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import { ChainState } from "../../src/chain/ChainState.js"
import * as AddressBook from "../../src/data/AddressBook.js"
import * as Address from "../../src/domain/Address.js"
import { Pool } from "../../src/domain/facts/Pool.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Pools from "../../src/facts/Pools.js"
import * as Adversaries from "./Adversaries.js"
import { pinned, Running, running } from "./SandboxState.js"

const poolsOf = (token: Hex) =>
  Effect.flatMap(Pools.Pools, (pools) => pools.of(Address.checksum(token))).pipe(
    Effect.map(({ value }) => value),
    Effect.provide(Pools.layer.pipe(Layer.provide(pinned())))
  )

const exchange = <K extends AddressBook.Exchange["kind"]>(kind: K, name: string) => {
  const found = Option.getOrThrow(AddressBook.forChain(1)).exchanges.find(
    (one) => one.kind === kind && one.name === name
  )
  if (found === undefined) throw new Error(`no ${name}`)
  return found as Extract<AddressBook.Exchange, { readonly kind: K }>
}

describe("Pools", () => {
  // https://etherscan.io: the pools of USDC and WETH that everybody knows.
  const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
  const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"

  it("computes the addresses that Ethereum has", () => {
    assert.strictEqual(
      Pools.pairAddress(exchange("uniswap-v2", "Uniswap V2"), usdc, weth),
      "0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc"
    )
    assert.strictEqual(
      Pools.pairAddress(exchange("uniswap-v2", "SushiSwap V2"), weth, usdc),
      "0x397FF1542f962076d0BFE58eA045FfA2d347ACa0"
    )
    assert.strictEqual(
      Pools.poolAddress(exchange("uniswap-v3", "Uniswap V3"), usdc, weth, 500),
      "0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640"
    )
    assert.strictEqual(
      Pools.poolAddress(exchange("uniswap-v3", "Uniswap V3"), weth, usdc, 3_000),
      "0x8ad599c3A0ff1De082011EFDDc58f1908eb6e6D8"
    )
  })

  it("knows where pools of a token can stand before any is read, each once, and none against itself", () => {
    const market = Pools.marketOf(1)
    const pairs = Pools.pairAddresses(market, usdc)
    assert.isTrue(pairs.includes(Address.checksum("0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc")))
    const places = Pools.poolAddresses(market, usdc)
    assert.isTrue(places.includes(Address.checksum("0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640")))
    assert.strictEqual(new Set(pairs).size, pairs.length)
    assert.strictEqual(pairs.length, 3 * (market.quotes.length - 1))
    assert.deepStrictEqual(Pools.pairAddresses(Pools.marketOf(31_337), usdc), [])
  })

  it("prices a quote by a pool of Uniswap V3 from its square root, whichever token comes first", () => {
    const uniswap = exchange("uniswap-v3", "Uniswap V3")
    const quote = { address: usdc, symbol: "USDC", decimals: 6, source: "scripted" } as const
    const pool = { exchange: uniswap, address: Address.zero, fee: 500, quote, reserveWrapped: 1n, reserveQuote: 1n }
    // One of the smallest units of WETH is worth four of the quote's, and the quote's address is the lower one.
    const reference: Pools.Reference = {
      wrapped: Option.some(weth),
      dollars: [quote],
      routers: [],
      pools: [{ ...pool, price: Option.some((1n << 96n) / 2n) }]
    }
    assert.deepStrictEqual(Pools.inWrapped(reference, usdc, 400n), Option.some(100n))
    assert.deepStrictEqual(Pools.inQuote(reference, usdc, 100n), Option.some(400n))
    const swapped: Pools.Reference = {
      ...reference,
      wrapped: Option.some("0x0000000000000000000000000000000000000001"),
      pools: [{ ...pool, price: Option.some(2n << 96n) }]
    }
    assert.deepStrictEqual(Pools.inWrapped(swapped, usdc, 400n), Option.some(100n))
  })

  layer(running)("on a chain", (it) => {
    it.effect("finds, at computed addresses, the pairs that the factory itself names", () =>
      Effect.gen(function* () {
        const { infrastructure, rpc, targets } = yield* Running
        const paired = Object.values(targets).filter((target) => target.kind === "token" && target.pair !== undefined)
        assert.isAbove(paired.length, 10)
        for (const target of paired) {
          const data = encodeFunctionData({
            abi: parseAbi(["function getPair(address, address) view returns (address)"]),
            args: [target.address, infrastructure.weth]
          })
          const named = yield* Effect.promise(() =>
            rpc.call("eth_call", [{ to: infrastructure.uniswapV2Factory, data }, "latest"])
          )
          const found = yield* poolsOf(target.address)
          assert.include(
            found.map((pool) => pool.address),
            Address.fromWord(named as Hex),
            target.name
          )
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

    it.effect("finds none of a token that has none, in one round trip of two calls", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const pools = yield* Pools.Pools
        const { value } = yield* pools.of(Address.checksum(targets.fakeUsdc.address))
        assert.isTrue(pools.covered)
        assert.deepStrictEqual(value, [])
        const { calls, levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        assert.deepStrictEqual({ calls, levels }, { calls: 2, levels: 1 })
      }).pipe(Effect.provide(Pools.layer.pipe(Layer.provideMerge(pinned()))))
    )

    it.effect("are read once a token, whoever asks and in whichever form", () =>
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

    it.effect("price the coin by its deepest pool with a dollar token, and dollars at their word", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const [, { value: reference }] = yield* Effect.flatMap(Pools.Pools, (pools) =>
          pools.inspect(Address.checksum(targets.plain.address))
        )
        const price = Option.getOrThrow(Pools.inDollars(reference, weth, 10n ** 18n))
        assert.approximately(price, 3_000, 100)
        assert.deepStrictEqual(Pools.inDollars(reference, usdc, 1_500_000n), Option.some(1.5))
        assert.isTrue(Option.isNone(Pools.inDollars(reference, targets.plain.address, 1n)))
        const coins = Option.getOrThrow(Pools.inWrapped(reference, usdc, 3_000_000_000n))
        assert.approximately(Number(coins) / 1e18, 3_000 / price, 0.001)
        assert.deepStrictEqual(Pools.inWrapped(reference, weth, 7n), Option.some(7n))
      }).pipe(Effect.provide(Pools.layer.pipe(Layer.provide(pinned()))))
    )

    it.effect("says that it does not cover a chain whose exchanges nobody wrote down", () =>
      Effect.gen(function* () {
        const { targets } = yield* Running
        const pools = yield* Pools.Pools
        assert.isFalse(pools.covered)
        assert.deepStrictEqual((yield* pools.of(Address.checksum(targets.plain.address))).value, [])
      }).pipe(Effect.provide(Pools.layer.pipe(Layer.provide(pinned({ addressBook: 31_337 })))))
    )
  })
})
