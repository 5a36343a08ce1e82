import { SharedSandbox } from "@assay/sandbox"
import { Effect, Layer, Option } from "effect"
import { type Address as Account, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import * as ChainBook from "../../../src/chain/ChainBook.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as ConcentratedLiquidity from "../../../src/facts/venue/ConcentratedLiquidity.js"
import * as ManagerPools from "../../../src/facts/venue/ManagerPools.js"
import * as Market from "../../../src/facts/venue/Market.js"
import { pinned, Running } from "../SandboxState.js"
import * as ManagerWorld from "./ManagerWorld.js"

const amounts = { token: parseEther("100000"), quote: parseEther("100") }

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "ManagerPools on a chain"), () => {
  let world: ManagerWorld.ManagerWorld
  let tokens: ReadonlyArray<Account>
  let pools: ReadonlyArray<ManagerWorld.Pool>

  beforeAll(async () => {
    world = await ManagerWorld.manage(await SharedSandbox.take())
    tokens = await world.deployTokens(5)
    const of = (index: number) => tokens[index] as Account
    pools = await world.createPools([
      {
        token: world.sandbox.infrastructure.usdc,
        fee: 500,
        tickSpacing: 10,
        amounts: { token: 3_000_000_000_000n, quote: amounts.quote }
      },
      { token: of(0), amounts },
      { token: of(0), quote: "wrapped", fee: 123, tickSpacing: 7, amounts },
      // Hardly anything, in so narrow a range that its liquidity is as that of a deep pool.
      {
        token: of(1),
        fee: 100,
        tickSpacing: 1,
        ticksAround: 1,
        amounts: { token: parseEther("1000"), quote: parseEther("1") }
      },
      { token: of(2), quote: of(3), amounts: { token: parseEther("1000"), quote: parseEther("1000") } },
      ...Array.from({ length: 40 }, (_, place) => ({
        token: of(4),
        fee: 1_000 + place,
        amounts: { token: parseEther("10"), quote: parseEther("0.01") }
      }))
    ])
  })

  const read = (token: Account) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const market = Market.of(yield* ChainBook.of(1))
      const [exchange] = market.managers
      if (exchange === undefined) return yield* Effect.dieMessage("Ethereum has a manager")
      const before = yield* state.spending
      const kept = yield* ManagerPools.read(state, market, exchange, Address.checksum(token))
      const after = yield* state.spending
      return { kept, levels: after.levels - before.levels, requests: after.requests - before.requests }
    }).pipe(Effect.provide(pinned()), Effect.provideService(Running, world.sandbox), Effect.scoped, Effect.runPromise)

  it("finds each pool that the token has, with the price and the liquidity that the manager has, in two levels", async () => {
    const { kept, levels } = await read(tokens[0] as Account)
    assert.deepStrictEqual(kept.gap, Option.none())
    assert.strictEqual(levels, 2)
    const found = new Map(kept.pools.map((pool) => [pool.id, pool.state]))
    assert.strictEqual(found.size, 2)
    for (const pool of pools.slice(1, 3)) {
      const { liquidity, sqrtPriceX96 } = await world.state(pool)
      assert.deepInclude(found.get(pool.id), { liquidity, price: sqrtPriceX96 })
    }
    assert.deepStrictEqual(
      kept.controls.map(({ id }) => id),
      [pools[0]?.id]
    )
  })

  it("counts what a pool pays near its price, not what its liquidity would be worth in all ranges", async () => {
    const [whole, narrow] = await Promise.all([read(tokens[0] as Account), read(tokens[1] as Account)])
    const nearOf = ({ kept }: typeof whole, id: string | undefined) => {
      const pool = kept.pools.find((each) => each.id === id)
      assert.isDefined(pool)
      return pool === undefined
        ? { quote: 0n, token: 0n }
        : ConcentratedLiquidity.nearOf(
            pool.state,
            pool.key.currencies[0] === Address.zero ? "quote-first" : "token-first"
          )
    }
    // Half of what is in a pool with all ranges pays until the price is a quarter.
    const { quote, token } = nearOf(whole, pools[1]?.id)
    assert.isTrue(quote > (amounts.quote * 49n) / 100n && quote <= amounts.quote / 2n, `${quote}`)
    assert.isTrue(token > (amounts.token * 49n) / 100n && token <= amounts.token / 2n, `${token}`)
    const all = nearOf(narrow, pools[3]?.id)
    assert.isTrue(all.quote <= parseEther("1") && all.token <= parseEther("1000"), `${all.quote} ${all.token}`)
    const inRange = narrow.kept.pools[0]?.state.liquidity ?? 0n
    assert.isTrue(inRange > 100n * parseEther("1000"), `${inRange}`)
  })

  it("reads pools with other currencies than the quotes of the address book", async () => {
    const { kept } = await read(tokens[2] as Account)
    assert.deepStrictEqual(
      kept.pools.map(({ id }) => id),
      [pools[4]?.id]
    )
  })

  it("reads 32 pools at most, and says that there are more", async () => {
    const { kept } = await read(tokens[4] as Account)
    assert.strictEqual(kept.pools.length, 32)
    assert.deepStrictEqual(kept.gap, Option.some("40 pools are too many to read"))
  })

  it("counts no pool that would pay more than the manager owns", async () => {
    const { rpc } = world.sandbox
    const manager = ManagerWorld.canonical
    const owned = await rpc.call("eth_getBalance", [manager, "latest"])
    // As if the manager had been deployed with pools in its storage that nobody paid for.
    await rpc.call("anvil_setBalance", [manager, "0x0"])
    const { kept } = await read(tokens[0] as Account)
    await rpc.call("anvil_setBalance", [manager, owned])
    assert.deepStrictEqual(
      kept.pools.map(({ id }) => id),
      [pools[2]?.id]
    )
    assert.deepStrictEqual(kept.gap, Option.some("it owns less than its pools say"))
  })

  it("are found on a chain without a row, by the build of the manager that names them", async () => {
    const inspected = await Effect.gen(function* () {
      const service = yield* Pools.Pools
      return yield* service.inspect(Address.checksum(tokens[0] as Account))
    }).pipe(
      Effect.provide(Pools.layer.pipe(Layer.provide(pinned({ addressBook: 31_337 })))),
      Effect.provideService(Running, world.sandbox),
      Effect.runPromise
    )
    const [found, { value: reference }, vaults, managed] = inspected
    assert.sameMembers(
      found.value.flatMap(({ pool }) => pool.pool_id ?? []),
      pools.slice(1, 3).map(({ id }) => id)
    )
    assert.strictEqual(Option.getOrUndefined(reference.wrapped), Address.checksum(world.sandbox.infrastructure.weth))
    assert.deepStrictEqual(vaults, [])
    assert.isTrue(Option.isNone(Pools.outweighing(inspected)))
    assert.deepStrictEqual(
      managed.map(({ exchange }) => exchange.manager),
      [ManagerWorld.canonical]
    )
  })

  it("says that it could not read a manager that is no contract", async () => {
    const empty = Address.checksum("0x00000000000000000000000000000000000abcde")
    const kept = await Effect.gen(function* () {
      const state = yield* ChainState
      const market = Market.of(yield* ChainBook.of(1))
      const exchange = { name: "none", kind: "uniswap-v4", manager: empty, source: "test" } as const
      return yield* ManagerPools.read(state, market, exchange, Address.checksum(tokens[0] as Account))
    }).pipe(Effect.provide(pinned()), Effect.provideService(Running, world.sandbox), Effect.scoped, Effect.runPromise)
    assert.deepStrictEqual(kept.pools, [])
    assert.deepStrictEqual(kept.gap, Option.some("the state of its pools could not be read"))
  })
})
