/** @internal */

import { Option } from "effect"
import * as Address from "../../domain/Address.js"
import * as Pools from "../market/Pools.js"
import * as MarketReference from "../venue/MarketReference.js"
import { sizes } from "./TradeScene.js"

/**
 * How a token is reached from native coin: its pool, the router that trades in it, and a control token that the same
 * router trades.
 */
export interface TradeRoute {
  readonly pool: Pools.Inspected
  readonly token: Address.Address
  readonly wrapped: Address.Address
  readonly router: MarketReference.Router
  /** By what native coin becomes the quote first; none where the router takes native coin itself. */
  readonly funding: Option.Option<Funding>
  readonly control: Option.Option<MarketReference.ReferencePool>
}

/** The contract that gives the quote for native coin: the wrapped coin itself, which deposits, or a router. */
export interface Funding {
  readonly by: Address.Address
  readonly deposits: boolean
  readonly reserveWrapped: bigint
  readonly reserveQuote: bigint
}

/** The pools of a token that hold both sides, deepest first. */
export const tradeable = ([
  { value: pools },
  { value: reference }
]: Pools.MarketReading): ReadonlyArray<Pools.Inspected> =>
  Pools.deepestFirst(pools, reference).filter(
    (pool) => pool.reserveToken > 0n && pool.reserveQuote > 0n && Option.getOrElse(pool.liquidity, () => 1n) > 0n
  )

/**
 * Whether a pool has enough for its trades to show something. Of less, a sale of a hundredth of the least usual purchase
 * pays nothing, whatever the token allows: then trades refute no claim.
 */
export const canBeTraded = (market: Pools.MarketReading): boolean =>
  tradeable(market).some(({ reserveQuote }) => reserveQuote * sizes.small >= 100n * 1_000_000n)

/** The way into the deepest pool that can be reached from native coin; none where no known router leads into any. */
export const find = (market: Pools.MarketReading, token: Address.Address): Option.Option<TradeRoute> =>
  Option.firstSomeOf(tradeable(market).map((pool) => into(market[1].value, token, pool)))

const into = (
  reference: MarketReference.Reference,
  token: Address.Address,
  pool: Pools.Inspected
): Option.Option<TradeRoute> =>
  Option.gen(function* () {
    const wrapped = Address.checksum(yield* reference.wrapped)
    const router = yield* Option.fromNullable(reference.routers.find((found) => found.exchange === pool.exchange))
    const funding = yield* fundingOf(reference, wrapped, router, pool)
    const control = Option.fromNullable(
      reference.pools.find(
        (candidate) =>
          router.takesNative &&
          candidate.exchange === pool.exchange &&
          candidate.quote.address !== token &&
          candidate.reserveWrapped > 0n &&
          candidate.reserveQuote > 0n
      )
    )
    return { pool, token, wrapped, router, funding, control }
  })

const fundingOf = (
  reference: MarketReference.Reference,
  wrapped: Address.Address,
  router: MarketReference.Router,
  pool: Pools.Inspected
): Option.Option<Option.Option<Funding>> => {
  if (pool.pool.quote !== wrapped) {
    return Option.flatMap(MarketReference.fundingPair(reference, pool.pool.quote), (pair) =>
      Option.map(
        Option.fromNullable(reference.routers.find((found) => found.exchange === pair.exchange)),
        ({ address }) =>
          Option.some({
            by: address,
            deposits: false,
            reserveWrapped: pair.reserveWrapped,
            reserveQuote: pair.reserveQuote
          })
      )
    )
  }
  return Option.some(
    router.takesNative
      ? Option.none()
      : Option.some({ by: wrapped, deposits: true, reserveWrapped: 1n, reserveQuote: 1n })
  )
}
