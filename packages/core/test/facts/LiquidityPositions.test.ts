import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import { ChainState } from "../../src/chain/ChainState.js"
import * as AddressBook from "../../src/data/AddressBook.js"
import * as Address from "../../src/domain/Address.js"
import type { Hex } from "../../src/domain/Hex.js"
import * as Selectors from "../../src/evm/Selectors.js"
import * as Getter from "../../src/facts/Getter.js"
import { Liquidity } from "../../src/facts/Liquidity.js"
import * as LiquidityPositions from "../../src/facts/LiquidityPositions.js"
import * as Market from "../../src/facts/Market.js"
import * as ScriptedChain from "../../src/testing/ScriptedChain.js"
import * as Facts from "../checks/Facts.js"
import * as Adversaries from "./Adversaries.js"
import { pinned, Running, running } from "./SandboxState.js"

const { functions, selector, topic, topics } = Selectors
const word = Getter.word

const nft = parseAbi([
  "function transferFrom(address from, address to, uint256 id)",
  "function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)"
])

describe("LiquidityPositions", () => {
  layer(running)("on a chain", (it) => {
    const sharesOf = (token: Hex) =>
      Effect.gen(function* () {
        const { value } = yield* Effect.flatMap(Liquidity, (liquidity) => liquidity.of(Address.checksum(token)))
        const { levels } = yield* Effect.flatMap(ChainState, ({ spending }) => spending)
        assert.isAtMost(levels, 3)
        return value
      }).pipe(Effect.provide(Layer.provideMerge(Facts.layer, pinned())))

    it.effect("are the deployer's while he has them, and whose they are now once he gave them away", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const { accounts, infrastructure, rpc } = sandbox
        const manager = infrastructure.uniswapV3PositionManager
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        yield* Effect.promise(() => Adversaries.poolV3(sandbox, token, "50"))
        const [mine] = yield* sharesOf(token)
        assert.strictEqual(mine?.pool.kind, "uniswap-v3")
        assert.deepStrictEqual(
          mine?.shares.map(({ account, kind }) => [account, kind]),
          [[accounts.maker, "insider"]]
        )
        assert.strictEqual(mine?.shares[0]?.amount, mine?.total)
        assert.strictEqual(mine?.unseen, 0n)

        const count = BigInt(
          (yield* Effect.promise(() =>
            rpc.call("eth_call", [
              {
                to: manager,
                data: encodeFunctionData({ abi: nft, functionName: "balanceOf", args: [accounts.maker] })
              },
              "latest"
            ])
          )) as Hex
        )
        const id = BigInt(
          (yield* Effect.promise(() =>
            rpc.call("eth_call", [
              {
                to: manager,
                data: encodeFunctionData({
                  abi: nft,
                  functionName: "tokenOfOwnerByIndex",
                  args: [accounts.maker, count - 1n]
                })
              },
              "latest"
            ])
          )) as Hex
        )
        yield* Effect.promise(() =>
          sandbox.transact({
            from: accounts.maker,
            to: manager,
            data: encodeFunctionData({
              abi: nft,
              functionName: "transferFrom",
              args: [accounts.maker, accounts.keeper, id]
            })
          })
        )
        const [given] = yield* sharesOf(token)
        assert.deepStrictEqual(
          given?.shares.map(({ account, kind }) => [account, kind]),
          [[accounts.keeper, "insider"]]
        )
        const dead = Address.checksum("0x000000000000000000000000000000000000dEaD")
        yield* Effect.promise(() =>
          sandbox.transact({
            from: accounts.keeper,
            to: manager,
            data: encodeFunctionData({ abi: nft, functionName: "transferFrom", args: [accounts.keeper, dead, id] })
          })
        )
        const [burned] = yield* sharesOf(token)
        assert.deepStrictEqual(burned?.shares, [])
        assert.strictEqual(burned?.unseen, 0n)
      })
    )

    it.effect("of a pool beside a pair are weighed by what each of them holds", () =>
      Effect.gen(function* () {
        const { parts, targets } = yield* Running
        const found = yield* sharesOf(targets.usdc.address)
        assert.deepStrictEqual(
          found.map(({ pool }) => pool.address).sort(),
          [parts.usdcV3Pool, targets.usdc.pair ?? ""].sort()
        )
        assert.approximately(
          found.reduce((sum, { weight }) => sum + weight, 0),
          10_000,
          2
        )
      })
    )
  })

  const token = Address.checksum(`0x${"11".repeat(20)}`)
  const weth = Address.checksum("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2")
  const owner = Address.checksum(`0x${"aa".repeat(20)}`)
  const book = Option.getOrThrow(AddressBook.forChain(1))
  const exchange = book.exchanges.find((one) => one.name === "Uniswap V3")
  if (exchange?.kind !== "uniswap-v3") throw new Error("no Uniswap V3")
  const pool = Market.poolAddress(exchange, token, weth, 3_000)
  const manager = Address.checksum(exchange.nfpm)
  const uncx = Address.checksum(book.lockers.find(({ kind }) => kind === "uncx-v3")?.address ?? "0x")
  const position = (liquidity: bigint, lower = -60n, upper = 60n): Hex =>
    Getter.calldata("0x", [
      word(0n),
      word(0n),
      word(token),
      word(weth),
      word(3_000n),
      word(BigInt.asUintN(256, lower)),
      word(BigInt.asUintN(256, upper)),
      word(liquidity),
      ...[0n, 0n, 0n, 0n].map(word)
    ])
  const until = 1_900_000_000n

  /** A pool with 1,000 in range whose one position, number 7, lies in UNCX's locker by a record of lock number 5. */
  const locked = (
    options: Partial<ScriptedChain.Script> & { readonly holder?: Hex; readonly position?: Hex; readonly of?: Hex } = {}
  ): ScriptedChain.Script => {
    const { holder = uncx, of = pool, position: at = position(600n), ...rest } = options
    return {
      accounts: {
        [token]: {
          code: "0x00",
          calls: {
            [functions.totalSupply]: word(1_000n),
            [functions.balanceOf]: word(5n),
            [functions.owner]: word(owner)
          }
        },
        [weth]: { code: "0x00", calls: { [functions.balanceOf]: word(10n ** 18n) } },
        [pool]: {
          code: "0x00",
          calls: {
            [functions.slot0]: Getter.calldata("0x", [word(1n << 96n), word(0n), ...[0n, 0n, 0n, 0n, 1n].map(word)]),
            [functions.liquidity]: word(1_000n)
          }
        },
        [manager]: {
          code: "0x00",
          calls: {
            [functions.balanceOf]: word(0n),
            [Getter.calldata(functions.positions, [word(7n)])]: at,
            [Getter.calldata(functions.ownerOf, [word(7n)])]: word(holder)
          }
        },
        [uncx]: {
          code: "0x00",
          calls: {
            [Getter.calldata(selector("getLock(uint256)"), [word(5n)])]: Getter.calldata("0x", [
              word(5n),
              word(manager),
              word(of),
              word(7n),
              word(owner),
              ...[0n, 0n, 0n, until, 0n, 0n].map(word)
            ])
          }
        }
      },
      logs: [
        {
          address: uncx,
          topics: [
            topic(
              "onLock(uint256,address,uint256,address,address,address,uint256,uint16,uint256,address,(uint96,address,address,address,uint24,int24,int24,uint128,uint256,uint256,uint128,uint128))"
            )
          ],
          data: Getter.calldata("0x", [
            word(5n),
            word(manager),
            word(7n),
            word(owner),
            ...[0n, 0n, until, 0n, 0n].map(word),
            word(pool)
          ])
        },
        { address: token, topics: [topics.Transfer, word(0n), word(owner)], data: word(1_000n) }
      ],
      ...rest
    }
  }

  const positionsIn = (script: ScriptedChain.Script) =>
    Effect.flatMap(LiquidityPositions.LiquidityPositions, (positions) => positions.of(token)).pipe(
      Effect.map(({ value }) => value[0]),
      Effect.provide(Layer.provide(Facts.layer, ScriptedChain.layer(script)))
    )

  it.effect("are locked by the record that the locker has now, of a position that it holds", () =>
    Effect.gen(function* () {
      const found = yield* positionsIn(locked())
      assert.deepStrictEqual(found?.locks, [
        {
          pool,
          locker: uncx,
          name: "UNCX (Uniswap V3)",
          owner,
          amount: 600n,
          unlocksAt: Option.some(Number(until))
        }
      ])
      assert.deepStrictEqual(found?.ofInsiders, [])
      assert.isNull(found?.locksGap)
      for (const wrong of [
        { holder: owner },
        { of: token },
        { position: position(600n, 60n, 120n) },
        { position: "0x" as Hex }
      ])
        assert.deepStrictEqual((yield* positionsIn(locked(wrong)))?.locks, [])
    })
  )

  it.effect("of insiders are asked of the manager, in range only, and leave a gap where there are too many", () =>
    Effect.gen(function* () {
      const script = locked({ logs: [] })
      const with_ = (count: bigint) => ({
        ...script,
        accounts: {
          ...script.accounts,
          [manager]: {
            code: "0x00" as Hex,
            calls: {
              [functions.balanceOf]: word(count),
              [Getter.calldata(selector("tokenOfOwnerByIndex(address,uint256)"), [word(owner), word(0n)])]: word(7n),
              [Getter.calldata(selector("tokenOfOwnerByIndex(address,uint256)"), [word(owner), word(1n)])]: word(8n),
              [Getter.calldata(functions.positions, [word(7n)])]: position(400n),
              [Getter.calldata(functions.positions, [word(8n)])]: position(500n, -120n, -60n)
            }
          }
        }
      })
      const found = yield* positionsIn(with_(2n))
      assert.deepStrictEqual(found?.ofInsiders, [{ account: owner, amount: 400n }])
      assert.isNull(found?.insidersGap)
      assert.strictEqual((yield* positionsIn(with_(100n)))?.insidersGap, "inconclusive")
    })
  )

  it.effect("say what was not read", () =>
    Effect.gen(function* () {
      const short = yield* positionsIn(locked({ logsComplete: false }))
      assert.deepInclude(short, { insidersGap: "log_range_limited", locksGap: "log_range_limited" })
      const lost = yield* positionsIn(
        locked({ fault: ({ method }) => (method === "eth_getLogs" ? "rate_limited" : undefined) })
      )
      assert.deepInclude(lost, { insidersGap: "rate_limited", locksGap: "rate_limited" })
    })
  )
})
