import { Head, SharedSandbox } from "@assay/sandbox"
import { parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import * as ManagerWorld from "./ManagerWorld.js"
import * as SwapHooks from "./SwapHooks.js"

// What the other tests of Uniswap V4 build on, held to transactions on the chain.

const names = Object.keys(SwapHooks.all) as ReadonlyArray<SwapHooks.Name>

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "Uniswap V4 on the sandbox chain"), () => {
  let world: ManagerWorld.ManagerWorld
  let listings: Readonly<Record<SwapHooks.Name, SwapHooks.Listing>>
  let control: ManagerWorld.Pool
  let opened: number

  beforeAll(async () => {
    world = await ManagerWorld.manage(await SharedSandbox.take())
    control = await world.createPool({
      token: world.sandbox.infrastructure.usdc,
      fee: 500,
      tickSpacing: 10,
      amounts: { token: 3_000_000_000_000n, quote: parseEther("1000") }
    })
    listings = await SwapHooks.list(world, names)
    opened = (await Head.read(world.sandbox.rpc)).timestamp
  })

  /** Swaps so many seconds after the opening, and what the description says of it. */
  const swap = async (
    { description, pool }: Pick<SwapHooks.Listing, "description" | "pool">,
    direction: "buy" | "sell",
    at: { readonly age: number; readonly sinceLast?: number; readonly isListed?: boolean },
    trader = world.traders[0] as `0x${string}`
  ) => {
    const amount = direction === "buy" ? parseEther("1") : parseEther("500")
    const before = await world.state(pool)
    const outcome = await world.swap(pool, { trader, direction, amount, timestamp: opened + at.age })
    const effect = description[direction]({ isListed: false, sinceLast: undefined, ...at })
    const plain = { amount, zeroForOne: ManagerWorld.zeroForOne(pool, direction) }
    const said = SwapHooks.received(effect, before, plain)
    const expected = said === undefined ? { status: "reverted" } : { status: "swapped", paid: amount, received: said }
    return { amount, outcome, effect, expected }
  }

  it("has the manager at its address on Ethereum, and in it a pool of ether and USDC without a hook that swaps both ways", async () => {
    assert.strictEqual(world.manager, ManagerWorld.canonical)
    await world.undone(async () => {
      const before = await world.state(control)
      const amount = parseEther("1")
      const bought = await world.swap(control, { trader: world.traders[0] as `0x${string}`, direction: "buy", amount })
      const expected = ManagerWorld.quoteOf(before, { amount, fee: 500, zeroForOne: true })
      assert.deepStrictEqual(bought, { status: "swapped", paid: amount, received: expected })
      assert.isAbove(Number(expected), 2_900_000_000)
      assert.strictEqual(await world.removeLiquidity(control), "removed")
      assert.strictEqual((await world.state(control)).liquidity, 0n)
    })
  })

  for (const name of names) {
    const { says } = SwapHooks.all[name]
    it(`gives to the unit what is said of the hook ${name}, at six times of a day: ${says}`, async () => {
      const listing = listings[name]
      for (const age of SwapHooks.moments) {
        await world.undone(async () => {
          const sold = await swap(listing, "sell", { age })
          assert.deepStrictEqual<unknown>(sold.outcome, sold.expected)
        })
        await world.undone(async () => {
          const bought = await swap(listing, "buy", { age })
          if (bought.effect.does === "gives-less") return
          assert.deepStrictEqual<unknown>(bought.outcome, bought.expected)
          // What was bought changes nothing of what a sale gives.
          const again = await swap(listing, "sell", { age: age + 12, sinceLast: 12 })
          assert.deepStrictEqual<unknown>(again.outcome, again.expected)
        })
      }
      await world.undone(async () => {
        assert.strictEqual(await world.removeLiquidity(listing.pool), listing.description.removal)
      })
    })
  }

  it("lets an account sell through the hook with a list once it is listed, and no other", async () => {
    const { hook, pool } = listings.listsSellers
    const [listed, other] = world.traders as readonly [`0x${string}`, `0x${string}`]
    await world.undone(async () => {
      const abi = ManagerWorld.abiOf("ListsSellers")
      await world.send([{ to: hook, abi, name: "list", args: [listed, true] }])
      const sold = await swap(listings.listsSellers, "sell", { age: 600, isListed: true }, listed)
      assert.deepStrictEqual<unknown>(sold.outcome, sold.expected)
      const refused = await world.swap(pool, { trader: other, direction: "sell", amount: parseEther("500") })
      assert.deepStrictEqual(refused, { status: "reverted" })
    })
  })

  it("gives less than price and liquidity do where a hook trades around the purchase, and the hook gains", async () => {
    const listing = listings.tradesAround
    await world.undone(async () => {
      const before = await world.state(listing.pool)
      const held = BigInt((await world.sandbox.rpc.call("eth_getBalance", [listing.hook, "latest"])) as string)
      const { amount, outcome } = await swap(listing, "buy", { age: 12 })
      const fair = ManagerWorld.quoteOf(before, { amount, fee: 3_000, zeroForOne: true })
      assert.strictEqual(outcome.status, "swapped")
      if (outcome.status === "swapped") assert.isTrue(outcome.received < (fair * 99n) / 100n, `${outcome.received}`)
      const holds = BigInt((await world.sandbox.rpc.call("eth_getBalance", [listing.hook, "latest"])) as string)
      assert.isTrue(holds > held, `${holds - held}`)
    })
  })

  it("lets providers out once the operator of the hook that keeps liquidity allows it", async () => {
    const { hook, pool } = listings.keepsLiquidity
    await world.undone(async () => {
      await world.send([{ to: hook, abi: ManagerWorld.abiOf("KeepsLiquidity"), name: "set", args: [true] }])
      assert.strictEqual(await world.removeLiquidity(pool), "removed")
    })
  })
})
