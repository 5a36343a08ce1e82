import { Account, Artifact, Infrastructure, Pool, SharedSandbox } from "@assay/sandbox"
import { type Address, encodeFunctionData, type Hex, pad, parseEther, toEventSelector } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import * as VenueDecoys from "./VenueDecoys.js"

const { uniswapV2Factory, uniswapV3Factory, usdc, weth } = Infrastructure.addresses

const pairCreated = toEventSelector("PairCreated(address,address,address,uint256)")
const million = parseEther("1000000")

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "decoys among exchanges of the V2 form"), () => {
  let market: VenueDecoys.Market
  let token: Address
  let pairCode: Hex

  beforeAll(async () => {
    market = VenueDecoys.start(await SharedSandbox.take())
    token = market.sandbox.targets.honeypot.address
    pairCode = await market.code(Pool.v2Address(usdc, weth))
  })

  /** Places a decoy, has a look at it, and takes it back. */
  const beside = (
    decoy: VenueDecoys.Decoy,
    look: (placed: VenueDecoys.Placed, pool: Address, announcer: Address, coin: Address) => Promise<unknown>
  ) =>
    market.undone(async () => {
      const placed = await decoy(market, token)
      const [pool, announcer, coin] = [placed.pools[0], placed.announcers[0], placed.coins[0]] as [
        Address,
        Address,
        Address
      ]
      await look(placed, pool, announcer, coin)
    })

  const read: VenueDecoys.Market["read"] = (...args) => market.read(...args)
  const code: VenueDecoys.Market["code"] = (of) => market.code(of)

  const reserveOf = async (pool: Address, of: Address): Promise<bigint> => {
    const [first, second] = (await read(pool, "getReserves")) as [bigint, bigint]
    return (await read(pool, "token0")) === of ? first : second
  }

  const coinOf = async (pool: Address): Promise<unknown> => {
    const [first, second] = [await read(pool, "token0"), await read(pool, "token1")]
    assert.include([first, second], token)
    return first === token ? second : first
  }

  const works = (from: Address, to: Address, name: string, args: ReadonlyArray<unknown>): Promise<boolean> =>
    market.sandbox.rpc
      .call("eth_call", [
        { from, to, data: encodeFunctionData({ abi: VenueDecoys.abi, functionName: name, args: [...args] }) },
        "latest"
      ])
      .then(
        () => true,
        () => false
      )

  /** Takes ether's worth of coins out of a pair, or tokens, for nothing that came in. */
  const takesOut = async (pair: Address, what: Address, amount: bigint): Promise<boolean> => {
    const isFirst = (await read(pair, "token0")) === what
    return works(market.maker, pair, "swap", [isFirst ? amount : 0n, isFirst ? 0n : amount, market.maker, "0x"])
  }

  /** Whether an account gets an ether back that it had wrapped. */
  const givesBack = async (coin: Address): Promise<boolean> => {
    const { trader1 } = market.sandbox.accounts
    const data = encodeFunctionData({ abi: VenueDecoys.abi, functionName: "deposit" })
    await market.sandbox.transact({ from: trader1, to: coin, data, value: parseEther("1") })
    return works(trader1, coin, "withdraw", [parseEther("1")])
  }

  const announced = async (topic: Hex): Promise<ReadonlyArray<string>> => {
    const all = await Promise.all(
      [
        [topic, pad(token)],
        [topic, null, pad(token)]
      ].map((topics) => market.sandbox.rpc.call("eth_getLogs", [{ fromBlock: "earliest", toBlock: "latest", topics }]))
    )
    return (all.flat() as ReadonlyArray<{ readonly address: string }>).map(({ address }) => address)
  }

  it("false events: a factory of its own code says that the pair of two other tokens is the token's", () =>
    beside(VenueDecoys.falseEvents, async (_, pool, factory) => {
      assert.strictEqual((await announced(pairCreated)).filter((one) => one === factory.toLowerCase()).length, 3)
      assert.strictEqual(await read(factory, "getPair", [token, weth]), pool)
      assert.notInclude([await read(pool, "token0"), await read(pool, "token1")], token)
    }))

  it("a false pair: says a million ether, has twenty, and pays out what is taken", () =>
    beside(VenueDecoys.falsePair, async (_, pool) => {
      assert.strictEqual(await reserveOf(pool, weth), million)
      assert.strictEqual(await read(weth, "balanceOf", [pool]), parseEther("20"))
      assert.isTrue(await takesOut(pool, weth, parseEther("1")))
      assert.notStrictEqual(await code(pool), pairCode)
    }))

  it("a renamed pair: the published code with the right tokens, and a million more than it has; it can be renamed again", () =>
    beside(VenueDecoys.renamedPair, async (_, pool, factory) => {
      assert.strictEqual(await code(pool), pairCode)
      assert.strictEqual(await coinOf(pool), weth)
      assert.strictEqual(await reserveOf(pool, weth), million)
      assert.strictEqual(await read(weth, "balanceOf", [pool]), parseEther("5"))
      await market.send([{ to: factory, name: "rename", args: [pool, usdc, weth] }])
      assert.strictEqual(await read(pool, "token0"), usdc)
    }))

  it("false coins: genuine pairs with a million that are worth five ether, or nothing", () =>
    beside(VenueDecoys.falseCoins, async ({ coins, pools }) => {
      for (const [i, pool] of pools.entries()) {
        const coin = coins[i] as Address
        assert.strictEqual(await read(uniswapV2Factory, "getPair", [token, coin]), pool)
        assert.strictEqual(await reserveOf(pool, coin), million)
        assert.strictEqual(await read(coin, "totalSupply"), parseEther("5"))
        assert.strictEqual(await givesBack(coin), i === 1)
      }
    }))

  it("a forged coin: the published code of the wrapped coin, and a million that five ether are behind", () =>
    beside(VenueDecoys.forgedCoin, async (_, pool, __, coin) => {
      assert.strictEqual(await code(coin), await code(weth))
      assert.strictEqual(await read(uniswapV2Factory, "getPair", [token, coin]), pool)
      assert.strictEqual(await reserveOf(pool, coin), million)
      assert.strictEqual(await read(coin, "totalSupply"), parseEther("5"))
      assert.isTrue(await givesBack(coin))
    }))

  it("a worthless quote: a genuine pair with a million of a token that has no other pair", () =>
    beside(VenueDecoys.worthlessQuote, async (_, pool) => {
      const quote = (await coinOf(pool)) as Address
      assert.strictEqual(await read(uniswapV2Factory, "getPair", [token, quote]), pool)
      assert.strictEqual(await reserveOf(pool, quote), million)
      assert.strictEqual(await read(uniswapV2Factory, "getPair", [weth, quote]), Account.nobody)
    }))

  it("trap places: what they say they have they have, and give out no ether", async () => {
    for (const [decoy, ether] of [
      [VenueDecoys.largeTrapPlace, parseEther("1000")],
      [VenueDecoys.smallTrapPlace, parseEther("1")]
    ] as const)
      await beside(decoy, async (_, pool) => {
        assert.strictEqual(await reserveOf(pool, weth), ether)
        assert.strictEqual(await read(weth, "balanceOf", [pool]), ether)
        assert.isTrue(await takesOut(pool, token, 1n))
        assert.isFalse(await takesOut(pool, weth, 1n))
      })
  })

  it("a small open place: another factory of the published code, with a pair in which a honeypot can be sold", () =>
    beside(VenueDecoys.smallOpenPlace, async (_, pool, factory) => {
      assert.strictEqual(await code(factory), await code(uniswapV2Factory))
      assert.strictEqual(await code(pool), pairCode)
      assert.strictEqual(await reserveOf(pool, weth), parseEther("1"))
      await market.give(token, pool, parseEther("100"))
      assert.isTrue(await takesOut(pool, weth, parseEther("0.02")))
    }))

  it("spam: thousands of events name the token, and ten pairs hold a thousand of it each", () =>
    beside(VenueDecoys.spam, async ({ pools }, _, factory) => {
      const own = (await announced(pairCreated)).filter((one) => one === factory.toLowerCase())
      assert.strictEqual(own.length, VenueDecoys.spammed + 10)
      for (const pool of pools) assert.strictEqual(await read(token, "balanceOf", [pool]), parseEther("1000"))
    }))

  it("stray pools: pools of the published build that name their maker as the factory, one with all it has in a tick", () =>
    beside(VenueDecoys.strayPools, async ({ announcers, coins, pools }) => {
      for (const [i, pool] of pools.entries()) {
        assert.strictEqual(await read(pool, "factory"), announcers[i])
        assert.strictEqual(await coinOf(pool), i === 0 ? weth : coins[0])
        assert.isTrue(((await read(pool, "liquidity")) as bigint) > parseEther("400"))
      }
      assert.isTrue(((await read(weth, "balanceOf", [pools[0]])) as bigint) < parseEther("1"))
    }))

  it("a forged factory: the published code; its pair of the token and the wrapped coin has no wrapped coin", () =>
    beside(VenueDecoys.forgedFactory, async (_, pool, factory) => {
      assert.strictEqual(await code(factory), await code(uniswapV2Factory))
      assert.strictEqual(await code(pool), pairCode)
      const other = (await coinOf(pool)) as Address
      assert.notStrictEqual(other, weth)
      assert.strictEqual(await reserveOf(pool, other), million)
      assert.include(await announced(pairCreated), factory.toLowerCase())
    }))

  it("a metamorphic factory: the published code of Uniswap V3; its pool of the two has a false coin", () =>
    beside(VenueDecoys.metamorphicFactory, async (_, pool, factory, coin) => {
      const without = async (of: Address) => (await code(of)).replaceAll(of.toLowerCase().slice(2), "")
      assert.strictEqual(await without(factory), await without(uniswapV3Factory))
      assert.strictEqual(await read(pool, "factory"), factory)
      assert.strictEqual(await coinOf(pool), coin)
      assert.isTrue(((await read(pool, "liquidity")) as bigint) > parseEther("400"))
    }))

  it("a forged manager: the published code of Uniswap V4 with a pool of thirty million that five ether are behind", () =>
    beside(VenueDecoys.forgedManager, async (_, __, manager) => {
      const published = Account.keyless("a published manager")
      const artifact = Artifact.load("@uniswap/v4-core/out/PoolManager.sol/PoolManager.json")
      await Infrastructure.place(market.sandbox.rpc, [
        Infrastructure.placement(published, artifact, market.maker, [market.maker])
      ])
      const without = async (of: Address) => (await code(of)).replaceAll(of.toLowerCase().slice(2), "")
      assert.strictEqual(await without(manager), await without(published))
      const initialize = toEventSelector("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)")
      const topics = [initialize, null, pad(Account.nobody), pad(token)]
      const logs = await market.sandbox.rpc.call("eth_getLogs", [{ fromBlock: "earliest", toBlock: "latest", topics }])
      assert.deepInclude((logs as ReadonlyArray<object>)[0], { address: manager.toLowerCase() })
      assert.strictEqual(
        BigInt((await market.sandbox.rpc.call("eth_getBalance", [manager, "latest"])) as Hex),
        parseEther("5")
      )
    }))
})
