import { Account, Artifact, Infrastructure, Pool, type SharedSandbox, Specimens } from "@assay/sandbox"
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  getAddress,
  getContractAddress,
  getCreate2Address,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseEther
} from "viem"
import * as Fixture from "../../Fixture.js"

// Places that look like an exchange with a pool of a token, and are none, or are others than they look like. Who makes them
// spends ether and a few tokens, and has no key of anybody else. That they are what is said of them is shown in
// `VenueDecoys.test.ts`; what an analysis may make of them in `integration/VenueDecoys.test.ts`.

/** What was put on the chain beside a token. */
export interface Placed {
  /** Contracts that are, or claim to be, a pool of the token, or hold it as one would. */
  readonly pools: ReadonlyArray<Address>
  /** Contracts that announced them, of the makers' own. */
  readonly announcers: ReadonlyArray<Address>
  /** What stands there for the wrapped coin, where that is another one. */
  readonly coins: ReadonlyArray<Address>
}

/** Puts something beside a token that has its pool with the wrapped coin on Uniswap V2. */
export type Decoy = (market: Market, token: Address) => Promise<Placed>

/** The chain, with what all decoys do on it. */
export interface Market {
  readonly sandbox: SharedSandbox.SharedSandbox
  /** Who makes all decoys. */
  readonly maker: Address
  /** Makes a contract of `VenueDecoys.sol`, which holds some ether if that is named. */
  readonly deploy: (name: string, args?: ReadonlyArray<unknown>, held?: bigint) => Promise<Address>
  /** Makes a plain token of the maker's: a million. */
  readonly deployToken: () => Promise<Address>
  readonly send: (calls: ReadonlyArray<Call>) => Promise<void>
  /** Sends tokens of who holds most of them, beside the pool. */
  readonly give: (token: Address, to: Address, amount: bigint) => Promise<void>
  /** Sends wrapped coins of the maker's. */
  readonly pay: (to: Address, amount: bigint) => Promise<void>
  /** The address of a contract that has this creation code as its code. */
  readonly keep: (creation: Hex) => Promise<Address>
  readonly read: (to: Address, name: string, args?: ReadonlyArray<unknown>) => Promise<unknown>
  readonly code: (of: Address) => Promise<Hex>
  /** Does something and takes it back. */
  readonly undone: <A>(deed: () => Promise<A>) => Promise<A>
}

/** A call of the maker's, by one of {@link abi}, or of `VenueDecoys.sol`. */
export interface Call {
  readonly to: Address
  readonly abi?: Abi
  readonly name: string
  readonly args?: ReadonlyArray<unknown>
  readonly value?: bigint
  readonly gas?: bigint
}

const { uniswapV2Factory, weth } = Infrastructure.addresses

const contract = Fixture.readDeployed("facts", "VenueDecoys.sol")

const published = () => ({
  ...Infrastructure.artifacts(),
  v3Pool: Artifact.load("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"),
  // BUSL-1.1: read where npm put it, for this test run, and kept nowhere.
  v4Manager: Artifact.load("@uniswap/v4-core/out/PoolManager.sol/PoolManager.json")
})

/** The functions of all contracts here, each name once. */
export const abi: Abi = (() => {
  const { v2Factory, v2Pair, v3Pool, weth: coin } = published()
  const all = [
    ...coin.abi,
    ...v2Pair.abi,
    ...v2Factory.abi,
    ...v3Pool.abi,
    ...["FalseFactory", "RenamingFactory", "FalseCoin", "PoolDeployer", "Metamorphosis"].flatMap(
      (name) => contract(name).abi
    )
  ]
  const named = all.flatMap((item) => (item.type === "function" ? [[item.name, item] as const] : []))
  return [...new Map(named.reverse()).values()]
})()

const abiOf = (name: string): Abi => contract(name).abi

const sorted = (a: Address, b: Address): readonly [Address, Address] =>
  a.toLowerCase() < b.toLowerCase() ? [getAddress(a), getAddress(b)] : [getAddress(b), getAddress(a)]

export const start = (sandbox: SharedSandbox.SharedSandbox): Market => {
  const { rpc, transact, transactAll } = sandbox
  const maker = sandbox.accounts.thief

  const make = async (data: Hex, held = 0n): Promise<Address> => {
    const nonce = BigInt((await rpc.call("eth_getTransactionCount", [maker, "latest"])) as Hex)
    const paid = held > 0n ? 1n : 0n
    const address = getContractAddress({ from: maker, nonce: nonce + paid })
    // What is there before the contract needs no function that takes it.
    if (held > 0n) await transact({ from: maker, to: address, value: held })
    await transact({ from: maker, data, gas: 20_000_000n })
    return address
  }

  /** Of the accounts that hold the specimens, and the first tokens. */
  const richest = async (token: Address): Promise<Address> => {
    const { holder, trader1, trader2, trader3, trader4, trader5, trader6 } = sandbox.accounts
    const accounts = [...Specimens.holders, holder, trader1, trader2, trader3, trader4, trader5, trader6]
    const balances = await rpc.batch(
      accounts.map((account) => ({
        method: "eth_call",
        params: [{ to: token, data: encodeFunctionData({ abi, functionName: "balanceOf", args: [account] }) }, "latest"]
      }))
    )
    const held = balances.map((balance) => BigInt(balance as Hex))
    const most = held.reduce((one, other) => (one > other ? one : other), 0n)
    return accounts[held.indexOf(most)] as Address
  }

  const send: Market["send"] = (calls) =>
    transactAll(
      calls.map(({ abi: own = abi, args = [], gas = 5_000_000n, name, to, value }) => ({
        from: maker,
        to,
        value,
        gas,
        data: encodeFunctionData({ abi: own, functionName: name, args: [...args] })
      }))
    )

  return {
    sandbox,
    maker,
    send,
    deploy: (name, args = [], held) => {
      const { abi: own, creation } = contract(name)
      return make(encodeDeployData({ abi: own, bytecode: `0x${creation}`, args: [...args] }), held)
    },
    deployToken: () => {
      const { abi: own, bytecode } = Artifact.own("PlainToken")
      return make(encodeDeployData({ abi: own, bytecode, args: ["Plenty", "PLTY", Specimens.supply] }))
    },
    give: async (token, to, amount) => {
      const from = await richest(token)
      await rpc.batch([
        { method: "anvil_impersonateAccount", params: [from] },
        { method: "anvil_setBalance", params: [from, numberToHex(parseEther("100"))] }
      ])
      const data = encodeFunctionData({ abi, functionName: "transfer", args: [to, amount] })
      await transact({ from, to: token, data, gas: 300_000n })
    },
    pay: (to, amount) =>
      send([
        { to: weth, name: "deposit", value: amount },
        { to: weth, name: "transfer", args: [to, amount] }
      ]),
    keep: async (creation) => {
      const address = Account.keyless(`code ${keccak256(creation)}`)
      await rpc.call("anvil_setCode", [address, creation])
      return address
    },
    read: async (to, name, args = []) => {
      const data = encodeFunctionData({ abi, functionName: name, args: [...args] })
      return decodeFunctionResult({
        abi,
        functionName: name,
        data: (await rpc.call("eth_call", [{ to, data }, "latest"])) as Hex
      })
    },
    code: async (of) => (await rpc.call("eth_getCode", [of, "latest"])) as Hex,
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

const some = parseEther("20000")
const million = parseEther("1000000")

const falseFactory = (market: Market): Promise<Address> => market.deploy("FalseFactory")

/** Opens a pair of a false factory, with these reserves as it says, and these in truth. */
const falsePool = async (
  market: Market,
  factory: Address,
  token: Address,
  options: {
    readonly said: readonly [token: bigint, coin: bigint]
    readonly held: readonly [token: bigint, coin: bigint]
    readonly buysBack: boolean
  }
): Promise<Address> => {
  const { buysBack, held, said } = options
  const nonce = BigInt((await market.sandbox.rpc.call("eth_getTransactionCount", [factory, "latest"])) as Hex)
  await market.send([{ to: factory, abi: abiOf("FalseFactory"), name: "open", args: [token, weth, ...said, buysBack] }])
  const pair = getContractAddress({ from: factory, nonce })
  await market.give(token, pair, held[0])
  if (held[1] > 0n) await market.pay(pair, held[1])
  return pair
}

/** Opens a pair of two tokens with a factory of the published build. */
const pairOf = async (
  market: Market,
  token: Address,
  coin: Address,
  factory: Address = uniswapV2Factory
): Promise<Address> => {
  await market.send([{ to: factory, name: "createPair", args: [token, coin] }])
  return getCreate2Address({
    from: factory,
    salt: keccak256(encodePacked(["address", "address"], [...sorted(token, coin)])),
    bytecodeHash: Pool.v2InitCodeHash()
  })
}

const creationOf = (artifact: Artifact.Artifact, args: ReadonlyArray<unknown> = []): Hex =>
  encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args: [...args] })

const balanceSlot = (account: Address, slot: bigint): Hex =>
  keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [account, slot]))

/** A token for a thousandth of an ether: Q64.96 of the square root, by the order of the two. */
const rootOf = (token: Address, coin: Address): bigint =>
  sorted(token, coin)[0] === getAddress(token) ? 2n ** 96n / 32n : 2n ** 96n * 32n

/** (a) A false factory announces the genuine pair, and the pair of two other tokens as the token's. */
export const falseEvents: Decoy = async (market, token) => {
  const factory = await falseFactory(market)
  const genuine = Pool.v2Address(token, weth)
  const deep = Pool.v2Address(Infrastructure.addresses.usdc, weth)
  const announce = (other: Address, pair: Address): Call => ({
    to: factory,
    abi: abiOf("FalseFactory"),
    name: "announce",
    args: [token, other, pair]
  })
  await market.send([announce(weth, genuine), announce(Infrastructure.addresses.usdc, deep), announce(weth, deep)])
  return { pools: [deep], announcers: [factory], coins: [] }
}

/** (b) A pair of a false factory says that it has a million ether, has twenty, and buys whatever is sold to it. */
export const falsePair: Decoy = async (market, token) => {
  const factory = await falseFactory(market)
  const pair = await falsePool(market, factory, token, {
    said: [million * 100n, million],
    held: [some, parseEther("20")],
    buysBack: true
  })
  return { pools: [pair], announcers: [factory], coins: [] }
}

/** (c) A pair of the published build took up a million of two worthless tokens, and then got the token and the wrapped coin. */
export const renamedPair: Decoy = async (market, token) => {
  const factory = await market.deploy("RenamingFactory")
  const plenty = [await market.deployToken(), await market.deployToken()] as const
  await market.send([
    ...plenty.map((to) => ({ to, name: "transfer", args: [factory, million] })),
    {
      to: factory,
      abi: abiOf("RenamingFactory"),
      name: "open",
      args: [Infrastructure.artifacts().v2Pair.bytecode, token, weth, plenty]
    }
  ])
  const pair = getCreate2Address({
    from: factory,
    salt: keccak256(encodePacked(["address", "address"], [...sorted(token, weth)])),
    bytecodeHash: Pool.v2InitCodeHash()
  })
  await market.give(token, pair, some)
  await market.pay(pair, parseEther("5"))
  return { pools: [pair], announcers: [factory], coins: [] }
}

/** (d) Genuine pairs with two coins that have the functions of the wrapped coin: one gives nothing back, one is made from nothing. */
export const falseCoins: Decoy = async (market, token) => {
  const coins: Array<Address> = []
  const pools: Array<Address> = []
  for (const isBlocked of [true, false]) {
    const coin = await market.deploy("FalseCoin", [isBlocked])
    const pair = await pairOf(market, token, coin)
    await market.give(token, pair, some)
    await market.send([
      { to: coin, abi: abiOf("FalseCoin"), name: "mint", args: [million] },
      { to: coin, abi: abiOf("FalseCoin"), name: "deposit", value: parseEther("5") },
      { to: coin, name: "transfer", args: [pair, million] },
      { to: pair, name: "mint", args: [market.maker] }
    ])
    coins.push(coin)
    pools.push(pair)
  }
  return { pools, announcers: [], coins }
}

/** (d) A genuine pair with the published wrapped coin, code for code, in which the maker has a million that nobody paid in. */
export const forgedCoin: Decoy = async (market, token) => {
  const { weth: artifact } = Infrastructure.artifacts()
  const writes = [{ slot: balanceSlot(market.maker, 3n), value: numberToHex(million, { size: 32 }) }]
  const coin = await market.deploy("ForgedCoin", [await market.keep(artifact.bytecode), writes], parseEther("5"))
  const pair = await pairOf(market, token, coin)
  await market.give(token, pair, some)
  await market.send([
    { to: coin, name: "transfer", args: [pair, million] },
    { to: pair, name: "mint", args: [market.maker] }
  ])
  return { pools: [pair], announcers: [], coins: [coin] }
}

/** (e) A genuine pair with a million of a token that anybody could have made. */
export const worthlessQuote: Decoy = async (market, token) => {
  const quote = await market.deployToken()
  const pair = await pairOf(market, token, quote)
  await market.give(token, pair, some)
  await market.send([
    { to: quote, name: "transfer", args: [pair, million] },
    { to: pair, name: "mint", args: [market.maker] }
  ])
  return { pools: [pair], announcers: [], coins: [] }
}

/** (f) A false exchange with ten times the ether of the genuine pair, in truth, which buys nothing back. */
export const largeTrapPlace: Decoy = async (market, token) => {
  const factory = await falseFactory(market)
  const held = [parseEther("25000"), parseEther("1000")] as const
  const pair = await falsePool(market, factory, token, { said: held, held, buysBack: false })
  return { pools: [pair], announcers: [factory], coins: [] }
}

/** (f) A false exchange with an ether, which buys nothing back. */
export const smallTrapPlace: Decoy = async (market, token) => {
  const factory = await falseFactory(market)
  const held = [parseEther("4000"), parseEther("1")] as const
  const pair = await falsePool(market, factory, token, { said: held, held, buysBack: false })
  return { pools: [pair], announcers: [factory], coins: [] }
}

/** (f) Another factory of the published build, with a pair of the token and an ether, where all that is sold is bought. */
export const smallOpenPlace: Decoy = async (market, token) => {
  const { v2Factory } = Infrastructure.artifacts()
  const nonce = BigInt((await market.sandbox.rpc.call("eth_getTransactionCount", [market.maker, "latest"])) as Hex)
  await market.sandbox.transact({
    from: market.maker,
    data: creationOf(v2Factory, [market.maker]),
    gas: 10_000_000n
  })
  const factory = getContractAddress({ from: market.maker, nonce })
  const pair = await pairOf(market, token, weth, factory)
  await market.give(token, pair, parseEther("4000"))
  await market.pay(pair, parseEther("1"))
  await market.send([{ to: pair, name: "mint", args: [market.maker] }])
  return { pools: [pair], announcers: [factory], coins: [] }
}

/** How many pairs the spam announces; a quarter as many pools of each of the other forms. */
export const spammed = 4_000

/** (g) Thousands of events that name the token, and ten false pairs that hold some of it. */
export const spam: Decoy = async (market, token) => {
  const factory = await falseFactory(market)
  const own = { to: factory, abi: abiOf("FalseFactory") }
  const each = 500
  const pools = Array.from({ length: 10 }, (_, i) => getContractAddress({ from: factory, nonce: BigInt(i + 1) }))
  await market.give(token, market.maker, parseEther("10000"))
  await market.send([
    ...Array.from({ length: spammed / each }, (_, i) => ({
      ...own,
      name: "spam",
      args: [token, BigInt(i * each), BigInt(each)],
      gas: 8_000_000n
    })),
    ...pools.flatMap((pool, i) => [
      { ...own, name: "open", args: [token, weth, million, million, i % 2 === 0], gas: 1_500_000n },
      { to: token, name: "transfer", args: [pool, parseEther("1000")], gas: 200_000n }
    ])
  ])
  return { pools, announcers: [factory], coins: [] }
}

/** (h) Two V3 pools of the published build, by a maker that is no factory: an ether in one tick, and one with a false coin. */
export const strayPools: Decoy = async (market, token) => {
  const build = await market.keep(published().v3Pool.bytecode)
  const falseCoin = await market.deploy("FalseCoin", [true])
  const [announcers, pools]: [Array<Address>, Array<Address>] = [[], []]
  for (const coin of [weth, falseCoin]) {
    const deployer = await market.deploy("PoolDeployer")
    await market.give(token, deployer, some)
    if (coin === weth) await market.pay(deployer, parseEther("1"))
    else
      await market.send([
        { to: coin, abi: abiOf("FalseCoin"), name: "mint", args: [million] },
        { to: coin, name: "transfer", args: [deployer, million] }
      ])
    const isFirst = sorted(token, coin)[0] === getAddress(token)
    // 1.0001^69315 is 1024 to three digits.
    const tick = isFirst ? -69_360 : 69_300
    const range = coin === weth ? [tick, tick + 60] : [-887_220, 887_220]
    const liquidity = coin === weth ? parseEther("2000") : parseEther("500")
    await market.send([
      {
        to: deployer,
        abi: abiOf("PoolDeployer"),
        name: "open",
        args: [build, token, coin, rootOf(token, coin), range, liquidity],
        gas: 12_000_000n
      }
    ])
    announcers.push(deployer)
    pools.push(strayAddress(deployer, token, coin))
  }
  return { pools, announcers, coins: [falseCoin] }
}

const strayAddress = (deployer: Address, token: Address, coin: Address): Address =>
  getCreate2Address({
    from: deployer,
    salt: keccak256(
      encodeAbiParameters(
        [{ type: "address" }, { type: "address" }, { type: "uint24" }],
        [...sorted(token, coin), 3_000]
      )
    ),
    bytecodeHash: Pool.v3InitCodeHash
  })

/**
 * (c) A factory that is the published one, code for code, but for a constructor of the maker's own: at the address of the token and
 * the wrapped coin stands a pair of the published build, which has a worthless token in the coin's place.
 */
export const forgedFactory: Decoy = async (market, token) => {
  const { v2Factory, v2Pair } = Infrastructure.artifacts()
  const build = await market.keep(creationOf(v2Factory, [market.maker]))
  const quote = await market.deployToken()
  const factory = await market.deploy("ForgedFactory", [build, v2Pair.bytecode, token, weth, quote])
  const pair = getCreate2Address({
    from: factory,
    salt: keccak256(encodePacked(["address", "address"], [...sorted(token, weth)])),
    bytecodeHash: Pool.v2InitCodeHash()
  })
  await market.give(token, pair, some)
  await market.send([
    { to: quote, name: "transfer", args: [pair, million] },
    { to: pair, name: "mint", args: [market.maker] }
  ])
  return { pools: [pair], announcers: [factory], coins: [] }
}

/** (h) The published factory of Uniswap V3 where another contract had made the pool of the token and the wrapped coin, of others. */
export const metamorphicFactory: Decoy = async (market, token) => {
  const { v3Factory } = Infrastructure.artifacts()
  const [liar, build, factoryBuild] = [
    await market.keep(`0x${contract("PoolDeployer").creation}`),
    await market.keep(published().v3Pool.bytecode),
    await market.keep(v3Factory.bytecode)
  ]
  const coin = await market.deploy("FalseCoin", [true])
  const metamorphosis = await market.deploy("Metamorphosis")
  const own = { to: metamorphosis, abi: abiOf("Metamorphosis"), gas: 14_000_000n }
  await market.send([{ ...own, name: "make", args: [liar, build, token, weth, coin] }])
  await market.send([{ ...own, name: "finish", args: [factoryBuild] }])
  const cradle = getCreate2Address({
    from: metamorphosis,
    salt: pad("0x0"),
    bytecode: `0x${contract("Cradle").creation}`
  })
  const factory = getContractAddress({ from: cradle, nonce: 1n })
  const pool = strayAddress(factory, token, weth)
  const filler = await market.deploy("PoolDeployer")
  await market.give(token, filler, some)
  const range = [-887_220, 887_220]
  const args = [pool, rootOf(token, weth), range, parseEther("500")]
  await market.send([
    { to: coin, abi: abiOf("FalseCoin"), name: "mint", args: [million] },
    { to: coin, name: "transfer", args: [filler, million] },
    { to: filler, abi: abiOf("PoolDeployer"), name: "fill", args }
  ])
  return { pools: [pool], announcers: [factory], coins: [coin] }
}

/** (i) The published manager of Uniswap V4, code for code, with a pool in its storage that nobody paid into, and five ether. */
export const forgedManager: Decoy = async (market, token) => {
  const { v4Manager } = published()
  const build = await market.keep(creationOf(v4Manager, [market.maker]))
  const key = [Account.nobody, token, 3_000, 60, Account.nobody] as const
  const id = keccak256(
    encodeAbiParameters(
      [{ type: "address" }, { type: "address" }, { type: "uint24" }, { type: "int24" }, { type: "address" }],
      [...key]
    )
  )
  const slot = BigInt(keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "uint256" }], [id, 6n])))
  const root = 32n * 2n ** 96n
  // The tick of 1024, and the fee.
  const packed = root | (69_315n << 160n) | (3_000n << 208n)
  const writes = [
    { slot: numberToHex(slot, { size: 32 }), value: numberToHex(packed, { size: 32 }) },
    { slot: numberToHex(slot + 3n, { size: 32 }), value: numberToHex(parseEther("30000000"), { size: 32 }) }
  ]
  const manager = await market.deploy("ForgedManager", [build, writes, Account.nobody, token, root], parseEther("5"))
  await market.give(token, manager, some)
  return { pools: [manager], announcers: [manager], coins: [] }
}

export const all = {
  falseEvents,
  falsePair,
  renamedPair,
  falseCoins,
  forgedCoin,
  worthlessQuote,
  largeTrapPlace,
  smallTrapPlace,
  smallOpenPlace,
  spam,
  strayPools,
  forgedFactory,
  metamorphicFactory,
  forgedManager
} as const satisfies Readonly<Record<string, Decoy>>

export type Name = keyof typeof all
