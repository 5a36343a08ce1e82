import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import * as ChainBook from "../../../src/chain/ChainBook.js"
import { ChainState } from "../../../src/chain/state/ChainState.js"
import * as Address from "../../../src/domain/Address.js"
import type { Hex } from "../../../src/domain/Hex.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import * as Getter from "../../../src/facts/Getter.js"
import { Liquidity } from "../../../src/facts/market/Liquidity.js"
import * as LiquidityPositions from "../../../src/facts/market/LiquidityPositions.js"
import * as ConcentratedLiquidity from "../../../src/facts/venue/ConcentratedLiquidity.js"
import * as Market from "../../../src/facts/venue/Market.js"
import * as TradePlaces from "../../../src/facts/venue/TradePlaces.js"
import * as ScriptedChain from "../../../src/testing/ScriptedChain.js"
import * as Facts from "../../checks/Facts.js"
import * as Levels from "../../checks/Levels.js"
import { addresses, book } from "../../EthereumBook.js"
import * as Adversaries from "../Adversaries.js"
import { pinned, Running, running } from "../SandboxState.js"

const { functions, selector, topic, topics } = Selectors
const word = Getter.word

const nft = parseAbi([
  "function transferFrom(address from, address to, uint256 id)",
  "function tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256)",
  "function balanceOf(address owner) view returns (uint256)"
])

describe("LiquidityPositions", () => {
  layer(running)("on a chain", (it) => {
    const sharesOf = (token: Hex, mostLevels = 3) =>
      Effect.gen(function* () {
        const { levels, state } = Levels.counted(yield* ChainState)
        const { value } = yield* Effect.flatMap(Liquidity, (liquidity) => liquidity.of(Address.checksum(token))).pipe(
          Effect.provide(Layer.provide(Facts.layer, Layer.succeed(ChainState, state)))
        )
        assert.isAtMost(levels(), mostLevels)
        return value
      }).pipe(Effect.provide(pinned()))

    it.effect("are the deployer's while he has them, and the new owner's once he gave them away", () =>
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
        // The kind of the new owner can be read only once he is known.
        const [given] = yield* sharesOf(token, 4)
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
        assert.deepStrictEqual(
          burned?.shares.map(({ kind }) => kind),
          ["burned"]
        )
        assert.strictEqual(burned?.unseen, 0n)
      })
    )

    it.effect("count as given by an insider who has a later one that was made for him and given away", () =>
      Effect.gen(function* () {
        const sandbox = yield* Running
        const { accounts, infrastructure, rpc } = sandbox
        const manager = infrastructure.uniswapV3PositionManager
        const token = yield* Effect.promise(() => Adversaries.deploy(sandbox, "Plain"))
        for (const ether of ["10", "30"]) yield* Effect.promise(() => Adversaries.poolV3(sandbox, token, ether))
        const asked = (data: Hex) =>
          Effect.promise(async () => BigInt((await rpc.call("eth_call", [{ to: manager, data }, "latest"])) as Hex))
        const { maker, keeper } = accounts
        const count = yield* asked(encodeFunctionData({ abi: nft, functionName: "balanceOf", args: [maker] }))
        const id = yield* asked(
          encodeFunctionData({ abi: nft, functionName: "tokenOfOwnerByIndex", args: [maker, count - 1n] })
        )
        const data = encodeFunctionData({ abi: nft, functionName: "transferFrom", args: [maker, keeper, id] })
        yield* Effect.promise(() => sandbox.transact({ from: maker, to: manager, data }))
        const [found] = yield* sharesOf(token, 4)
        assert.deepStrictEqual(
          found?.shares.map(({ account, kind }) => [account, kind]),
          [
            [keeper, "key"],
            [maker, "insider"]
          ]
        )
        assert.strictEqual(found?.given, found?.shares[0]?.amount)
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
  const exchange = addresses.exchanges.find((one) => one.name === "Uniswap V3")
  if (exchange?.kind !== "uniswap-v3" || exchange.nfpm === undefined) throw new Error("no Uniswap V3")
  const pool = Market.poolAddress(exchange, token, weth, 3_000)
  const manager = Address.checksum(exchange.nfpm)
  const uncx = Address.checksum(addresses.lockers.find(({ kind }) => kind === "uncx-v3")?.address ?? "0x")
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
  const price = 1n << 96n
  const ether = 10n ** 18n
  const paidBy = (liquidity: bigint, lower = -60, upper = 60): bigint =>
    ConcentratedLiquidity.near(price, "token-first", { lower, upper, liquidity }).quote
  const stranger = Address.checksum(`0x${"cc".repeat(20)}`)
  const vault = Address.checksum(`0x${"dd".repeat(20)}`)
  const deposit = (liquidity: bigint, options: { lower?: bigint; upper?: bigint; by?: Hex; block?: number } = {}) => ({
    address: pool,
    topics: [
      topic("Mint(address,address,int24,int24,uint128,uint256,uint256)"),
      word(options.by ?? manager),
      word(BigInt.asUintN(256, options.lower ?? -60n)),
      word(BigInt.asUintN(256, options.upper ?? 60n))
    ],
    data: Getter.calldata("0x", [word(manager), word(liquidity), word(0n), word(0n)]),
    ...(options.block === undefined ? {} : { blockNumber: options.block, transactionHash: word(BigInt(options.block)) })
  })
  const until = 1_900_000_000n

  /** A pool with one position of 600, number 7, in UNCX's locker by a record of lock number 5. */
  const locked = (
    options: Partial<ScriptedChain.Script> & { readonly holder?: Hex; readonly position?: Hex; readonly of?: Hex } = {}
  ): ScriptedChain.Script => {
    const { holder = uncx, of = pool, position: at = position(600n * ether), ...rest } = options
    return {
      accounts: {
        [token]: {
          code: "0x60006000f3",
          calls: {
            [functions.totalSupply]: word(1_000n),
            [functions.balanceOf]: word(5n),
            [functions.owner]: word(owner)
          }
        },
        [weth]: { code: "0x60006000f3", calls: { [functions.balanceOf]: word(1_000n * ether) } },
        [pool]: {
          code: "0x60006000f3",
          calls: {
            [functions.slot0]: Getter.calldata("0x", [word(1n << 96n), word(0n), ...[0n, 0n, 0n, 0n, 1n].map(word)]),
            [functions.liquidity]: word(600n * ether)
          }
        },
        [manager]: {
          code: "0x60006000f3",
          calls: {
            [functions.balanceOf]: word(0n),
            [Getter.calldata(functions.positions, [word(7n)])]: at,
            [Getter.calldata(functions.ownerOf, [word(7n)])]: word(holder)
          }
        },
        [uncx]: {
          code: "0x60006000f3",
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
        deposit(600n * ether),
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
          amount: paidBy(600n * ether),
          unlocksAt: Option.some(Number(until))
        }
      ])
      assert.deepStrictEqual(found?.held, [])
      assert.strictEqual(found?.total, paidBy(600n * ether))
      assert.isNull(found?.locksGap)
      for (const wrong of [
        { holder: owner },
        { of: token },
        { position: position(600n * ether, 60n, 120n) },
        { position: "0x" as Hex }
      ])
        assert.deepStrictEqual((yield* positionsIn(locked(wrong)))?.locks, [])
      // The locker has it, and says that it is of another pool.
      assert.strictEqual((yield* positionsIn(locked({ of: token })))?.unrecorded[0]?.amount, paidBy(600n * ether))
    })
  )

  it.effect(
    "of insiders are read from the manager, near the price only, and leave a gap where there are too many",
    () =>
      Effect.gen(function* () {
        const script = locked({ logs: [deposit(600n * ether)] })
        const with_ = (count: bigint) => ({
          ...script,
          accounts: {
            ...script.accounts,
            [manager]: {
              code: "0x60006000f3" as Hex,
              calls: {
                [functions.balanceOf]: word(count),
                [Getter.calldata(selector("tokenOfOwnerByIndex(address,uint256)"), [word(owner), word(0n)])]: word(7n),
                [Getter.calldata(selector("tokenOfOwnerByIndex(address,uint256)"), [word(owner), word(1n)])]: word(8n),
                [Getter.calldata(functions.positions, [word(7n)])]: position(400n * ether),
                [Getter.calldata(functions.positions, [word(8n)])]: position(500n * ether, -20_000n, -15_000n)
              }
            }
          }
        })
        const found = yield* positionsIn(with_(2n))
        assert.deepStrictEqual(found?.held, [{ account: owner, amount: paidBy(400n * ether), standing: "close" }])
        assert.isNull(found?.insidersGap)
        assert.strictEqual((yield* positionsIn(with_(100n)))?.insidersGap, "inconclusive")
      })
  )

  it.effect(
    "are not known, and neither is who could withdraw, where no position manager of the exchange is known",
    () =>
      Effect.gen(function* () {
        const exchanges = addresses.exchanges.map((each) => {
          if (each.kind === "uniswap-v2") return each
          const { nfpm: _, ...others } = each
          return others
        })
        const loader = () => ({ ...book, addresses: Option.some({ ...addresses, exchanges }) })
        const script = locked()
        const found = yield* positionsIn(script).pipe(Effect.provideService(ChainBook.Loader, loader))
        const known = yield* positionsIn(script)
        assert.deepStrictEqual([found?.total, found?.depth], [known?.total, known?.depth])
        assert.deepStrictEqual([found?.held, found?.locks, found?.unrecorded], [[], [], []])
        assert.deepStrictEqual([found?.insidersGap, found?.locksGap], ["inconclusive", "inconclusive"])
        assert.isFalse(TradePlaces.of(loader(), token).has(manager))
        assert.isTrue(TradePlaces.of(book, token).has(manager))
      })
  )

  it.effect("come from the pool's own events: deposits of strangers, and those without a token", () =>
    Effect.gen(function* () {
      const fed = (id: bigint, block: number) => ({
        address: manager,
        topics: [topic("IncreaseLiquidity(uint256,uint128,uint256,uint256)"), word(id)],
        data: Getter.calldata("0x", [word(1n), word(0n), word(0n)]),
        blockNumber: block,
        transactionHash: word(BigInt(block))
      })
      const script = locked({
        logs: [
          deposit(10n * ether, { block: 2 }),
          fed(8n, 2),
          deposit(590n * ether, { block: 3 }),
          fed(9n, 3),
          deposit(400n * ether, { by: vault, block: 4 })
        ]
      })
      const at = {
        [functions.balanceOf]: word(0n),
        [Getter.calldata(functions.positions, [word(8n)])]: position(10n * ether),
        [Getter.calldata(functions.ownerOf, [word(8n)])]: word("0x000000000000000000000000000000000000dEaD"),
        [Getter.calldata(functions.positions, [word(9n)])]: position(590n * ether),
        [Getter.calldata(functions.ownerOf, [word(9n)])]: word(stranger)
      }
      const found = yield* positionsIn({
        ...script,
        accounts: { ...script.accounts, [manager]: { code: "0x60006000f3", calls: at } }
      })
      assert.strictEqual(found?.burned, paidBy(10n * ether))
      assert.deepStrictEqual(found?.held, [
        { account: stranger, amount: paidBy(590n * ether), standing: "other" },
        { account: vault, amount: paidBy(400n * ether), standing: "other" }
      ])
      assert.isAtMost(Number(found?.total) / Number(paidBy(1_000n * ether)), 1.000001)
    })
  )

  it.effect("parked far below the price are neither depth nor anybody's share of it", () =>
    Effect.gen(function* () {
      const parked = deposit(10n ** 24n, { lower: -200_000n, upper: -20_000n })
      const script = locked()
      const found = yield* positionsIn({ ...script, logs: [...(script.logs ?? []), parked] })
      assert.strictEqual(found?.total, paidBy(600n * ether))
      assert.deepStrictEqual(found?.depth, Option.some(2n * paidBy(600n * ether)))
      // Right below it they are.
      const beside = deposit(600n * ether, { lower: -6_000n, upper: -60n })
      const more = yield* positionsIn({ ...script, logs: [...(script.logs ?? []), beside] })
      assert.isAbove(Number(more?.total), 50 * Number(found?.total))
      assert.strictEqual(more?.locks[0]?.amount, paidBy(600n * ether))
    })
  )

  it.effect("that were locked twice are there once, until the first of the two dates", () =>
    Effect.gen(function* () {
      const script = locked()
      const [, again] = script.logs ?? []
      const record = script.accounts?.[uncx]?.calls?.[Getter.calldata(selector("getLock(uint256)"), [word(5n)])]
      const later = Getter.calldata("0x", [word(6n), word(manager), word(pool), word(7n), word(owner)])
      const found = yield* positionsIn({
        ...script,
        accounts: {
          ...script.accounts,
          [uncx]: {
            code: "0x60006000f3",
            calls: {
              [Getter.calldata(selector("getLock(uint256)"), [word(5n)])]: record ?? "0x",
              [Getter.calldata(selector("getLock(uint256)"), [word(6n)])]: Getter.calldata(later, [
                ...[0n, 0n, 0n, until + 1_000n, 0n, 0n].map(word)
              ])
            }
          }
        },
        logs: [
          ...(script.logs ?? []),
          ...(again === undefined
            ? []
            : [{ ...again, data: (again.data ?? "0x").replace(word(5n).slice(2), word(6n).slice(2)) as Hex }])
        ]
      })
      assert.strictEqual(found?.locks.length, 1)
      assert.deepStrictEqual(found?.locks[0]?.unlocksAt, Option.some(Number(until)))
    })
  )

  it.effect("say what was not read", () =>
    Effect.gen(function* () {
      const short = yield* positionsIn(locked({ logsComplete: false }))
      assert.deepInclude(short, { insidersGap: "log_range_limited", locksGap: "log_range_limited" })
      // What the pool holds is more than any position can be.
      assert.strictEqual(short?.total, 1_000n * ether)
      assert.deepStrictEqual(short?.depth, Option.none())
      const lost = yield* positionsIn(
        locked({ fault: ({ method }) => (method === "eth_getLogs" ? "rate_limited" : undefined) })
      )
      assert.deepInclude(lost, { insidersGap: "rate_limited", locksGap: "rate_limited" })
    })
  )
})
