/** @internal */

import { BigInt as BigInts, Option } from "effect"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import type * as MarketReference from "../venue/MarketReference.js"
import type { Funding, TradeRoute } from "./TradeRoute.js"
import { sizes } from "./TradeScene.js"

/**
 * The native coin, in wei, that buys some millionths of the pool's quote side; two for the large one where that is
 * nothing, so that it stays another size than the small one.
 */
export const nativeFor = (route: TradeRoute, millionths: bigint): bigint => {
  const quote = (route.pool.reserveQuote * millionths) / 1_000_000n
  const native = Option.match(route.funding, {
    onNone: () => quote,
    // A deep pool may be funded through a shallow one: at most a hundredth of the shallow one is taken.
    onSome: ({ deposits, reserveQuote, reserveWrapped }) =>
      deposits ? quote : BigInts.min((quote * reserveWrapped) / reserveQuote, reserveWrapped / 100n)
  })
  const least = millionths < sizes.large ? 1n : 2n
  return BigInts.max(native, least)
}

/**
 * What a pool would pay for an amount of the token at its price, in the quote, the fee left out. A pool of Uniswap V3
 * pays as a pair of its liquidity at this price would, and no more than it has.
 *
 * @see https://uniswap.org/whitepaper-v3.pdf 6.2.1: the virtual reserves are L / sqrt(P) and L * sqrt(P)
 */
export const worthOf = ({ pool }: Pick<TradeRoute, "pool">, amount: bigint): bigint => {
  const paid = (ofToken: bigint, ofQuote: bigint) => (amount * ofQuote) / atLeastOne(ofToken + amount)
  return Option.match(Option.all([pool.price, pool.liquidity]), {
    onNone: () => paid(pool.reserveToken, pool.reserveQuote),
    onSome: ([price, liquidity]) => {
      const virtual = ConcentratedLiquidity.virtual(price, pool.sides, liquidity)
      return BigInts.min(paid(virtual.token, virtual.quote), pool.reserveQuote)
    }
  })
}

/** The native coin, in wei, that a control trade spends. */
export const controlSpend = (control: MarketReference.ReferencePool): bigint =>
  atLeastOne(control.reserveWrapped / 1_000n)

/** An amount, or one where there is nothing of it: no exchange takes nothing. */
export const atLeastOne = (amount: bigint): bigint => BigInts.max(amount, 1n)

/**
 * What a deposit or a swap gives for native coin at the least, with room for a fee above any that is in use and for the
 * control.
 */
export const funded = (funding: Funding, native: bigint): bigint =>
  funding.deposits
    ? native
    : atLeastOne((98n * native * funding.reserveQuote) / (100n * (funding.reserveWrapped + native)))

/**
 * What a pool promises at its price, a tenth less for the fee and for the ticks that the purchase may cross.
 *
 * @see https://docs.uniswap.org/sdk/v3/guides/advanced/price-oracle token1 per token0 is (price / 2^96)^2
 */
export const promisedByPrice = (sides: ConcentratedLiquidity.Sides, price: bigint, paid: bigint): bigint => {
  const square = price * price
  const amount = sides === "token-first" ? (paid << 192n) / (square || 1n) : (paid * square) >> 192n
  return (amount * 9n) / 10n
}
