import { Head, SharedSandbox } from "@assay/sandbox"
import { type Address, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import * as ManagerWorld from "./ManagerWorld.js"
import * as PublishedHooks from "./PublishedHooks.js"
import * as SwapHooks from "./SwapHooks.js"

const names = Object.keys(PublishedHooks.all) as ReadonlyArray<PublishedHooks.Name>

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "hooks of OpenZeppelin and of V4's own tests"), () => {
  let world: ManagerWorld.ManagerWorld
  let listings: ReadonlyArray<SwapHooks.Listing>
  let opened: number

  beforeAll(async () => {
    world = await ManagerWorld.manage(await SharedSandbox.take())
    listings = await SwapHooks.listDescribed(
      world,
      names.map((name) => PublishedHooks.all[name])
    )
    opened = (await Head.read(world.sandbox.rpc)).timestamp
  })

  names.forEach((name, i) => {
    it(`gives to the unit what is said of ${name}, now and after a day: ${PublishedHooks.all[name].says}`, async () => {
      const { description, pool } = listings[i] as SwapHooks.Listing
      for (const age of [1, 86_400])
        for (const direction of ["buy", "sell"] as const)
          await world.undone(async () => {
            const amount = direction === "buy" ? parseEther("1") : parseEther("500")
            const zeroForOne = ManagerWorld.zeroForOne(pool, direction)
            const effect = description[direction]({ age, sinceLast: undefined, isListed: false })
            const received = SwapHooks.received(effect, await world.state(pool), { amount, zeroForOne })
            const options = { trader: world.traders[0] as Address, direction, amount, timestamp: opened + age }
            const expected =
              received === undefined ? { status: "reverted" } : { status: "swapped", paid: amount, received }
            assert.deepStrictEqual<unknown>(await world.swap(pool, options), expected)
          })
      await world.undone(async () => {
        assert.strictEqual(await world.removeLiquidity(pool), description.removal)
      })
    })
  })

  it("lets an account sell for wrapped coins where the hook could not receive native ones, less its 1.23 %", () =>
    world.undone(async () => {
      const described = [PublishedHooks.all.feeTaking]
      const [listing] = (await SwapHooks.listDescribed(world, described, { quote: "wrapped" })) as [SwapHooks.Listing]
      const { pool } = listing
      const amount = parseEther("500")
      const given = { amount, zeroForOne: ManagerWorld.zeroForOne(pool, "sell") }
      const received = SwapHooks.received(PublishedHooks.feeTakingOfWrapped(), await world.state(pool), given)
      const outcome = await world.swap(pool, { trader: world.traders[0] as Address, direction: "sell", amount })
      assert.deepStrictEqual<unknown>(outcome, { status: "swapped", paid: amount, received })
    }))
})
