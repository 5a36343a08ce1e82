/** @internal */

import * as OxHash from "ox/Hash"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Getter from "../Getter.js"

/**
 * What says which pool of a manager is meant: its two currencies in order, of which the zero address is native coin, the fee
 * in hundredths of a basis point, the spacing of its ticks, and its hook, the zero address where there is none.
 *
 * @see https://github.com/Uniswap/v4-core/blob/main/src/types/PoolKey.sol
 */
export interface PoolKey {
  readonly currencies: readonly [Address.Address, Address.Address]
  readonly fee: number
  readonly tickSpacing: number
  readonly hook: Address.Address
}

/** The members of a key, a word each, as the manager hashes them. */
export const words = ({ currencies, fee, hook, tickSpacing }: PoolKey): ReadonlyArray<Hex> => [
  ...currencies.map(Getter.word),
  Getter.word(BigInt(fee)),
  Getter.word(BigInt.asUintN(256, BigInt(tickSpacing))),
  Getter.word(hook)
]

/** The id of a pool: the hash of its key. */
export const idOf = (key: PoolKey): Hex => OxHash.keccak256(Getter.calldata("0x", words(key)))

// Where a manager keeps the state of its pools: https://github.com/Uniswap/v4-core/blob/main/src/libraries/StateLibrary.sol
const poolsSlot = 6n

/** The first storage slot of a pool in its manager. */
export const stateSlot = (id: Hex): Hex => OxHash.keccak256(Getter.calldata(id, [Getter.word(poolsSlot)]))

/** A pool of two currencies without a hook. */
export const plain = (
  a: Address.Address,
  b: Address.Address,
  { fee, tickSpacing }: Pick<PoolKey, "fee" | "tickSpacing">
): PoolKey => ({
  currencies: a.toLowerCase() < b.toLowerCase() ? [a, b] : [b, a],
  fee,
  tickSpacing,
  hook: Address.zero
})

/** The fees and spacings that interfaces propose. */
export const usual: ReadonlyArray<Pick<PoolKey, "fee" | "tickSpacing">> = [
  { fee: 100, tickSpacing: 1 },
  { fee: 500, tickSpacing: 10 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 }
]

/** The fee of a key where the hook sets it. */
export const dynamicFee = 0x80_0000

/**
 * What a hook may do to swaps, by its address and the pool's fee: nothing, where the manager does not call it around them, and
 * the fee is fixed. Any other may stop, tax or reroute them.
 *
 * @see https://github.com/Uniswap/v4-core/blob/main/src/libraries/Hooks.sol the lowest 14 bits of a hook's address
 */
export const isApartFromSwaps = ({ fee, hook }: PoolKey): boolean =>
  fee !== dynamicFee && (BigInt(hook) & aroundSwaps) === 0n

/**
 * The calls around swaps that a pool's manager makes, where it looks at nothing of the answers but that they are answers: the
 * fee is fixed, and the hook may return no amounts. None where there are no such calls, or it looks at more.
 */
export const plainCalls = ({ fee, hook }: PoolKey): ReadonlyArray<"before" | "after"> => {
  const bits = BigInt(hook)
  if (fee === dynamicFee || (bits & returning) !== 0n) return []
  return [
    ...((bits & beforeSwap) === 0n ? [] : (["before"] as const)),
    ...((bits & afterSwap) === 0n ? [] : (["after"] as const))
  ]
}

const [beforeSwap, afterSwap, returning] = [1n << 7n, 1n << 6n, (1n << 3n) | (1n << 2n)]

// What they may return as well.
const aroundSwaps = beforeSwap | afterSwap | returning

/**
 * Whether a hook may refuse that liquidity is taken out, or keep what comes out: the manager calls it before or after, by its
 * address.
 */
export const mayKeepLiquidity = ({ hook }: Pick<PoolKey, "hook">): boolean => (BigInt(hook) & aroundRemovals) !== 0n

// BEFORE_REMOVE_LIQUIDITY and AFTER_REMOVE_LIQUIDITY, without which what the latter returns is not looked at.
const aroundRemovals = (1n << 9n) | (1n << 8n)

/** Whether a hook may swap against liquidity of its own, which is in no position of the manager. */
export const mayHaveLiquidity = ({ hook }: Pick<PoolKey, "hook">): boolean =>
  (BigInt(hook) & swapsItself) === swapsItself

// BEFORE_SWAP and BEFORE_SWAP_RETURNS_DELTA.
const swapsItself = (1n << 7n) | (1n << 3n)
