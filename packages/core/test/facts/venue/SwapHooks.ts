import { type Address, parseEther } from "viem"
import * as ManagerWorld from "./ManagerWorld.js"

/** When a swap is made. */
export interface Circumstance {
  /** Seconds since the operator opened the pool. */
  readonly age: number
  /** Seconds since the swap before; undefined where there was none. */
  readonly sinceLast: number | undefined
  /** Whether the sender of the transaction is on the hook's list, where it has one. */
  readonly isListed: boolean
}

/** What becomes of a swap of an exact amount. */
export type Effect =
  | { readonly does: "reverts" }
  | {
      readonly does: "gives"
      /** The fee that stays with the providers, in millionths of what goes in. */
      readonly fee: number
      /** What the hook keeps of what goes in before it is swapped, in millionths. */
      readonly keptOfInput: number
      /** What the hook keeps of what comes out, in millionths. */
      readonly keptOfOutput: number
    }
  /** The hook moves the price before the swap and back after it, at the cost of whoever swaps. */
  | { readonly does: "gives-less" }

/** A hook and what is true of it. */
export interface Description {
  readonly name: string
  readonly isTrap: boolean
  /** What is true, for a reader. */
  readonly says: string
  readonly bits: ReadonlyArray<ManagerWorld.Bit>
  /** Of the pool: of its own, or {@link ManagerWorld.dynamicFee}. */
  readonly fee: number
  readonly buy: (circumstance: Circumstance) => Effect
  readonly sell: (circumstance: Circumstance) => Effect
  readonly removal: "removed" | "reverted"
  /** Whether its constructor and operator make it open at a time. */
  readonly opens: boolean
  readonly balance?: bigint
  /** What is deployed, where it is no contract of `SwapHooks.sol`. */
  readonly build?: (manager: Address) => Pick<ManagerWorld.Hook, "abi" | "args" | "creation">
  /** What its deployer calls before there is a pool. */
  readonly prepare?: (manager: Address, hook: Address) => ReadonlyArray<ManagerWorld.Call>
}

/** Seconds after the opening at which a description is held to the chain. */
export const moments: ReadonlyArray<number> = [1, 20, 60, 600, 3_600, 86_400]

const staticFee = 3_000

/** What a swap does of which the hook may keep a part. */
export const gives =
  (fee: number, kept: { readonly ofInput?: number; readonly ofOutput?: number } = {}) =>
  (): Effect => ({
    does: "gives",
    fee,
    keptOfInput: kept.ofInput ?? 0,
    keptOfOutput: kept.ofOutput ?? 0
  })

const plain = gives(staticFee)

const feeOf =
  (fee: (circumstance: Circumstance) => number) =>
  (circumstance: Circumstance): Effect =>
    gives(fee(circumstance))()

const fallsFromTheTop = feeOf(({ age }) => (age < 20 ? 990_000 - Math.floor((987_000 * age) / 20) : 3_000))
const risesInADay = feeOf(({ age }) => (age < 86_400 ? 3_000 : 900_000))
const bounded = feeOf(({ sinceLast }) => (sinceLast !== undefined && sinceLast < 60 ? 3_000 : 500))

/** The description of a trap: what is not named is as in a pool without a hook and a fee of 0.3 %. */
export const trap = (
  name: string,
  says: string,
  bits: ReadonlyArray<ManagerWorld.Bit>,
  rest: Partial<Description> = {}
): Description => ({
  name,
  isTrap: true,
  says,
  bits,
  fee: staticFee,
  buy: plain,
  sell: plain,
  removal: "removed",
  opens: false,
  ...rest
})

/** The same of a hook that is none. */
export const honest = (...args: Parameters<typeof trap>): Description => ({ ...trap(...args), isTrap: false })

/** Traps. */
export const traps = {
  blocksSales: trap("BlocksSales", "Anyone can buy; a sale reverts, whoever sends it and whenever.", ["beforeSwap"], {
    sell: () => ({ does: "reverts" })
  }),
  listsSellers: trap(
    "ListsSellers",
    "Anyone can buy; a sale reverts unless the transaction is of an account that the operator has listed.",
    ["beforeSwap"],
    { sell: ({ isListed }) => (isListed ? plain() : { does: "reverts" }) }
  ),
  takesByDelta: trap(
    "TakesByDelta",
    "A purchase gives 5 % less and a sale 60 % less, at any time; the token and the fee of the pool show nothing.",
    ["afterSwap", "afterSwapReturnsDelta"],
    { buy: gives(staticFee, { ofOutput: 50_000 }), sell: gives(staticFee, { ofOutput: 600_000 }) }
  ),
  takesByTake: trap(
    "TakesByTake",
    "80 % of what is sold goes to the hook before the rest is swapped, at any time; a purchase gives all.",
    ["beforeSwap", "beforeSwapReturnsDelta"],
    { sell: gives(staticFee, { ofInput: 800_000 }) }
  ),
  feeRisesInADay: trap(
    "FeeRisesInADay",
    "The fee is 0.3 % for a day after the opening and 90 % from then on, for both directions.",
    ["beforeSwap"],
    { fee: ManagerWorld.dynamicFee, buy: risesInADay, sell: risesInADay, opens: true }
  ),
  feeFallsFromTheTop: trap(
    "FeeFallsFromTheTop",
    "The fee is 99 % at the opening and falls evenly to 0.3 % within 20 seconds, for both directions.",
    ["beforeSwap"],
    { fee: ManagerWorld.dynamicFee, buy: fallsFromTheTop, sell: fallsFromTheTop, opens: true }
  ),
  keepsLiquidity: trap(
    "KeepsLiquidity",
    "Swaps are those of a pool without a hook; what providers paid in stays in until the operator opens it.",
    ["beforeRemoveLiquidity"],
    { removal: "reverted" }
  ),
  tradesAround: trap(
    "TradesAround",
    "The hook buys before each purchase with coins of its own and sells after it: a purchase gives less, a sale gives all.",
    ["beforeSwap", "afterSwap"],
    { buy: () => ({ does: "gives-less" }), balance: parseEther("100") }
  )
} as const satisfies Readonly<Record<string, Description>>

/** Hooks that take nothing and stop nothing. */
export const honests = {
  passesSwaps: honest("PassesSwaps", "Does nothing before a swap.", ["beforeSwap"]),
  countsSwaps: honest("CountsSwaps", "Counts swaps and amounts.", ["beforeSwap", "afterSwap"]),
  fillsOrders: honest(
    "FillsOrders",
    "Takes orders that the price crossed out of the pool after the swap; a swap in a pool without orders gives all.",
    ["afterInitialize", "afterSwap"]
  ),
  observesPrice: honest("ObservesPrice", "Writes down time and tick before the first swap of a block.", [
    "afterInitialize",
    "beforeSwap"
  ]),
  boundedFee: honest("BoundedFee", "The fee is 0.05 %, and 0.3 % within a minute of the swap before.", ["beforeSwap"], {
    fee: ManagerWorld.dynamicFee,
    buy: bounded,
    sell: bounded
  }),
  countsProviders: honest(
    "CountsProviders",
    "Only the operator makes pools with it, and it counts what is paid in; no swap calls it.",
    ["beforeInitialize", "afterAddLiquidity"]
  )
} as const satisfies Readonly<Record<string, Description>>

export const all = { ...traps, ...honests }

export type Name = keyof typeof all

/** A token with one pool, which has a hook, and what is true of it. */
export interface Listing {
  readonly token: Address
  readonly hook: Address
  readonly pool: ManagerWorld.Pool
  readonly description: Description
}

/** 100,000 tokens for 100 ether: a thousand tokens cost an ether. */
export const amounts = { token: parseEther("100000"), quote: parseEther("100") }

/** Of the pools of a list: 100 ether and 100,000 tokens where nothing is named. */
export interface ListOptions {
  readonly quote?: NonNullable<ManagerWorld.PoolOptions["quote"]>
  readonly amounts?: ManagerWorld.PoolOptions["amounts"]
}

/**
 * Deploys a token for each description, places its hook and opens a pool of both. The newest block is then the one in which
 * those with a time were opened, so their age at the head is 0.
 */
export const listDescribed = async (
  world: ManagerWorld.ManagerWorld,
  described: ReadonlyArray<Description>,
  options: ListOptions = {}
): Promise<ReadonlyArray<Listing>> => {
  const tokens = await world.deployTokens(described.length)
  const hooks = await world.placeHooks(
    described.map(({ balance, bits, build, name }, i) => {
      const token = tokens[i] as Address
      if (build === undefined)
        return ManagerWorld.own(name, { label: token, bits, args: [world.manager, token], balance })
      return { ...build(world.manager), name: `${name} ${token}`, bits, balance }
    })
  )
  await world.send(described.flatMap(({ prepare }, i) => prepare?.(world.manager, hooks[i] as Address) ?? []))
  const pools = await world.createPools(
    described.map(({ fee }, i) => ({
      amounts,
      ...options,
      token: tokens[i] as Address,
      hook: hooks[i] as Address,
      fee
    }))
  )
  const listings = described.map((description, i) => ({
    token: tokens[i] as Address,
    hook: hooks[i] as Address,
    pool: pools[i] as ManagerWorld.Pool,
    description
  }))
  await open(world, listings)
  return listings
}

/** {@link listDescribed} by names. */
export const list = async <N extends Name>(
  world: ManagerWorld.ManagerWorld,
  names: ReadonlyArray<N>,
  options: ListOptions = {}
): Promise<Readonly<Record<N, Listing>>> => {
  const listings = await listDescribed(
    world,
    names.map((name) => all[name]),
    options
  )
  return Object.fromEntries(names.map((name, i) => [name, listings[i]])) as unknown as Readonly<Record<N, Listing>>
}

/** Has the operator open those that have a time anew: their age at the head is 0 then. */
export const open = (world: ManagerWorld.ManagerWorld, listings: ReadonlyArray<Listing>): Promise<void> => {
  const opening = listings.filter(({ description }) => description.opens)
  if (opening.length === 0) return Promise.resolve()
  return world.send(
    opening.map(({ description, hook }) => ({
      to: hook,
      abi: ManagerWorld.abiOf(description.name),
      name: "open",
      gas: 100_000n
    }))
  )
}

/** What a swap of an exact amount gives by an effect, to the unit; undefined where no amount is stated. */
export const received = (
  effect: Effect,
  state: ManagerWorld.State,
  { amount, zeroForOne }: { readonly amount: bigint; readonly zeroForOne: boolean }
): bigint | undefined => {
  if (effect.does !== "gives") return undefined
  const kept = (of: bigint, millionths: number): bigint => (of * BigInt(millionths)) / 1_000_000n
  const input = amount - kept(amount, effect.keptOfInput)
  const out = ManagerWorld.quoteOf(state, { amount: input, fee: effect.fee, zeroForOne })
  return out - kept(out, effect.keptOfOutput)
}
