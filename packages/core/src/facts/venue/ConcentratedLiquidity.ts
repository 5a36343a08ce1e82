/** @internal */

import { BigInt as BigInts } from "effect"

/**
 * Liquidity between two ticks of a Uniswap V3 pool.
 *
 * @see https://uniswap.org/whitepaper-v3.pdf 6.2
 */
export interface Range {
  readonly lower: number
  readonly upper: number
  readonly liquidity: bigint
}

/** An amount of each side of a pool, in their smallest units. */
export interface Amounts {
  readonly quote: bigint
  readonly token: bigint
}

/** Which side of a pool is the first of its two tokens, which sets the direction of its price. */
export type Sides = "token-first" | "quote-first"

// The square root of four.
const far = 2n

/**
 * The value of a range near a price: what it pays of the quote while the token falls to a quarter of its price, and of
 * the token while it rises to four times the price. Liquidity further away does not help a seller. `price` is the
 * square root of how much of the pool's second token one of its first is worth, with 96 binary places.
 */
export const near = (price: bigint, sides: Sides, range: Range): Amounts => {
  const [from, to] = [sqrtPriceAt(range.lower), sqrtPriceAt(range.upper)]
  const falling = secondOf(range.liquidity, BigInts.max(from, price / far), BigInts.min(to, price))
  const rising = firstOf(range.liquidity, BigInts.max(from, price), BigInts.min(to, price * far))
  return sides === "token-first" ? { quote: falling, token: rising } : { quote: rising, token: falling }
}

/**
 * The state of a pool: its square root price with 96 binary places, the liquidity in range, and ranges around the price with
 * the liquidity in each.
 */
export interface PoolState {
  readonly price: bigint
  readonly liquidity: bigint
  readonly ranges: ReadonlyArray<Range>
}

/** The value of all ranges of a pool {@link near} its price. */
export const nearOf = ({ price, ranges }: PoolState, sides: Sides): Amounts => {
  const all = ranges.map((range) => near(price, sides, range))
  return {
    quote: BigInts.sumAll(all.map(({ quote }) => quote)),
    token: BigInts.sumAll(all.map(({ token }) => token))
  }
}

/**
 * What a pool of Uniswap V2 would hold of the quote that pays as much while the token falls to a quarter: half of what it
 * holds.
 */
export const asPair = ({ quote }: Amounts): bigint => far * quote

/** The same of both sides, where the price can fall and rise. */
export const asReserves = ({ quote, token }: Amounts): Amounts => ({ quote: far * quote, token: far * token })

/**
 * The reserves of a pair with the same liquidity as a pool has in range at its price, wherever the range ends: the
 * virtual reserves of the whitepaper, 2.1.
 */
export const virtual = (price: bigint, sides: Sides, liquidity: bigint): Amounts => {
  const [first, second] = [price === 0n ? 0n : (liquidity << 96n) / price, (liquidity * price) >> 96n]
  return sides === "token-first" ? { quote: second, token: first } : { quote: first, token: second }
}

/**
 * A pool's balances, at most what its liquidity in range has at its price: liquidity away from the price, and tokens
 * that were sent to the pool, are not tradeable.
 */
export const inRange = (price: bigint, sides: Sides, liquidity: bigint, held: Amounts): Amounts => {
  const most = virtual(price, sides, liquidity)
  return { quote: BigInts.min(held.quote, most.quote), token: BigInts.min(held.token, most.token) }
}

/** Whitepaper, 6.14 and 6.16: L (sqrt(b) - sqrt(a)). */
const secondOf = (liquidity: bigint, from: bigint, to: bigint): bigint =>
  from >= to ? 0n : (liquidity * (to - from)) >> 96n

/** The same of the first token: L (1 / sqrt(a) - 1 / sqrt(b)). */
const firstOf = (liquidity: bigint, from: bigint, to: bigint): bigint =>
  from >= to || from === 0n ? 0n : ((liquidity << 96n) * (to - from)) / (from * to)

/**
 * A square root price, with 96 binary places, as of a pool with its sides in another order. Native coin comes first in a
 * pool, and the wrapped coin, which stands for it, need not.
 */
export const priceAs = (price: bigint, { from, to }: { readonly from: Sides; readonly to: Sides }): bigint =>
  from === to ? price : price === 0n ? 0n : (1n << 192n) / price

const lastTick = 887_272

// https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/TickMath.sol: 1 / sqrt(1.0001 ^ (2 ^ i)), with 128
// binary places.
const powers: ReadonlyArray<bigint> = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n
]

/**
 * The square root of the price at a tick, with 96 binary places, as Uniswap's `TickMath` rounds it; ticks beyond the
 * last count as the last.
 *
 * @see https://github.com/Uniswap/v3-core/blob/main/contracts/libraries/TickMath.sol
 */
export const sqrtPriceAt = (tick: number): bigint => {
  const distance = Math.min(Math.abs(tick), lastTick)
  const ratio = powers.reduce(
    (product, power, bit) => ((distance >> bit) % 2 === 1 ? (product * power) >> 128n : product),
    1n << 128n
  )
  const whole = tick > 0 ? (2n ** 256n - 1n) / ratio : ratio
  return (whole >> 32n) + (whole % (1n << 32n) === 0n ? 0n : 1n)
}
