import { SharedSandbox } from "@assay/sandbox"
import { Effect, Layer } from "effect"
import { type Address as Account, parseEther } from "viem"
import { assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../../test/Tier.js"
import { ChainState, type LogScan } from "../../../src/chain/state/ChainState.js"
import { liquidityInsiders } from "../../../src/checks/token/liquidity/LiquidityInsiders.js"
import { liquidityLocked } from "../../../src/checks/token/liquidity/LiquidityLocked.js"
import { lockExpiring } from "../../../src/checks/token/liquidity/LockExpiring.js"
import * as Address from "../../../src/domain/Address.js"
import * as Evidence from "../../../src/domain/Evidence.js"
import * as Selectors from "../../../src/evm/bytecode/Selectors.js"
import { Liquidity } from "../../../src/facts/market/Liquidity.js"
import * as Facts from "../../checks/Facts.js"
import { pinned, Running } from "../SandboxState.js"
import * as ManagerWorld from "../venue/ManagerWorld.js"
import * as PositionTokens from "../venue/PositionTokens.js"
import * as SwapHooks from "../venue/SwapHooks.js"

const { amounts } = SwapHooks

const modified = Selectors.topic("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)")

describe.runIf(Tier.landing)(Tier.title(Tier.landing, "positions in pools of Uniswap V4"), () => {
  let world: ManagerWorld.ManagerWorld
  let positions: PositionTokens.PositionTokens
  let pools: ReadonlyArray<ManagerWorld.Pool>

  /** Of some 316 tokens and a third of an ether. */
  const liquidity = 10n ** 19n

  beforeAll(async () => {
    world = await ManagerWorld.manage(await SharedSandbox.take())
    positions = await PositionTokens.place(world)
    await world.createPool({
      token: world.sandbox.infrastructure.usdc,
      fee: 500,
      tickSpacing: 10,
      amounts: { token: 3_000_000_000_000n, quote: amounts.quote }
    })
    const tokens = await world.deployTokens(6)
    pools = await world.createPools(tokens.map((token) => ({ token, amounts, liquidity: 0n })))
  })

  const poolAt = (place: number) => pools[place] as ManagerWorld.Pool

  /** Runs over the chain's state, with other answers to event scans where a change is named. */
  const over = <A>(
    program: Effect.Effect<A, unknown, Facts.All>,
    change: (scan: LogScan) => LogScan = (scan) => scan
  ): Promise<A> =>
    program.pipe(
      Effect.provide(
        Facts.layer.pipe(
          Layer.provideMerge(
            Layer.effect(
              ChainState,
              Effect.map(ChainState, (state) => ({
                ...state,
                logs: (filter: Parameters<typeof state.logs>[0]) =>
                  Effect.map(state.logs(filter), (reading) =>
                    filter.topics[0] === modified ? { ...reading, value: change(reading.value) } : reading
                  )
              }))
            ).pipe(Layer.provide(pinned()))
          )
        )
      ),
      Effect.provideService(Running, world.sandbox),
      Effect.scoped,
      Effect.runPromise
    )

  const found = async (token: Account, change?: (scan: LogScan) => LogScan) => {
    const shares = await over(
      Effect.flatMap(Liquidity, (liquidity) => liquidity.of(Address.checksum(token))),
      change
    )
    const [of] = shares.value
    if (of === undefined) throw new Error(`no liquidity of ${token}`)
    assert.strictEqual(of.pool.kind, "uniswap-v4")
    return { ...of, owners: of.shares.map(({ account, kind }) => [account, kind]) }
  }

  const states = async (token: Account, change?: (scan: LogScan) => LogScan) => {
    const evidence = await over(
      Facts.evaluate([liquidityInsiders, liquidityLocked, lockExpiring], {
        kind: "token",
        chain: { id: world.sandbox.chainId, name: "sandbox" },
        address: Address.checksum(token)
      }),
      change
    )
    return Object.fromEntries(evidence.map(({ detail, id, state }) => [Evidence.checkId(id), { state, detail }]))
  }

  it("are those of the owner of the position's token, wherever it went, and burned with it", async () => {
    const { keeper, maker } = world.sandbox.accounts
    const pool = poolAt(0)
    const id = await positions.mint(pool, maker, liquidity)
    const mine = await found(pool.token)
    assert.deepStrictEqual(mine.owners, [[Address.checksum(maker), "insider"]])
    assert.strictEqual(mine.unseen, 0n)
    assert.isNull(mine.gap)
    const held = await states(pool.token)
    assert.strictEqual(held["liquidity.held-by-insiders"]?.state, "confirmed")
    assert.strictEqual(held["liquidity.locked"]?.state, "refuted")
    await positions.give(id, maker, keeper)
    // Who has the first position of a pool belongs to those who opened it.
    assert.deepStrictEqual((await found(pool.token)).owners, [[Address.checksum(keeper), "insider"]])
    await positions.give(id, keeper, "0x000000000000000000000000000000000000dEaD")
    const burned = await found(pool.token)
    assert.deepStrictEqual(burned.owners, [[Address.zero, "burned"]])
    assert.strictEqual(burned.unseen, 0n)
    const after = await states(pool.token)
    assert.strictEqual(after["liquidity.held-by-insiders"]?.state, "refuted")
  })

  it("count with what the manager has in them now, and not with what was once paid in", async () => {
    const { maker, trader1, trader2 } = world.sandbox.accounts
    const pool = poolAt(1)
    const first = await positions.mint(pool, maker, liquidity)
    await positions.mint(pool, trader1, 3n * liquidity)
    const id = await positions.mint(pool, trader2, 16n * liquidity)
    const before = await found(pool.token)
    assert.deepStrictEqual(before.owners, [
      [Address.checksum(trader2), "key"],
      [Address.checksum(trader1), "key"],
      [Address.checksum(maker), "insider"]
    ])
    assert.strictEqual(before.given, 0n)
    await positions.decrease(id, trader2, pool, 16n * liquidity)
    await positions.give(first, maker, world.traders[2] as Account)
    const after = await found(pool.token)
    assert.deepStrictEqual(
      after.shares.map(({ account, amount }) => [account, (amount * 100n + after.total / 2n) / after.total]),
      [
        [Address.checksum(trader1), 75n],
        [Address.checksum(world.traders[2] as Account), 25n]
      ]
    )
    assert.strictEqual(after.unseen, 0n)
  })

  it("of a contract that called the manager itself are the contract's, of which nobody knows what it may do", async () => {
    const { maker } = world.sandbox.accounts
    const [token] = await world.deployTokens(1)
    const pool = await world.createPool({
      token: token as Account,
      amounts: { token: parseEther("1000"), quote: parseEther("1") }
    })
    const direct = await found(pool.token)
    assert.deepStrictEqual(direct.owners, [[Address.checksum(world.router), "contract"]])
    const verdicts = await states(pool.token)
    assert.strictEqual(verdicts["liquidity.held-by-insiders"]?.state, "unknown")
    assert.strictEqual(verdicts["liquidity.locked"]?.state, "unknown")
    await positions.mint(pool, maker, 4n * pool.liquidity)
    assert.strictEqual((await states(pool.token))["liquidity.held-by-insiders"]?.state, "confirmed")
  })

  it("are unknown where events are missing: what the ticks have besides is nobody's who is known", async () => {
    const pool = poolAt(2)
    const dead = "0x000000000000000000000000000000000000dEaD"
    await positions.mint(pool, dead, liquidity)
    await positions.mint(pool, world.sandbox.accounts.maker, 9n * liquidity)
    // All is read: one has most of it.
    assert.strictEqual((await states(pool.token))["liquidity.held-by-insiders"]?.state, "confirmed")
    // One event is lost in silence.
    const lost = (scan: LogScan): LogScan => ({ ...scan, logs: scan.logs.slice(0, 1) })
    const partly = await found(pool.token, lost)
    assert.isTrue(partly.unseen > (partly.total * 8n) / 10n, `${partly.unseen} of ${partly.total}`)
    for (const id of ["liquidity.held-by-insiders", "liquidity.lock-expiring"])
      assert.strictEqual((await states(pool.token, lost))[id]?.state, "unknown", id)
    // The endpoint says that it left events out.
    const limited = (scan: LogScan): LogScan => ({ ...scan, logs: [], complete: false })
    for (const id of ["liquidity.held-by-insiders", "liquidity.locked", "liquidity.lock-expiring"])
      assert.strictEqual((await states(pool.token, limited))[id]?.state, "unknown", id)
  })

  it("are nobody's who is known to be able to withdraw where a hook may keep what is taken out", async () => {
    const { keepsLiquidity } = await SwapHooks.list(world, ["keepsLiquidity"])
    await positions.mint(keepsLiquidity.pool, world.sandbox.accounts.maker, liquidity)
    const kept = await found(keepsLiquidity.token)
    assert.deepStrictEqual(kept.owners, [])
    assert.strictEqual(kept.unseen, kept.total)
    const verdicts = await states(keepsLiquidity.token)
    assert.strictEqual(verdicts["liquidity.held-by-insiders"]?.state, "unknown")
    assert.include(verdicts["liquidity.held-by-insiders"]?.detail ?? "", keepsLiquidity.hook)
    assert.strictEqual(verdicts["liquidity.locked"]?.state, "unknown")
  })

  it("of several pools with different quotes count by what these are worth", async () => {
    const { maker, trader1 } = world.sandbox.accounts
    const pool = poolAt(3)
    await positions.mint(pool, maker, liquidity)
    const other = await world.createPool({
      token: pool.token,
      quote: world.sandbox.infrastructure.usdc,
      fee: 500,
      tickSpacing: 10,
      amounts: { token: amounts.token, quote: 300_000_000_000n },
      liquidity: 0n
    })
    // Some 316 tokens as well, and a thousand dollars.
    await positions.mint(other, trader1, 550_000_000_000_000n)
    const of = await found(pool.token)
    assert.deepStrictEqual(
      of.shares.map(({ account }) => account).sort(),
      [maker, trader1].map((account) => Address.checksum(account)).sort()
    )
    assert.strictEqual(of.unseen, 0n)
    for (const { amount } of of.shares)
      assert.isTrue(amount * 4n > of.total && amount * 4n < of.total * 3n, `${amount} of ${of.total}`)
  })
})
