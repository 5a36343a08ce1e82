import type { Address } from "viem"
import type { Script } from "../chain/Script.js"
import { addresses, artifacts } from "./Infrastructure.js"

/** Liquidity of Uniswap V3 between two ticks, as the arguments of its position manager. */
export interface Position {
  readonly from: Address
  readonly to: Address
  readonly token0: Address
  readonly token1: Address
  /** In hundredths of a basis point. */
  readonly fee: number
  /** What a pool that is not there yet is opened with: the root of the price of `token0` in `token1`, as a Q64.96. */
  readonly sqrtPrice: bigint
  readonly ticks: readonly [lower: number, upper: number]
  readonly amount0: bigint
  readonly amount1: bigint
}

/** Adds a position, and its pool where there is none. */
export const open = (script: Script, position: Position): void => {
  const { amount0, amount1, fee, from, sqrtPrice, ticks, to, token0, token1 } = position
  const manager = { from, to: addresses.uniswapV3PositionManager, contract: artifacts().v3PositionManager }
  script.call({
    ...manager,
    name: "createAndInitializePoolIfNecessary",
    args: [token0, token1, fee, sqrtPrice],
    gas: 6_000_000n
  })
  script.call({
    ...manager,
    name: "mint",
    args: [
      {
        token0,
        token1,
        fee,
        tickLower: ticks[0],
        tickUpper: ticks[1],
        amount0Desired: amount0,
        amount1Desired: amount1,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: to,
        deadline: 2n ** 256n - 1n
      }
    ],
    gas: 1_000_000n
  })
}
