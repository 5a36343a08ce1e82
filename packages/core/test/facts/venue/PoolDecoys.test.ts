import { SharedSandbox } from "@assay/sandbox"
import { type Address, type Hex, pad, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import * as ManagerWorld from "./ManagerWorld.js"
import * as PoolDecoys from "./PoolDecoys.js"
import * as SwapHooks from "./SwapHooks.js"

const sold = parseEther("500")

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "decoys among the pools of Uniswap V4"), () => {
  let world: ManagerWorld.ManagerWorld
  let trader: Address
  let main: ManagerWorld.Pool

  beforeAll(async () => {
    world = await ManagerWorld.manage(await SharedSandbox.take())
    trader = world.traders[0] as Address
    main = await PoolDecoys.plain(world)
  })

  const sell = (pool: ManagerWorld.Pool, amount = sold) =>
    world.undone(() => world.swap(pool, { trader, direction: "sell", amount }))

  const receivedBy = async (pool: ManagerWorld.Pool): Promise<bigint> => {
    const outcome = await sell(pool)
    return outcome.status === "swapped" ? outcome.received : 0n
  }

  /** Which contracts announced pools of a token with the chain's coin. */
  const announcers = async (token: Address): Promise<ReadonlyArray<string>> => {
    const topics = [PoolDecoys.announced, null, pad(ManagerWorld.native), pad(token)]
    const filter = { fromBlock: "earliest", toBlock: "latest", topics }
    const logs = (await world.sandbox.rpc.call("eth_getLogs", [filter])) as ReadonlyArray<{ readonly address: Hex }>
    return logs.map(({ address }) => address)
  }

  it("false events: two contracts announce a pool that the manager does not have, and none can be traded in", () =>
    world.undone(async () => {
      const { emitter, falseManager, key } = await PoolDecoys.falseEvents(world, main.token)
      const announced = await announcers(main.token)
      assert.sameMembers(
        [...announced],
        [world.manager, emitter, falseManager].map((each) => each.toLowerCase())
      )
      const claimed = { ...main, key, id: ManagerWorld.idOf(key) }
      assert.strictEqual((await world.state(claimed)).sqrtPriceX96, 0n)
      assert.deepStrictEqual(await sell(claimed), { status: "reverted" })
    }))

  it("a worthless quote: a sale gives another token in plenty, which no pool takes back for the chain's coin", () =>
    world.undone(async () => {
      const { pool, quote } = await PoolDecoys.worthlessQuote(world, main.token)
      const { liquidity } = await world.state(pool)
      assert.isTrue(liquidity > (await world.state(main)).liquidity)
      const outcome = await world.undone(async () => {
        const first = await world.swap(pool, { trader, direction: "sell", amount: sold })
        assert.isTrue(first.status === "swapped" && first.received > parseEther("2000"))
        return first
      })
      assert.strictEqual(outcome.status, "swapped")
      assert.deepStrictEqual(await announcers(quote), [])
    }))

  it("a narrow range: liquidity in range is above the main pool's, and a sale takes a fraction of what is offered", () =>
    world.undone(async () => {
      const pool = await PoolDecoys.narrow(world, main.token)
      assert.isTrue((await world.state(pool)).liquidity > 10n * (await world.state(main)).liquidity)
      const outcome = await sell(pool)
      assert.strictEqual(outcome.status, "swapped")
      if (outcome.status !== "swapped") return
      assert.isTrue(outcome.paid < sold / 2n, `${outcome.paid}`)
      assert.isTrue(outcome.received <= parseEther("0.1"), `${outcome.received}`)
      assert.isTrue((await receivedBy(main)) > parseEther("0.4"))
    }))

  it("forty pools of spam: all are announced by the manager, and none gives anything worth a sale", () =>
    world.undone(async () => {
      const pools = await PoolDecoys.spam(world, main.token)
      assert.lengthOf(await announcers(main.token), 41)
      for (const pool of pools.slice(0, 2)) assert.isTrue((await receivedBy(pool)) < 1_000_000n)
    }))

  it("a large trap beside a small honest pool: a sale succeeds in the small one alone, for most of what it holds", () =>
    world.undone(async () => {
      const amounts = { hooked: PoolDecoys.large, plain: PoolDecoys.small }
      const { listing, plain } = await PoolDecoys.beside(world, "blocksSales", amounts)
      assert.deepStrictEqual(await sell(listing.pool), { status: "reverted" })
      const received = await receivedBy(plain)
      assert.isTrue(received > parseEther("0.3") && received < parseEther("0.35"), `${received}`)
    }))

  it("a small trap beside a large honest pool: a sale in the large one gives what its price does", () =>
    world.undone(async () => {
      const amounts = { hooked: PoolDecoys.small, plain: PoolDecoys.large }
      const { listing, plain } = await PoolDecoys.beside(world, "takesByDelta", amounts)
      const expected = ManagerWorld.quoteOf(await world.state(plain), { amount: sold, fee: 3_000, zeroForOne: false })
      assert.strictEqual(await receivedBy(plain), expected)
      assert.isTrue(expected > parseEther("0.49"))
      assert.isTrue((await receivedBy(listing.pool)) < parseEther("0.14"))
    }))

  it("a hook is at home with other quotes: wrapped coins give to the unit what native ones give", () =>
    world.undone(async () => {
      const { takesByTake } = await SwapHooks.list(world, ["takesByTake"], { quote: "wrapped" })
      const { description, pool } = takesByTake
      const zeroForOne = ManagerWorld.zeroForOne(pool, "sell")
      const effect = description.sell({ age: 1, sinceLast: undefined, isListed: false })
      const expected = SwapHooks.received(effect, await world.state(pool), { amount: sold, zeroForOne })
      assert.strictEqual(await receivedBy(pool), expected)
    }))
})
