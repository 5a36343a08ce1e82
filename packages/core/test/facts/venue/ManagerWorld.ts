import { Account, Artifact, Head, Infrastructure, type Sandbox, type SharedSandbox, Specimens } from "@assay/sandbox"
import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseEther
} from "viem"
import * as Fixture from "../../Fixture.js"

/** Where Uniswap V4's manager stands on Ethereum. */
export const canonical: Address = "0x000000000004444c5dc75cB358380D2e3dE08A90"

/** What a pool has as the address of the chain's coin. */
export const native = Account.nobody

/** The fee of a pool with a fee of its own for each swap. */
export const dynamicFee = 0x800000

/** The bits of a hook's address that say which calls the manager makes to it. */
export const bits = {
  beforeInitialize: 1 << 13,
  afterInitialize: 1 << 12,
  beforeAddLiquidity: 1 << 11,
  afterAddLiquidity: 1 << 10,
  beforeRemoveLiquidity: 1 << 9,
  afterRemoveLiquidity: 1 << 8,
  beforeSwap: 1 << 7,
  afterSwap: 1 << 6,
  beforeDonate: 1 << 5,
  afterDonate: 1 << 4,
  beforeSwapReturnsDelta: 1 << 3,
  afterSwapReturnsDelta: 1 << 2,
  afterAddLiquidityReturnsDelta: 1 << 1,
  afterRemoveLiquidityReturnsDelta: 1 << 0
} as const

export type Bit = keyof typeof bits

export interface PoolKey {
  readonly currency0: Address
  readonly currency1: Address
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks: Address
}

/** The id of a pool: its key, hashed. */
export const idOf = ({ currency0, currency1, fee, hooks, tickSpacing }: PoolKey): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: "address" }, { type: "address" }, { type: "uint24" }, { type: "int24" }, { type: "address" }],
      [currency0, currency1, fee, tickSpacing, hooks]
    )
  )

/** A pool, with the position of the account `maker` in it. */
export interface Pool {
  readonly key: PoolKey
  readonly id: Hex
  readonly token: Address
  /** {@link native}, WETH or another token. */
  readonly quote: Address
  readonly range: Range
  readonly liquidity: bigint
}

interface Range {
  readonly lower: number
  readonly upper: number
}

/** Which pool to open. */
export interface PoolOptions {
  readonly token: Address
  /** The chain's coin where absent. */
  readonly quote?: "native" | "wrapped" | Address
  /** In millionths, or {@link dynamicFee}; 3,000 where absent. */
  readonly fee?: number
  /** 60 where absent. */
  readonly tickSpacing?: number
  readonly hook?: Address
  /** What to pay in, which is the price as well. */
  readonly amounts: { readonly token: bigint; readonly quote: bigint }
  /** All ticks where absent, else as many on each side of the price, rounded to the spacing. */
  readonly ticksAround?: number
  /** In the place of what the amounts give. */
  readonly liquidity?: bigint
}

/** What an account got for what it paid, in units; reverted where the transaction was. */
export type Outcome = { readonly status: "swapped"; readonly paid: bigint; readonly received: bigint } | Reverted

export interface Reverted {
  readonly status: "reverted"
}

/** A swap of an exact amount of what goes in. */
export interface SwapOptions {
  readonly trader: Address
  readonly direction: "buy" | "sell"
  readonly amount: bigint
  /** Of the block it is mined in; the chain's next one where absent. */
  readonly timestamp?: number
}

/** Price and liquidity of a pool, as the manager holds them. */
export interface State {
  /** Q64.96 of the square root of currency 1 for one of currency 0. */
  readonly sqrtPriceX96: bigint
  readonly tick: number
  readonly fee: number
  readonly liquidity: bigint
}

/** Uniswap V4 on the sandbox chain. */
export interface ManagerWorld {
  readonly sandbox: SharedSandbox.SharedSandbox
  readonly manager: Address
  /** The router that {@link ManagerWorld.swap} goes through; {@link traders} allow it to spend the tokens. */
  readonly router: Address
  /** Who can sell the tokens that are deployed here, with a thousandth of each. */
  readonly traders: ReadonlyArray<Address>
  /** Deploys plain ERC-20s: 1,000,000 each, most of it the account `maker`'s. */
  readonly deployTokens: (count: number) => Promise<ReadonlyArray<Address>>
  /** Has a hook's creation code run at addresses with these bits; returns the addresses. */
  readonly placeHooks: (hooks: ReadonlyArray<Hook>) => Promise<ReadonlyArray<Address>>
  /** Opens pools by transactions of the account `maker`, in their order. */
  readonly createPools: (pools: ReadonlyArray<PoolOptions>) => Promise<ReadonlyArray<Pool>>
  readonly createPool: (pool: PoolOptions) => Promise<Pool>
  /** Swaps by a transaction through {@link ManagerWorld.router}. */
  readonly swap: (pool: Pool, options: SwapOptions) => Promise<Outcome>
  /** Takes the whole position of the account `maker` out of a pool. */
  readonly removeLiquidity: (pool: Pool) => Promise<"removed" | "reverted">
  readonly state: (pool: Pool) => Promise<State>
  readonly send: (calls: ReadonlyArray<Call>) => Promise<void>
  /** Does something and takes it back, with the time that passed. */
  readonly undone: <A>(deed: () => Promise<A>) => Promise<A>
}

/** A contract to stand at an address of its own with these bits. */
export interface Hook {
  /** Makes the address, with the bits. */
  readonly name: string
  readonly bits: ReadonlyArray<Bit>
  readonly abi: Abi
  readonly creation: Hex
  readonly args: ReadonlyArray<unknown>
  /** In wei; none where absent. */
  readonly balance?: bigint | undefined
}

/** A call of a contract; from the account `maker` where no other is named. */
export interface Call {
  readonly from?: Address
  readonly to: Address
  readonly abi: Abi
  readonly name: string
  readonly args?: ReadonlyArray<unknown>
  readonly value?: bigint
  readonly gas?: bigint
}

const mask = 0x3fffn
const q96 = 2n ** 96n
const forever = 2n ** 256n - 1n

const contract = Fixture.readDeployed("facts", "SwapHooks.sol")

/** A contract of `SwapHooks.sol`, as a hook with these bits. */
export const own = (
  name: string,
  { args, balance, ...options }: Pick<Hook, "args" | "balance" | "bits"> & { readonly label: string }
): Hook => {
  const { abi, creation } = contract(name)
  return { name: `${name} ${options.label}`, bits: options.bits, abi, creation: `0x${creation}`, args, balance }
}

/** The interface of a contract of `SwapHooks.sol`. */
export const abiOf = (name: string): Abi => contract(name).abi

/** The address of a hook: of its name, but for the 14 bits. */
export const addressOf = ({ bits: named, name }: Pick<Hook, "bits" | "name">): Address => {
  const set = BigInt(named.reduce((sum, bit) => sum | bits[bit], 0))
  return getAddress(numberToHex((BigInt(Account.keyless(`hook: ${name}`)) & ~mask) | set, { size: 20 }))
}

const squareRoot = (value: bigint): bigint => {
  if (value < 2n) return value
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (;;) {
    const next = (root + value / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

const sqrtPriceAt = (tick: number): bigint => BigInt(Math.floor(1.0001 ** (tick / 2) * 2 ** 48)) << 48n

const tickAt = (sqrtPriceX96: bigint): number =>
  Math.floor((Math.log(Number(sqrtPriceX96) / 2 ** 96) / Math.log(1.0001)) * 2)

const highestTick = 887_272

/** What a swap within one range gives, as the whitepaper of Uniswap V3 has it; fees are in millionths. */
export const quoteOf = (
  { liquidity, sqrtPriceX96 }: Pick<State, "liquidity" | "sqrtPriceX96">,
  { amount, fee, zeroForOne }: { readonly amount: bigint; readonly fee: number; readonly zeroForOne: boolean }
): bigint => {
  const swapped = (amount * BigInt(1_000_000 - fee)) / 1_000_000n
  const scaled = liquidity * q96
  if (zeroForOne) {
    const divisor = scaled + swapped * sqrtPriceX96
    const next = (scaled * sqrtPriceX96 + divisor - 1n) / divisor
    return (liquidity * (sqrtPriceX96 - next)) / q96
  }
  const next = sqrtPriceX96 + (swapped * q96) / liquidity
  return (scaled * (next - sqrtPriceX96)) / next / sqrtPriceX96
}

/** Whether a swap takes currency 0 in. */
export const zeroForOne = ({ key, token }: Pick<Pool, "key" | "token">, direction: SwapOptions["direction"]): boolean =>
  (direction === "sell") === (key.currency0 === token)

const erc20 = (): Abi => Infrastructure.artifacts().weth.abi

const same = (one: Address, other: Address): boolean => one.toLowerCase() === other.toLowerCase()

const poolOf = (options: PoolOptions): Pool & { readonly sqrtPriceX96: bigint } => {
  const {
    amounts,
    fee = 3_000,
    hook = Account.nobody,
    quote: named = "native",
    ticksAround,
    tickSpacing = 60
  } = options
  const token = getAddress(options.token)
  const quote =
    named === "native" ? native : named === "wrapped" ? Infrastructure.addresses.weth : (getAddress(named) as Address)
  const isFirst = BigInt(token) < BigInt(quote)
  const [currency0, currency1] = isFirst ? [token, quote] : [quote, token]
  const [amount0, amount1] = isFirst ? [amounts.token, amounts.quote] : [amounts.quote, amounts.token]
  const key = { currency0, currency1, fee, tickSpacing, hooks: hook }
  const sqrtPriceX96 = squareRoot((amount1 * q96 * q96) / amount0)
  const fit = (tick: number): number =>
    Math.trunc(Math.max(-highestTick, Math.min(highestTick, tick)) / tickSpacing) * tickSpacing
  const tick = tickAt(sqrtPriceX96)
  const around = ticksAround === undefined ? undefined : Math.max(ticksAround, tickSpacing)
  const range =
    around === undefined
      ? { lower: fit(-highestTick), upper: fit(highestTick) }
      : { lower: fit(tick - around), upper: fit(tick + around) }
  const [low, high] = [sqrtPriceAt(range.lower), sqrtPriceAt(range.upper)]
  const by0 = (((amount0 * sqrtPriceX96) / q96) * high) / (high - sqrtPriceX96)
  const by1 = (amount1 * q96) / (sqrtPriceX96 - low)
  // A little less than the amounts give: the manager rounds what it takes up.
  const liquidity = options.liquidity ?? ((by0 < by1 ? by0 : by1) * 999_999n) / 1_000_000n
  return { key, id: idOf(key), token, quote, range, liquidity, sqrtPriceX96 }
}

/** Puts Uniswap V4's manager and a router on the sandbox chain; the manager's code is read out of node_modules. */
export const manage = async (
  sandbox: SharedSandbox.SharedSandbox,
  options: { readonly manager?: Address } = {}
): Promise<ManagerWorld> => {
  const { accounts, rpc, transact, transactAll } = sandbox
  const { maker } = accounts
  const manager = options.manager ?? canonical
  const router = Account.keyless(`router of ${manager}`)
  const traders = [accounts.trader1, accounts.trader2, accounts.trader3, accounts.trader4]
  const routerContract = contract("SwapRouter")
  // BUSL-1.1: read where npm put it, for this test run, and kept nowhere.
  const managerContract = Artifact.load("@uniswap/v4-core/out/PoolManager.sol/PoolManager.json")
  await Infrastructure.place(rpc, [
    Infrastructure.placement(manager, managerContract, maker, [maker]),
    {
      address: router,
      creation: encodeDeployData({
        abi: routerContract.abi,
        bytecode: `0x${routerContract.creation}`,
        args: [manager]
      }),
      from: maker
    }
  ])

  const encoded = ({ abi, args = [], from = maker, gas = 3_000_000n, name, to, value }: Call): Sandbox.Limited => ({
    from,
    to,
    value,
    gas,
    data: encodeFunctionData({ abi, functionName: name, args: [...args] })
  })

  const send: ManagerWorld["send"] = (calls) => transactAll(calls.map(encoded))

  const read = async (to: Address, abi: Abi, name: string, args: ReadonlyArray<unknown>): Promise<Hex> =>
    (await rpc.call("eth_call", [
      { to, data: encodeFunctionData({ abi, functionName: name, args: [...args] }) },
      "latest"
    ])) as Hex

  const balanceOf = async (currency: Address, account: Address): Promise<bigint> =>
    BigInt(
      same(currency, native)
        ? ((await rpc.call("eth_getBalance", [account, "latest"])) as Hex)
        : await read(currency, erc20(), "balanceOf", [account])
    )

  /** What the only transaction of the newest block cost its sender. */
  const costOfNewest = async (): Promise<bigint> => {
    const receipts = (await rpc.call("eth_getBlockReceipts", ["latest"])) as ReadonlyArray<{
      readonly gasUsed: Hex
      readonly effectiveGasPrice: Hex
    }>
    return receipts.reduce(
      (sum, { effectiveGasPrice, gasUsed }) => sum + BigInt(gasUsed) * BigInt(effectiveGasPrice),
      0n
    )
  }

  /** Mines one transaction alone; says whether it succeeded. */
  const attempt = async (call: Call): Promise<boolean> => {
    const before = await Head.read(rpc)
    try {
      await transact(encoded(call))
      return true
    } catch (error) {
      // Any other failure is none of the contract's.
      if (!(error instanceof Error) || !/reverted$/.test(error.message)) throw error
      if ((await Head.read(rpc)).number !== before.number + 1) throw error
      return false
    }
  }

  const deployTokens: ManagerWorld["deployTokens"] = async (count) => {
    const nonce = BigInt((await rpc.call("eth_getTransactionCount", [maker, "latest"])) as Hex)
    const plain = Artifact.own("PlainToken")
    const tokens = Array.from({ length: count }, (_, i) =>
      getContractAddress({ from: maker, nonce: nonce + BigInt(i) })
    )
    const receivers = [...traders, ...Specimens.holders.slice(0, 3)]
    // Apart, as an approval in the same block might come before the code.
    await transactAll(
      tokens.map((_, i) => ({
        from: maker,
        gas: 2_000_000n,
        data: encodeDeployData({
          abi: plain.abi,
          bytecode: plain.bytecode,
          args: [`Pooled ${Number(nonce) + i}`, `P${Number(nonce) + i}`, Specimens.supply]
        })
      }))
    )
    await transactAll(
      tokens.flatMap((token) => [
        ...receivers.map((to) =>
          encoded({ to: token, abi: erc20(), name: "transfer", args: [to, parseEther("1000")], gas: 100_000n })
        ),
        ...[maker, ...traders].map((from) =>
          encoded({ from, to: token, abi: erc20(), name: "approve", args: [router, forever], gas: 100_000n })
        )
      ])
    )
    return tokens
  }

  const placeHooks: ManagerWorld["placeHooks"] = async (hooks) => {
    const addresses = hooks.map(addressOf)
    await Infrastructure.place(
      rpc,
      hooks.map(({ abi, args, creation }, i) => ({
        address: addresses[i] as Address,
        creation: encodeDeployData({ abi, bytecode: creation, args: [...args] }),
        from: maker
      }))
    )
    await rpc.batch(
      hooks.flatMap(({ balance }, i) =>
        balance === undefined ? [] : [{ method: "anvil_setBalance", params: [addresses[i], numberToHex(balance)] }]
      )
    )
    return addresses
  }

  const createPools: ManagerWorld["createPools"] = async (all) => {
    const pools = all.map(poolOf)
    const quotes = [...new Set(pools.map(({ quote }) => quote))].filter((quote) => !same(quote, native))
    const wrapped = pools.reduce(
      (sum, { quote }, i) =>
        same(quote, Infrastructure.addresses.weth) ? sum + (all[i] as PoolOptions).amounts.quote : sum,
      0n
    )
    await send([
      ...(wrapped === 0n
        ? []
        : [{ to: Infrastructure.addresses.weth, abi: erc20(), name: "deposit", value: wrapped, gas: 100_000n }]),
      ...[...quotes, ...pools.map(({ token }) => token)].map((to) => ({
        to,
        abi: erc20(),
        name: "approve",
        args: [router, forever],
        gas: 100_000n
      })),
      ...pools.flatMap(({ key, liquidity, quote, range, sqrtPriceX96 }, i) => [
        { to: manager, abi: managerContract.abi, name: "initialize", args: [key, sqrtPriceX96], gas: 500_000n },
        ...(liquidity === 0n
          ? []
          : [
              {
                to: router,
                abi: routerContract.abi,
                name: "change",
                args: [key, range.lower, range.upper, liquidity],
                gas: 1_000_000n,
                // What is too much comes back.
                ...(same(quote, native) ? { value: ((all[i] as PoolOptions).amounts.quote * 101n) / 100n } : {})
              }
            ])
      ])
    ])
    return pools.map(({ sqrtPriceX96: _, ...pool }) => pool)
  }

  const swap: ManagerWorld["swap"] = async (pool, { amount, direction, timestamp, trader }) => {
    const [spent, gained] = direction === "buy" ? [pool.quote, pool.token] : [pool.token, pool.quote]
    const value = same(spent, native) ? amount : undefined
    if (direction === "buy" && !same(spent, native)) {
      await send([
        { from: trader, to: spent, abi: erc20(), name: "approve", args: [router, forever], gas: 100_000n },
        ...(same(spent, Infrastructure.addresses.weth)
          ? [{ from: trader, to: spent, abi: erc20(), name: "deposit", value: amount, gas: 100_000n }]
          : [])
      ])
    }
    const before = await Promise.all([balanceOf(spent, trader), balanceOf(gained, trader)])
    if (timestamp !== undefined) await rpc.call("evm_setNextBlockTimestamp", [timestamp])
    const done = await attempt({
      from: trader,
      to: router,
      abi: routerContract.abi,
      name: "swap",
      args: [pool.key, zeroForOne(pool, direction), -amount, "0x"],
      // What is offered beyond a range goes on through all ticks, 256 spacings a step: 17 million with a spacing of 1.
      gas: 30_000_000n,
      ...(value === undefined ? {} : { value })
    })
    if (!done) return { status: "reverted" }
    const after = await Promise.all([balanceOf(spent, trader), balanceOf(gained, trader)])
    const cost = await costOfNewest()
    return {
      status: "swapped",
      paid: before[0] - after[0] - (same(spent, native) ? cost : 0n),
      received: after[1] - before[1] + (same(gained, native) ? cost : 0n)
    }
  }

  const state: ManagerWorld["state"] = async ({ id }) => {
    const slot = BigInt(keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "uint256" }], [id, 6n])))
    const at = async (offset: bigint): Promise<bigint> =>
      BigInt((await rpc.call("eth_getStorageAt", [manager, numberToHex(slot + offset, { size: 32 }), "latest"])) as Hex)
    const [packed, liquidity] = [await at(0n), await at(3n)]
    return {
      sqrtPriceX96: packed & (2n ** 160n - 1n),
      tick: Number(BigInt.asIntN(24, packed >> 160n)),
      fee: Number((packed >> 208n) & 0xffffffn),
      liquidity: liquidity & (2n ** 128n - 1n)
    }
  }

  return {
    sandbox,
    manager,
    router,
    traders,
    deployTokens,
    placeHooks,
    createPools,
    createPool: async (pool) => (await createPools([pool]))[0] as Pool,
    swap,
    removeLiquidity: async ({ key, liquidity, range }) =>
      (await attempt({
        to: router,
        abi: routerContract.abi,
        name: "change",
        args: [key, range.lower, range.upper, -liquidity]
      }))
        ? "removed"
        : "reverted",
    state,
    send,
    undone: async (deed) => {
      const snapshot = await rpc.call("evm_snapshot")
      try {
        return await deed()
      } finally {
        await rpc.call("evm_revert", [snapshot])
      }
    }
  }
}
