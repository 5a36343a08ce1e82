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

// BEFORE_SWAP and AFTER_SWAP, and what they may return.
const aroundSwaps = (1n << 7n) | (1n << 6n) | (1n << 3n) | (1n << 2n)
