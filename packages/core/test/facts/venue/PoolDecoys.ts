import { Account, Infrastructure } from "@assay/sandbox"
import { type Address, encodeDeployData, type Hex, keccak256, parseEther, toHex } from "viem"
import * as Fixture from "../../Fixture.js"
import * as ManagerWorld from "./ManagerWorld.js"
import * as SwapHooks from "./SwapHooks.js"

// Pools that look like more, or less, than they are.

/** Topic 0 of the event that announces a pool. */
export const announced: Hex = keccak256(toHex("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)"))

/** 1 ether and a thousand tokens. */
export const small = { token: parseEther("1000"), quote: parseEther("1") }

/** 300 ether and 300,000 tokens. */
export const large = { token: parseEther("300000"), quote: parseEther("300") }

/** A token without a hook and its one pool. */
export const plain = async (
  world: ManagerWorld.ManagerWorld,
  amounts: ManagerWorld.PoolOptions["amounts"] = SwapHooks.amounts
): Promise<ManagerWorld.Pool> => {
  const [token] = await world.deployTokens(1)
  return world.createPool({ token: token as Address, amounts })
}

/** What announces pools that are in no manager of V4. */
export interface FalseEvents {
  /** Emits the event and has nothing to read. */
  readonly emitter: Address
  /** Emits it and answers `extsload` with a price, and with liquidity that nobody paid in. */
  readonly falseManager: Address
  /** Of the pool that both announce. */
  readonly key: ManagerWorld.PoolKey
}

/** Has two contracts announce a pool of a token, each with the key of a pool that could be. */
export const falseEvents = async (world: ManagerWorld.ManagerWorld, token: Address): Promise<FalseEvents> => {
  const { abi, creation } = Fixture.readDeployed("facts", "SwapHooks.sol")("FalseManager")
  const [emitter, falseManager] = ["emitter", "manager"].map((name) =>
    Account.keyless(`false ${name} of ${token}`)
  ) as [Address, Address]
  await Infrastructure.place(
    world.sandbox.rpc,
    [emitter, falseManager].map((address) => ({
      address,
      creation: encodeDeployData({ abi, bytecode: `0x${creation}` }),
      from: world.sandbox.accounts.thief
    }))
  )
  const key = { currency0: ManagerWorld.native, currency1: token, fee: 500, tickSpacing: 10, hooks: Account.nobody }
  // A thousand tokens for an ether, and more of it than there is.
  const price = 31n * 2n ** 96n
  await world.send([
    { to: emitter, abi, name: "pretend", args: [key, price, 0] },
    { to: falseManager, abi, name: "pretendDeep", args: [key, price, 10n ** 27n] }
  ])
  return { emitter, falseManager, key }
}

/** A pool of a token with another one that anybody could have made, a million of it: deep in nothing. */
export const worthlessQuote = async (
  world: ManagerWorld.ManagerWorld,
  token: Address
): Promise<{ readonly quote: Address; readonly pool: ManagerWorld.Pool }> => {
  const [quote] = (await world.deployTokens(1)) as [Address]
  const amounts = { token: parseEther("200000"), quote: parseEther("900000") }
  return { quote, pool: await world.createPool({ token, quote, amounts }) }
}

/** A pool of one tick on each side of the price: far more liquidity in range than the others, and a tenth of an ether. */
export const narrow = (world: ManagerWorld.ManagerWorld, token: Address): Promise<ManagerWorld.Pool> =>
  world.createPool({
    token,
    fee: 100,
    tickSpacing: 1,
    ticksAround: 1,
    amounts: { token: parseEther("100"), quote: parseEther("0.1") }
  })

/** Many pools of a token, one in two empty and the others with dust. */
export const spam = (
  world: ManagerWorld.ManagerWorld,
  token: Address,
  count = 40
): Promise<ReadonlyArray<ManagerWorld.Pool>> =>
  world.createPools(
    Array.from({ length: count }, (_, i) => ({
      token,
      fee: 10_000 + i,
      tickSpacing: 200,
      amounts: { token: 1_000_000n, quote: 1_000n },
      ...(i % 2 === 0 ? { liquidity: 0n } : {})
    }))
  )

/** A token with a pool that has a hook and one that has none. */
export const beside = async (
  world: ManagerWorld.ManagerWorld,
  name: SwapHooks.Name,
  amounts: { readonly hooked: ManagerWorld.PoolOptions["amounts"]; readonly plain: ManagerWorld.PoolOptions["amounts"] }
): Promise<{ readonly listing: SwapHooks.Listing; readonly plain: ManagerWorld.Pool }> => {
  const { [name]: listing } = await SwapHooks.list(world, [name], { amounts: amounts.hooked })
  const pool = await world.createPool({ token: listing.token, amounts: amounts.plain })
  await SwapHooks.open(world, [listing])
  return { listing, plain: pool }
}
