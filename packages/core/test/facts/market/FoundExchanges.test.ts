import { Infrastructure, Pool, type SharedSandbox } from "@assay/sandbox"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi
} from "viem"
import { ChainError } from "../../../src/chain/ChainError.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import * as Pools from "../../../src/facts/market/Pools.js"
import * as TradeRoute from "../../../src/facts/trade/TradeRoute.js"
import * as Adversaries from "../Adversaries.js"
import { pinned, Running, running } from "../SandboxState.js"

const { addresses, artifacts } = Infrastructure

/** The market of a token on a chain without a row; `blind` is an endpoint that refuses events without an address. */
const marketOf = (token: Hex, options: { readonly blind?: boolean } = {}) =>
  Effect.flatMap(Pools.Pools, (pools) => pools.inspect(Address.checksum(token))).pipe(
    Effect.provide(
      Pools.layer.pipe(
        Layer.provide(
          Layer.map(pinned({ addressBook: 31_337 }), (context) => {
            const state = Context.get(context, ChainState)
            return Context.make(ChainState, {
              ...state,
              logs: (filter) => (options.blind === true && filter.address === undefined ? refused : state.logs(filter))
            })
          })
        )
      )
    )
  )

const refused = new ChainError({
  reason: "log_range_limited",
  method: "eth_getLogs",
  retryable: false,
  detail: "an address is required"
})

// The third variable of WETH9 is the mapping of its balances: https://etherscan.io/address/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2#code
const balances = 3n

const slotOf = (account: Hex): Hex =>
  keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [account, balances]))

/** A contract with the wrapped coin's own code, of which an account has an amount that nobody paid for. */
const unbackedCoin = async ({ rpc }: SharedSandbox.SharedSandbox, owner: Hex, amount: bigint): Promise<Hex> => {
  const coin = "0x00000000000000000000000000000000000c014e"
  await rpc.call("anvil_setCode", [coin, await rpc.call("eth_getCode", [addresses.weth, "latest"])])
  await rpc.call("anvil_setStorageAt", [coin, slotOf(owner), numberToHex(amount, { size: 32 })])
  return coin
}

/** Opens a pair of the published factory between a token and another, with an amount of each. */
const pair = async (
  sandbox: SharedSandbox.SharedSandbox,
  token: Hex,
  other: Hex,
  amounts: readonly [bigint, bigint]
) => {
  const from = sandbox.accounts.maker
  const send = (to: Hex, abi: Abi, functionName: string, args: ReadonlyArray<unknown>) =>
    sandbox.transact({ from, to, gas: 5_000_000n, data: encodeFunctionData({ abi, functionName, args: [...args] }) })
  const place = Pool.v2Address(getAddress(token), getAddress(other))
  const erc20 = parseAbi(["function transfer(address, uint256)"])
  await send(addresses.uniswapV2Factory, artifacts().v2Factory.abi, "createPair", [token, other])
  await send(token, erc20, "transfer", [place, amounts[0]])
  await send(other, erc20, "transfer", [place, amounts[1]])
  await send(place, parseAbi(["function sync()"]), "sync", [])
}

layer(running)("on a chain without a row in the address book", (it) => {
  it.effect("pools are found by who holds the token where an endpoint gives no events without an address", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const [seen, , , , unfound] = yield* marketOf(targets.plain.address, { blind: true })
      assert.deepStrictEqual(
        seen.value.map(({ pool }) => pool.address),
        [Address.checksum(targets.plain.pair ?? "0x")]
      )
      assert.isTrue(Option.isNone(unfound), "nobody else holds more")
    })
  )

  it.effect("the contract that has the positions of others in V3 pools is known by its build", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const [seen] = yield* marketOf(targets.usdc.address)
      const managers = seen.value.flatMap(({ exchange }) => (exchange.kind === "uniswap-v3" ? [exchange.nfpm] : []))
      assert.deepStrictEqual(managers, [addresses.uniswapV3PositionManager])
    })
  )

  it.effect("a token that no pool of a published build trades has no market", () =>
    Effect.gen(function* () {
      const { targets } = yield* Running
      const [seen, { value: reference }] = yield* marketOf(targets.fakeUsdc.address)
      assert.deepStrictEqual(seen.value, [])
      assert.deepStrictEqual(reference.pools, [])
    })
  )

  it.effect(
    "a contract behind 32 larger holders that has more than the pool may be the market, an account may not",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const ether = 10n ** 18n
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        const other = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        const from = sandbox.accounts.maker
        const deposit = encodeFunctionData({ abi: parseAbi(["function deposit()"]) })
        yield* Effect.promise(() =>
          sandbox.transact({ from, to: addresses.weth, gas: 100_000n, data: deposit, value: ether })
        )
        yield* Effect.promise(() => pair(sandbox, token, addresses.weth, [500n * ether, ether]))
        yield* Effect.promise(() => Adversaries.distribute(sandbox, token, Adversaries.strangers(34)))
        assert.isTrue(Option.isNone(Pools.outweighing(yield* marketOf(token))), "they are accounts")

        const erc20 = parseAbi(["function transfer(address, uint256)"])
        const data = encodeFunctionData({ abi: erc20, functionName: "transfer", args: [other, 600n * ether] })
        yield* Effect.promise(() => sandbox.transact({ from, to: token, gas: 300_000n, data }))
        assert.include(Option.getOrNull(Pools.outweighing(yield* marketOf(token))), "a contract of unknown code holds")
      })
  )

  it.effect("a wrapped coin that owns less native coin than its pools have of it is none", () =>
    Effect.gen(function* () {
      const sandbox = yield* Running
      const { maker } = sandbox.accounts
      const alone = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
      const both = yield* Effect.promise(() => Adversaries.launch(sandbox, "Plain"))
      const ether = 10n ** 18n
      const coin = yield* Effect.promise(() => unbackedCoin(sandbox, maker, 2_000_000n * ether))
      yield* Effect.promise(() => pair(sandbox, alone, coin, [100_000n * ether, 1_000_000n * ether]))
      yield* Effect.promise(() => pair(sandbox, both, coin, [500_000n * ether, 1_000_000n * ether]))

      const alonely = yield* marketOf(alone)
      assert.isTrue(Option.isNone(alonely[1].value.wrapped))
      assert.isTrue(Option.isNone(TradeRoute.find(alonely, Address.checksum(alone))))
      assert.include(Option.getOrNull(Pools.outweighing(alonely)), "that has no known price")

      const beside = yield* marketOf(both)
      assert.deepStrictEqual(Option.getOrNull(beside[1].value.wrapped), Address.checksum(addresses.weth))
      const [deepest] = Pools.deepestFirst(beside[0].value, beside[1].value)
      assert.strictEqual(deepest?.pool.quote, Address.checksum(addresses.weth))
      // It holds more of the token than the pool that counts, so that nothing is decided by that one.
      assert.include(Option.getOrNull(Pools.outweighing(beside)), "that has no known price")
    })
  )
})
