import type { Address } from "viem"
import { getContractAddress, parseEther } from "viem/utils"
import { burnt } from "../chain/Account.js"
import * as Artifact from "../chain/Artifact.js"
import { addresses, artifacts } from "../market/Infrastructure.js"
import { onV3 } from "../market/Liquidity.js"
import * as Pool from "../market/Pool.js"
import * as Position from "../market/Position.js"
import type { Made, Stage } from "../Stage.js"
import { type Claims, no, none, undecidable, yes } from "../truth/Claim.js"
import { holders, plainClaims, supply } from "./Specimens.js"

const forever = 2n ** 256n - 1n

// Of each fee of Uniswap V3, in hundredths of a basis point: how many ticks lie between two that can be used.
const spacings = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const

type Fee = keyof typeof spacings

const percent = (part: number): bigint => (supply * BigInt(part * 100)) / 10_000n

// Ticks below and above the price that a pool is opened with, in which a position holds quote or tokens only.
const rightBelow = [-36_000, -200] as const
const farBelow = [-180_000, -150_000] as const
const above = [200, 36_000] as const

/**
 * Puts plain tokens on the chain with a deceptive market: one that looks deeper than it is, or liquidity that looks out
 * of its owner's reach; and one with an honest market.
 */
export const write = ({ script, accounts, approve, launch }: Stage) => {
  const { deployer, issuer, trader1 } = accounts
  const { uniswapV3PositionManager: manager, weth } = addresses
  const plain = Artifact.own("PlainToken")

  const give = (token: Address, to: Address, amount: bigint, from: Address = deployer): void =>
    script.call({ from, to: token, contract: plain, name: "transfer", args: [to, amount], gas: 150_000n })

  const token = (name: string, symbol: string): Address => {
    const made = script.deploy({ from: deployer, contract: plain, args: [name, symbol, supply] })
    approve(deployer, made, manager, forever)
    return made
  }

  const spread = (made: Address): Address => {
    for (const to of holders) give(made, to, percent(2.8))
    return made
  }

  const wrap = (from: Address, ether: bigint): void => {
    script.call({ from, to: weth, contract: artifacts().weth, name: "deposit", value: ether })
    approve(from, weth, manager, forever)
  }

  /** Puts liquidity into a pool at the price of 43 % of the supply for 100 ether, between ticks beside that price. */
  const provide = (
    made: Address,
    options: {
      readonly to: Address
      readonly ether: bigint
      readonly tokens: bigint
      readonly from?: Address
      readonly fee?: Fee
      readonly ticks?: readonly [number, number]
    }
  ): void => {
    const { ether, fee = 3000, from = deployer, ticks, to, tokens } = options
    const isFirst = made.toLowerCase() < weth.toLowerCase()
    const [token0, token1] = isFirst ? [made, weth] : [weth, made]
    const ratio = isFirst ? 100 / 430_000 : 430_000 / 100
    const spacing = spacings[fee]
    const usable = (tick: number): number => Math.floor(tick / spacing) * spacing
    const last = usable(887_272)
    const beside = (tick: number): number => usable(Math.log(ratio) / Math.log(1.0001) + tick)
    // What is below the price of the token is above that of the other.
    const between = ([low, high]: readonly [number, number]): readonly [number, number] =>
      isFirst ? [beside(low), beside(high)] : [beside(-high), beside(-low)]
    const [amount0, amount1] = isFirst ? [tokens, ether] : [ether, tokens]
    const sqrtPrice = BigInt(Math.floor(Math.sqrt(ratio) * 2 ** 32)) << 64n
    Position.open(script, {
      from,
      to,
      token0,
      token1,
      fee,
      sqrtPrice,
      ticks: ticks === undefined ? [-last, last] : between(ticks),
      amount0,
      amount1
    })
  }

  wrap(deployer, parseEther("600"))
  wrap(trader1, parseEther("700"))
  script.seal()

  const parked = spread(token("Yarrow", "YRRW"))
  provide(parked, { to: burnt, ether: parseEther("1"), tokens: percent(0.43) })
  provide(parked, { to: deployer, ether: parseEther("99"), tokens: 0n, ticks: farBelow })
  provide(parked, { to: deployer, ether: 0n, tokens: percent(42.5), ticks: above })

  const beside = spread(token("Tansy", "TNSY"))
  provide(beside, { to: burnt, ether: parseEther("1"), tokens: percent(0.43) })
  provide(beside, { to: deployer, ether: parseEther("99"), tokens: 0n, ticks: rightBelow })
  provide(beside, { to: deployer, ether: 0n, tokens: percent(42.5), ticks: above })
  script.seal()

  const borrowed = spread(token("Betony", "BTNY"))
  give(borrowed, trader1, percent(43))
  approve(trader1, borrowed, manager, forever)
  provide(borrowed, { to: burnt, ether: parseEther("0.1"), tokens: percent(0.05) })
  provide(borrowed, { from: trader1, to: trader1, ether: parseEther("95"), tokens: percent(42) })

  const kept = spread(token("Self-heal", "SLFH"))
  const keeper = script.deploy({ from: deployer, contract: Artifact.own("PositionKeeper"), args: [issuer] })
  provide(kept, { to: keeper, ether: parseEther("100"), tokens: percent(43) })

  const burned = spread(token("Agrimony", "AGRM"))
  provide(burned, { to: burnt, ether: parseEther("100"), tokens: percent(43) })
  script.seal()

  const scattered = token("Meadowsweet", "MDSW")
  const scatteredPair = launch(scattered, { shares: deployer, amount: percent(8.6), ether: parseEther("20") })
  const fees = [100, 500, 3000, 10000] as const satisfies ReadonlyArray<Fee>
  for (const fee of fees) provide(scattered, { fee, to: deployer, ether: parseEther("20"), tokens: percent(8.6) })

  const shadowed = token("Comfrey", "CMFR")
  const shadowedPair = launch(shadowed, { shares: deployer, amount: percent(8), ether: parseEther("18.6") })
  give(shadowed, trader1, percent(1))
  approve(trader1, shadowed, manager, forever)
  provide(shadowed, { from: trader1, to: burnt, ether: parseEther("0.01"), tokens: percent(0.01) })
  provide(shadowed, { from: trader1, to: burnt, ether: parseEther("500"), tokens: 0n, ticks: farBelow })
  give(shadowed, burnt, percent(35))
  script.seal()

  // The pair has to know its factory and the token, and both of them the pair.
  const vouchedPair = getContractAddress({ from: deployer, nonce: BigInt(script.nonce(deployer) + 2) })
  const vouched = script.deploy({
    from: deployer,
    contract: Artifact.own("MispairedToken"),
    args: ["Bugle", "BGLE", supply, vouchedPair]
  })
  const voucher = script.deploy({ from: deployer, contract: Artifact.own("VouchingFactory"), args: [vouchedPair] })
  script.deploy({ from: deployer, contract: Artifact.own("FakePair"), args: [voucher, vouched, weth] })
  script.seal()

  const insiders = (because: string): Claims => ({ "liquidity.held-by-insiders": yes(because) })

  const targets = {
    parkedV3: onV3(
      parked,
      "a pool of Uniswap V3 that pays one ether, with 99 parked where the token is worth nothing",
      {},
      { "liquidity.thin": yes("it pays about an ether until the token has lost three quarters of its price") }
    ),
    besideV3: onV3(
      beside,
      "a burned position of one ether over all prices, and 99 ether of the deployer right below the price",
      insiders("the deployer takes out 99 of 100 ether")
    ),
    borrowedV3: onV3(
      borrowed,
      "opened with a burned position of next to nothing, and filled by an account that nobody names",
      insiders("one key takes out nearly all"),
      { "liquidity.thin": no("95 ether on the one side") }
    ),
    keptV3: onV3(
      kept,
      "the only position lies in a contract whose owner takes it out when he likes",
      insiders("the owner of the contract that has the position takes it out")
    ),
    burnedV3: onV3(burned, "the only position is burned", {
      "liquidity.held-by-insiders": no("nobody can use the position"),
      "liquidity.locked": none("no locker has a position")
    }),
    scattered: {
      address: scattered,
      pair: scatteredPair,
      description: "five pools of equal depth, all of them the deployer's",
      claims: {
        ...plainClaims,
        "liquidity.held-by-insiders:pair": yes("the deployer takes out this pool and the four others"),
        ...Object.fromEntries(
          fees.map((fee) => [
            `liquidity.held-by-insiders:${Pool.v3Address(scattered, weth, fee)}`,
            yes("the deployer takes out this pool and the four others")
          ])
        )
      }
    },
    shadowed: {
      address: shadowed,
      pair: shadowedPair,
      description: "the deployer's pair beside a pool that holds more and pays next to nothing",
      claims: {
        ...plainClaims,
        "liquidity.held-by-insiders:pair": yes("the deployer takes out what the token can be sold for")
      }
    },
    vouchedPool: {
      address: vouched,
      description: "names a pair that a factory of its deployer's vouches for",
      claims: {
        "liquidity.fake-pool": undecidable("whoever wrote the pair wrote the factory"),
        "liquidity.pools": no("no exchange has a pool of it"),
        "trade.route": no("no exchange has a pool of it")
      }
    }
  } as const satisfies Readonly<Record<string, Made>>

  return { targets }
}

/** The name of a target of this module. */
export type Name = keyof ReturnType<typeof write>["targets"]
