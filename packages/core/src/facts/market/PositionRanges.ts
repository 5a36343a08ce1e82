/** @internal */

import { Option } from "effect"
import type { Log } from "../../chain/state/ChainState.js"
import type * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Getter from "../Getter.js"
import type * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"

/**
 * What is left of the liquidity that an owner put between two ticks of a Uniswap V3 pool; less than nothing where
 * deposits are missing. The owner is the position manager, or an account that called the pool directly.
 */
export interface OwnedRange {
  readonly owner: Address.Address
  readonly range: ConcentratedLiquidity.Range
}

// https://github.com/Uniswap/v3-core/blob/main/contracts/interfaces/pool/IUniswapV3PoolEvents.sol
/** The first topic of the event that puts liquidity in. */
export const mint = Selectors.topic("Mint(address,address,int24,int24,uint128,uint256,uint256)")
const burn = Selectors.topic("Burn(address,int24,int24,uint128,uint256,uint256)")

/** The first topics of the events that put liquidity in and take it out. */
export const events: ReadonlyArray<Hex> = [mint, burn]

/** Whether an event of a pool put liquidity in. */
export const isDeposit = (log: Log): boolean => log.topics[0] === mint

/** What the events of a pool left in each range, by owner and ticks. */
export const of = (logs: ReadonlyArray<Log>): ReadonlyMap<string, OwnedRange> => {
  const ranges = new Map<string, OwnedRange>()
  for (const log of logs) {
    const owner = Option.flatMap(Option.fromNullable(log.topics[1]), Getter.addressOfWord)
    if (Option.isNone(owner)) continue
    const key = keyOf(log)
    const before = ranges.get(key)?.range.liquidity ?? 0n
    const amount = amountOf(log)
    const liquidity = isDeposit(log) ? before + amount : before - amount
    ranges.set(key, { owner: owner.value, range: { ...ticksOf(log), liquidity } })
  }
  return ranges
}

/** What a deposit put in, and no more than is left of its range where that is known. */
export const ofDeposit = (log: Log, ranges: ReadonlyMap<string, OwnedRange>): ConcentratedLiquidity.Range => {
  const amount = amountOf(log)
  const left = ranges.get(keyOf(log))?.range.liquidity ?? amount
  return { ...ticksOf(log), liquidity: left < amount ? left : amount }
}

/** The tick in a word: 24 bits with a sign. */
export const tickOf = (word: bigint): number => Number(BigInt.asIntN(24, word))

const keyOf = ({ topics: [, owner, lower, upper] }: Log): string => `${owner} ${lower} ${upper}`

const ticksOf = ({ topics: [, , lower, upper] }: Log): Pick<ConcentratedLiquidity.Range, "lower" | "upper"> => ({
  lower: tickOf(BigInt(lower ?? "0x0")),
  upper: tickOf(BigInt(upper ?? "0x0"))
})

/** Whoever called the pool is named before the amount where it is put in. */
const amountOf = (log: Log): bigint => {
  const start = isDeposit(log) ? 66 : 2
  const word = log.data.slice(start, start + 64)
  return word.length === 64 ? BigInt(`0x${word}`) : 0n
}
