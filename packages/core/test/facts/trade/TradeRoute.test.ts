import { SharedSandbox } from "@assay/sandbox"
import { Effect, Layer, Option } from "effect"
import { type Address as Account, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as RouterCalls from "../../../src/facts/trade/RouterCalls.js"
import * as TradeRoute from "../../../src/facts/trade/TradeRoute.js"
import * as TradeScene from "../../../src/facts/trade/TradeScene.js"
import { pinned, Running } from "../SandboxState.js"
import * as ManagerWorld from "../venue/ManagerWorld.js"
import * as SwapHooks from "../venue/SwapHooks.js"

const names = Object.keys(SwapHooks.all) as ReadonlyArray<SwapHooks.Name>

const amounts = { buy: parseEther("1"), sell: parseEther("500") }

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "TradeRoute into a pool of Uniswap V4"), () => {
  let world: ManagerWorld.ManagerWorld
  let listings: Readonly<Record<SwapHooks.Name, SwapHooks.Listing>>

  beforeAll(async () => {
    world = await ManagerWorld.manage(await SharedSandbox.take())
    listings = await SwapHooks.list(world, names)
  })

  /** What swaps give in blocks that are simulated so many seconds after the newest, none where they fail. */
  const simulated = (token: Account, ages: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const market = yield* Effect.flatMap(Pools.Pools, ({ inspect }) => inspect(Address.checksum(token)))
      const route = yield* TradeRoute.find(market, Address.checksum(token))
      const trader = Address.checksum(world.traders[0] as Account)
      const { pool, router, wrapped } = route
      const given = (direction: "buy" | "sell", age: number) => {
        const common = { from: trader, to: router.address, gas: TradeScene.gas.leg }
        const data = direction === "buy" ? RouterCalls.purchaseData : RouterCalls.saleData
        const [from, into] = direction === "buy" ? [wrapped, route.token] : [route.token, wrapped]
        return Effect.map(
          state.simulate({
            blocks: [
              {
                block: { time: Math.floor(Date.parse(state.block.timestamp) / 1000) + age },
                overrides: { ...TradeRoute.overridesOf(route), [trader]: { balance: parseEther("100") } },
                calls: [
                  { ...common, to: route.token, data: RouterCalls.approvalData(router.address, RouterCalls.boundless) },
                  {
                    ...common,
                    data: data(route, from, into, pool.fee, trader, amounts[direction]),
                    value: direction === "buy" ? amounts.buy : 0n
                  }
                ]
              }
            ]
          }),
          ({ value }) => {
            const outcome = value[0]?.[1]?.outcome
            return outcome?._tag === "Returned" ? Option.map(Getter.wordAt(outcome.data, 32), BigInt) : Option.none()
          }
        )
      }
      return yield* Effect.forEach(ages, (age) =>
        Effect.all({ age: Effect.succeed(age), buy: given("buy", age), sell: given("sell", age) })
      )
    }).pipe(
      Effect.provide(Pools.layer.pipe(Layer.provideMerge(pinned()))),
      Effect.provideService(Running, world.sandbox),
      Effect.scoped,
      Effect.runPromise
    )

  it("gives to the unit what the same swap gives when it is sent on the chain, at six times of a day and through each hook", async () => {
    const { timestamp } = (await world.sandbox.rpc.call("eth_getBlockByNumber", ["latest", false])) as {
      readonly timestamp: string
    }
    const [first, ...later] = SwapHooks.moments
    for (const name of names) {
      const { pool, token } = listings[name]
      const ages = name.startsWith("fee") ? SwapHooks.moments : [first ?? 1, later.at(-1) ?? 1]
      for (const { age, ...said } of await simulated(token, ages))
        for (const direction of ["buy", "sell"] as const)
          await world.undone(async () => {
            const sent = await world.swap(pool, {
              trader: world.traders[0] as Account,
              direction,
              amount: amounts[direction],
              timestamp: Number(timestamp) + age
            })
            const expected = sent.status === "swapped" ? Option.some(sent.received) : Option.none()
            assert.deepStrictEqual(said[direction], expected, `${name} ${direction} after ${age} s`)
          })
    }
  })
})
