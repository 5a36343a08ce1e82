import { Infrastructure, Pool, SharedSandbox } from "@assay/sandbox"
import { Effect, Layer, Option } from "effect"
import { type Abi, type Address as Account, encodeFunctionData, type Hex, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import * as Getter from "../../../src/facts/Getter.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as RouterCalls from "../../../src/facts/trade/RouterCalls.js"
import * as TradeRoute from "../../../src/facts/trade/TradeRoute.js"
import * as TradeScene from "../../../src/facts/trade/TradeScene.js"
import * as Adversaries from "../Adversaries.js"
import * as RouterlessBook from "../RouterlessBook.js"
import { pinned, Running } from "../SandboxState.js"

const { addresses, artifacts } = Infrastructure
const forever = 2n ** 256n - 1n
const fee = 10_000

type Kind = "pair" | "pool"
type Direction = "buy" | "sell"

const amounts = { buy: parseEther("1"), sell: parseEther("0.3") }

describe("a router of ours", () => {
  let sandbox: SharedSandbox.SharedSandbox
  let tokens: Readonly<Record<Kind, ReadonlyArray<readonly [name: Adversaries.Name, token: Account]>>>
  const erc20 = (): Abi => artifacts().weth.abi
  const trader = (): Account => sandbox.accounts.trader1

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
    const names = ["Plain", "Deflating"] as const
    const made: Record<Kind, Array<readonly [Adversaries.Name, Account]>> = { pair: [], pool: [] }
    for (const name of names) {
      made.pair.push([name, await Adversaries.launch(sandbox, name)])
      const pooled = await Adversaries.deploy(sandbox, name)
      await Adversaries.poolV3(sandbox, pooled, "50")
      made.pool.push([name, pooled])
    }
    for (const [, token] of [...made.pair, ...made.pool]) await Adversaries.distribute(sandbox, token, [trader()])
    tokens = made
  })

  /** The calls that say what a trade did: what the trader and the pool have of the token and of the wrapped coin. */
  const readings = (kind: Kind, token: Account) => {
    const pool = kind === "pair" ? Pool.v2Address(token, addresses.weth) : Pool.v3Address(token, addresses.weth, fee)
    return [token, addresses.weth].flatMap((coin) =>
      [trader(), pool].map((account) => ({
        to: Address.checksum(coin),
        data: encodeFunctionData({ abi: erc20(), functionName: "balanceOf", args: [account] })
      }))
    )
  }

  /** A swap by the exchange's own router, in a transaction that is taken back; none where it fails. */
  const sent = async (kind: Kind, token: Account, direction: Direction) => {
    const [from, into] = direction === "buy" ? [addresses.weth, token] : [token, addresses.weth]
    const [router, data] =
      kind === "pair"
        ? ([
            addresses.uniswapV2Router,
            encodeFunctionData({
              abi: artifacts().v2Router.abi,
              ...(direction === "buy"
                ? {
                    functionName: "swapExactETHForTokensSupportingFeeOnTransferTokens",
                    args: [1n, [from, into], trader(), forever]
                  }
                : {
                    functionName: "swapExactTokensForETHSupportingFeeOnTransferTokens",
                    args: [amounts.sell, 1n, [from, into], trader(), forever]
                  })
            })
          ] as const)
        : ([
            addresses.uniswapV3Router,
            encodeFunctionData({
              abi: artifacts().v3Router.abi,
              functionName: "exactInputSingle",
              args: [
                {
                  tokenIn: from,
                  tokenOut: into,
                  fee,
                  recipient: trader(),
                  deadline: forever,
                  amountIn: amounts[direction],
                  amountOutMinimum: 1n,
                  sqrtPriceLimitX96: 0n
                }
              ]
            })
          ] as const)
    const snapshot = await sandbox.rpc.call("evm_snapshot")
    try {
      await sandbox.transact({
        from: trader(),
        to: token,
        data: encodeFunctionData({ abi: erc20(), functionName: "approve", args: [router, forever] }),
        gas: 1_000_000n
      })
      await sandbox.transact({
        from: trader(),
        to: router,
        data,
        gas: 2_000_000n,
        value: direction === "buy" ? amounts.buy : 0n
      })
      const words = readings(kind, token).map((call) => sandbox.rpc.call("eth_call", [call, "latest"]))
      return Option.some((await Promise.all(words)).map((word) => BigInt(word as Hex)))
    } catch (error) {
      if (!(error instanceof Error) || !/reverted$/.test(error.message)) throw error
      return Option.none()
    } finally {
      await sandbox.rpc.call("evm_revert", [snapshot])
    }
  }

  /** The same by the route to the token where no router is known, in a simulated block; none where it fails. */
  const simulated = (kind: Kind, token: Account, direction: Direction) =>
    Effect.gen(function* () {
      const state = yield* ChainState
      const market = yield* Effect.flatMap(Pools.Pools, ({ inspect }) => inspect(Address.checksum(token)))
      const route = yield* TradeRoute.find(market, Address.checksum(token))
      assert.isTrue(TradeRoute.isOursAlone(route))
      assert.deepStrictEqual(Object.keys(TradeRoute.overridesOf(route)), [route.router.address])
      const from = Address.checksum(trader())
      const common = { from, gas: TradeScene.gas.leg }
      const { pool, router, wrapped } = route
      const data =
        direction === "buy"
          ? RouterCalls.purchaseData(route, wrapped, route.token, pool.fee, from, amounts.buy)
          : RouterCalls.saleData(route, route.token, wrapped, pool.fee, from, amounts.sell)
      const { value } = yield* state.simulate({
        blocks: [
          {
            overrides: { ...TradeRoute.overridesOf(route), [from]: { balance: parseEther("100") } },
            calls: [
              { ...common, to: route.token, data: RouterCalls.approvalData(router.address, RouterCalls.boundless) },
              { ...common, to: router.address, data, value: direction === "buy" ? amounts.buy : 0n },
              ...readings(kind, token).map((call) => ({ ...common, ...call }))
            ]
          }
        ]
      })
      const [, trade, ...read] = value[0] ?? []
      return trade?.outcome._tag === "Returned"
        ? Option.some(
            read.flatMap(({ outcome }) =>
              outcome._tag === "Returned" ? Option.toArray(Getter.uint(outcome.data)) : []
            )
          )
        : Option.none()
    }).pipe(
      Effect.provide(Pools.layer.pipe(Layer.provideMerge(pinned()))),
      RouterlessBook.provide,
      Effect.provideService(Running, sandbox),
      Effect.scoped,
      Effect.runPromise
    )

  it("gives to the unit what the exchange's own gives when the same swap is sent on the chain, of a token with a tax too", async () => {
    const all = (["pair", "pool"] as const).flatMap((kind) =>
      tokens[kind].flatMap(([name, token]) =>
        (["buy", "sell"] as const).map((direction) => ({ kind, name, token, direction }))
      )
    )
    const expected = new Map<string, Option.Option<ReadonlyArray<bigint>>>()
    const titleOf = ({ direction, kind, name }: (typeof all)[number]) => `${kind} ${name} ${direction}`
    for (const one of all) expected.set(titleOf(one), await sent(one.kind, one.token, one.direction))
    // A pool of Uniswap V3 takes no token with a tax.
    assert.deepStrictEqual(
      [...expected].flatMap(([title, given]) => (Option.isNone(given) ? [title] : [])),
      ["pool Deflating sell"]
    )
    await RouterlessBook.removeFirstRouter(sandbox)
    for (const one of all)
      assert.deepStrictEqual(
        await simulated(one.kind, one.token, one.direction),
        expected.get(titleOf(one)),
        titleOf(one)
      )
  })
})
