/** @internal */

import { Option } from "effect"
import type { StateOverride } from "../../chain/state/ChainState.js"
import type * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as SceneSeed from "../../domain/SceneSeed.js"
import * as Getter from "../Getter.js"
import * as Pools from "../market/Pools.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import type { ManagerPool } from "../venue/ManagerPools.js"
import * as Market from "../venue/Market.js"
import * as MarketReference from "../venue/MarketReference.js"
import * as PoolKey from "../venue/PoolKey.js"
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
  /**
   * The code of the router, and init code that makes such a router before it trades; none where the router is the chain's.
   * Nothing but a contract that a manager calls back can trade in its pools, and the exchange's own differs by chain. It
   * stands where the exchange's does, because a hook may require that.
   */
  readonly ours: Option.Option<{ readonly router: Hex; readonly trade: Hex }>
}

/** The state overrides that a route needs: the code of a router that is not the chain's. */
export const overridesOf = ({ ours, router: { address } }: Pick<TradeRoute, "ours" | "router">): StateOverride =>
  Option.match(ours, { onNone: () => ({}), onSome: ({ router }) => ({ [address]: { code: router } }) })

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
  Option.firstSomeOf(
    tradeable(market).map((pool) =>
      Option.match(pool.key, {
        onNone: () => into(market[1].value, token, pool),
        onSome: (key) => intoManager(market, token, pool, key)
      })
    )
  )

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
    return { pool, token, wrapped, router, funding, control, ours: Option.none() }
  })

const intoManager = (
  [, { value: reference }, , managed]: Pools.MarketReading,
  token: Address.Address,
  pool: Pools.Inspected,
  key: PoolKey.PoolKey
): Option.Option<TradeRoute> =>
  Option.gen(function* () {
    const wrapped = Address.checksum(yield* reference.wrapped)
    const { codes, controls, exchange } = yield* Option.fromNullable(
      managed.find((each) => each.exchange === pool.exchange)
    )
    const address =
      exchange.router === undefined
        ? SceneSeed.account({ token, blockHash: token }, SceneSeed.accounts.router)
        : Address.checksum(exchange.router)
    const router = { exchange, address, takesNative: true, deadline: false }
    const funding = yield* fundingOf(reference, wrapped, router, pool)
    const others = controls.flatMap((each) => Option.toArray(controlIn(reference, wrapped, token, exchange, each)))
    const control = others.reduce<(typeof others)[number] | undefined>(
      (deepest, each) =>
        deepest !== undefined && deepest[0].reserveWrapped >= each[0].reserveWrapped ? deepest : each,
      undefined
    )
    const words = [
      ...[key, ...(control === undefined ? [] : [control[1]])].flatMap(PoolKey.words),
      ...[exchange.manager, wrapped].map(Getter.word),
      Getter.word(control === undefined ? 1n : 2n)
    ]
    return {
      pool,
      token,
      wrapped,
      router,
      funding,
      control: Option.map(Option.fromNullable(control), ([of]) => of),
      ours: Option.some({ router: Getter.calldata(codes.router, words), trade: codes.trade })
    }
  })

/** A pool of a manager that trades can be compared with; none without a price and without liquidity on both sides. */
const controlIn = (
  reference: MarketReference.Reference,
  wrapped: Address.Address,
  token: Address.Address,
  exchange: AddressBook.ManagerExchange,
  { key, state }: ManagerPool
): Option.Option<readonly [MarketReference.ReferencePool, PoolKey.PoolKey]> => {
  const coin = key.currencies.find((currency) => currency === Address.zero || currency === wrapped)
  const other = key.currencies.find((currency) => currency !== coin)
  const quote = reference.dollars.find(({ address }) => Address.checksum(address) === other)
  if (coin === undefined || quote === undefined || other === token) return Option.none()
  // A control's own sides: it is bought with the coin.
  const order = key.currencies[0] === other ? "token-first" : "quote-first"
  const { quote: ofCoin, token: ofOther } = ConcentratedLiquidity.asReserves(ConcentratedLiquidity.nearOf(state, order))
  const price = ConcentratedLiquidity.priceAs(state.price, {
    from: order,
    to: Market.sidesOf(quote.address, wrapped)
  })
  return ofCoin === 0n || ofOther === 0n || !PoolKey.isApartFromSwaps(key)
    ? Option.none()
    : Option.some([
        {
          exchange,
          address: Address.checksum(exchange.manager),
          quote,
          fee: key.fee,
          reserveWrapped: ofCoin,
          reserveQuote: ofOther,
          price: Option.some(price)
        },
        key
      ])
}

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
