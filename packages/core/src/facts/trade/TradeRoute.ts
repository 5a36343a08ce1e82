/** @internal */

import { Option } from "effect"
import type { StateOverride } from "../../chain/state/ChainState.js"
import type * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
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
 * router trades. `wrapped` is the zero address where the market has native coin itself.
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
   * A router of ours, with its code, and init code that makes such a router before it trades; none where the chain's own do all.
   *
   * - In the pools of a manager nothing but a contract that it calls back can trade, and the exchange's own router differs by
   *   chain. Ours stands where the exchange's does, because a hook may require that.
   * - In other pools it trades where no router of the exchange is known, and funds purchases there.
   */
  readonly ours: Option.Option<MarketReference.RouterCodes & { readonly address: Address.Address }>
}

/** The state overrides that a route needs: the code of a router that is not the chain's. */
export const overridesOf = ({ ours }: Pick<TradeRoute, "ours">): StateOverride =>
  Option.match(ours, { onNone: () => ({}), onSome: ({ address, router }) => ({ [address]: { code: router } }) })

/** Whether a token meets a router of ours where another would be the exchange's own. */
export const isOursAlone = ({ ours, pool }: Pick<TradeRoute, "ours" | "pool">): boolean =>
  Option.isSome(ours) && Option.isNone(pool.key)

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
    const known = MarketReference.routerOf(reference, pool.exchange)
    const made = Option.isSome(known) ? Option.none() : oursFor(reference, token, wrapped, pool)
    const router = yield* Option.orElse(known, () => Option.map(made, ({ as }) => as))
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
    return { pool, token, wrapped, router, funding, control, ours: Option.map(made, ({ ours }) => ours) }
  })

/**
 * A router of ours in the place of one that is not known, at a fresh account's address: for the exchange of a pool, and for the
 * pairs that it is funded by.
 */
const oursFor = (
  reference: MarketReference.Reference,
  token: Address.Address,
  wrapped: Address.Address,
  { exchange, pool }: Pools.Inspected
) =>
  Option.map(reference.ours, (codes) => {
    const address = SceneSeed.account({ token, blockHash: token }, SceneSeed.accounts.router)
    const funding = Option.map(MarketReference.fundingPair(reference, pool.quote), (pair) => pair.exchange)
    const pairs = [exchange, ...Option.toArray(funding)].find((each) => each.kind === "uniswap-v2")
    const words = [
      ...(pairs?.kind === "uniswap-v2" ? [pairs.factory, pairs.initCodeHash] : [0n, 0n]),
      ...(exchange.kind === "uniswap-v3" ? [exchange.deployer ?? exchange.factory, exchange.initCodeHash] : [0n, 0n]),
      wrapped
    ]
    return {
      as: { exchange, address, takesNative: true, deadline: false },
      ours: { ...codes, address, router: Getter.calldata(codes.router, words.map(Getter.word)) }
    }
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
      ours: Option.some({ ...codes, address, router: Getter.calldata(codes.router, words) })
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
      Option.map(funderOf(reference, router, pool, pair), ({ address }) =>
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

/** The router of a funding pair: its exchange's own, or one of ours that trades in the pool and knows the pair. */
const funderOf = (
  reference: MarketReference.Reference,
  router: MarketReference.Router,
  { exchange }: Pools.Inspected,
  pair: MarketReference.ReferencePool
): Option.Option<MarketReference.Router> =>
  Option.orElse(MarketReference.routerOf(reference, pair.exchange), () =>
    Option.isNone(MarketReference.routerOf(reference, exchange)) &&
    (exchange === pair.exchange || exchange.kind === "uniswap-v3")
      ? Option.some(router)
      : Option.none()
  )
