/** @internal */

import { Effect, Option, Order } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import type * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type * as Hex from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as BatchRead from "../BatchRead.js"
import * as ConcentratedLiquidity from "./ConcentratedLiquidity.js"
import * as Market from "./Market.js"
import * as MarketReads from "./MarketReads.js"

/**
 * A pool of a quote token with the wrapped native coin, by which quotes are priced, funded and used as a control;
 * `price` as in {@link Inspected}.
 */
export interface ReferencePool {
  readonly exchange: AddressBook.Exchange
  readonly address: Address.Address
  readonly quote: AddressBook.KnownToken
  readonly fee: number
  readonly reserveWrapped: bigint
  readonly reserveQuote: bigint
  readonly price: Option.Option<bigint>
}

/**
 * What of a market does not depend on the token: the routers that answered as their exchange's own, the quotes that are
 * dollar tokens, and the pools of the quotes with the wrapped coin, deepest first.
 */
export interface Reference {
  readonly wrapped: Option.Option<Hex.Hex>
  readonly dollars: ReadonlyArray<AddressBook.KnownToken>
  readonly routers: ReadonlyArray<Router>
  readonly pools: ReadonlyArray<ReferencePool>
  /** What trades where no router of a pool's exchange is known; none where nothing needs it. */
  readonly ours: Option.Option<RouterCodes>
}

/** The code of a router of ours, and init code that makes such a router before it trades. */
export interface RouterCodes {
  readonly router: Hex.Hex
  readonly trade: Hex.Hex
}

/**
 * A router of an exchange: `takesNative` where its functions are those that Uniswap named for ETH, `deadline` where a
 * V3 router is the first version, with swaps that take a deadline.
 */
export interface Router {
  readonly exchange: AddressBook.Exchange
  readonly address: Address.Address
  readonly takesNative: boolean
  readonly deadline: boolean
}

/** Reads the reference of a market by one call. */
export const read = (
  state: ChainState["Type"],
  market: Market.Market
): Effect.Effect<Reading.Reading<Reference>, ChainError> =>
  Effect.map(MarketReads.all(state, referenceCandidates(market)), (reference) =>
    Reading.map(reference, (found) => ({
      wrapped: Option.map(market.wrapped, ({ address }) => address),
      dollars: market.dollars,
      routers: found.flatMap((item) => (item._tag === "Router" ? [item.router] : [])),
      pools: found
        .flatMap((item) => (item._tag === "ReferencePool" ? [item.pool] : []))
        .sort((a, b) => Order.bigint(b.reserveWrapped, a.reserveWrapped) || (a.address < b.address ? -1 : 1)),
      ours: Option.none()
    }))
  )

/**
 * What an amount of a quote token is worth in wrapped native coin, by the deepest pool of the two; none where there is
 * no such pool.
 */
export const inWrapped = (reference: Reference, quote: Hex.Hex, amount: bigint): Option.Option<bigint> =>
  Option.contains(reference.wrapped, quote)
    ? Option.some(amount)
    : Option.flatMap(ratioOf(reference, quote), ({ ofQuote, ofWrapped }) =>
        ofQuote === 0n ? Option.none() : Option.some((amount * ofWrapped) / ofQuote)
      )

/**
 * What an amount of wrapped native coin is worth in a quote token, by the deepest pool of the two; none where there is
 * no such pool.
 */
export const inQuote = (reference: Reference, quote: Hex.Hex, amount: bigint): Option.Option<bigint> =>
  Option.contains(reference.wrapped, quote)
    ? Option.some(amount)
    : Option.flatMap(ratioOf(reference, quote), ({ ofQuote, ofWrapped }) =>
        ofWrapped === 0n ? Option.none() : Option.some((amount * ofQuote) / ofWrapped)
      )

/**
 * What an amount of a quote token is worth in dollars: the dollar tokens of the address book count as a dollar each, and
 * the wrapped native coin by its deepest pool with one of them; none where it has none.
 */
export const inDollars = (reference: Reference, quote: Hex.Hex, amount: bigint): Option.Option<number> => {
  const dollar = reference.dollars.find(({ address }) => address === quote)
  if (dollar !== undefined) return Option.some(units(amount, dollar.decimals))
  const deepest = dollarIn(reference)
  return deepest === undefined || !Option.contains(reference.wrapped, quote)
    ? Option.none()
    : Option.map(inQuote(reference, deepest.address, amount), (dollars) => units(dollars, deepest.decimals))
}

/**
 * A comparable value of an amount of a quote token: in billionths of a dollar, where a dollar token counts as one
 * dollar at any pool price; in wrapped native coin where that has no dollar price. None where the quote has no price.
 */
export const comparable = (reference: Reference, quote: Hex.Hex, amount: bigint): Option.Option<bigint> => {
  const deepest = dollarIn(reference)
  if (deepest === undefined) return inWrapped(reference, quote, amount)
  const billionths = (dollars: bigint, decimals: number) => (dollars * 1_000_000_000n) / 10n ** BigInt(decimals)
  const dollar = reference.dollars.find(({ address }) => address === quote)
  return dollar !== undefined
    ? Option.some(billionths(amount, dollar.decimals))
    : Option.contains(reference.wrapped, quote)
      ? Option.map(inQuote(reference, deepest.address, amount), (dollars) => billionths(dollars, deepest.decimals))
      : Option.none()
}

/** The dollar token of the deepest pool of one. */
const dollarIn = ({ dollars, pools }: Reference): AddressBook.KnownToken | undefined =>
  pools.find(({ quote }) => dollars.some(({ address }) => address === quote.address))?.quote

const units = (amount: bigint, decimals: number): number => Number((amount * 100n) / 10n ** BigInt(decimals)) / 100

const ratioOf = (
  reference: Reference,
  quote: Hex.Hex
): Option.Option<{ readonly ofQuote: bigint; readonly ofWrapped: bigint }> =>
  Option.gen(function* () {
    const wrapped = yield* reference.wrapped
    const pool = yield* Option.fromNullable(reference.pools.find((each) => each.quote.address === quote))
    if (Option.isNone(pool.price)) return { ofQuote: pool.reserveQuote, ofWrapped: pool.reserveWrapped }
    // The square root of how much of the second token one of the first is worth, with 96 binary places:
    // https://docs.uniswap.org/concepts/protocol/concentrated-liquidity
    const square = pool.price.value * pool.price.value
    return Market.tokenIsFirst(quote, wrapped)
      ? { ofQuote: 1n << 192n, ofWrapped: square }
      : { ofQuote: square, ofWrapped: 1n << 192n }
  })

/** The router of an exchange that answered as its own. */
export const routerOf = ({ routers }: Reference, exchange: AddressBook.Exchange): Option.Option<Router> =>
  Option.fromNullable(routers.find((router) => router.exchange === exchange))

/**
 * The deepest pair of a quote with the wrapped coin on an exchange with a router that takes native coin. Where there is none,
 * and a router of ours, the deepest on an exchange without a known router.
 */
export const fundingPair = (reference: Reference, quote: Hex.Hex): Option.Option<ReferencePool> =>
  Option.orElse(
    pairOf(reference, quote, (exchange) =>
      Option.exists(routerOf(reference, exchange), (router) => router.takesNative)
    ),
    () =>
      Option.flatMap(reference.ours, () =>
        pairOf(reference, quote, (exchange) => Option.isNone(routerOf(reference, exchange)))
      )
  )

const pairOf = (
  { pools }: Reference,
  quote: Hex.Hex,
  isReached: (exchange: AddressBook.PairExchange) => boolean
): Option.Option<ReferencePool> =>
  Option.fromNullable(
    pools.find(
      (pool) =>
        pool.exchange.kind === "uniswap-v2" &&
        pool.quote.address === quote &&
        pool.reserveQuote > 0n &&
        isReached(pool.exchange)
    )
  )

const { balanceOf, get } = BatchRead

const { functions } = Selectors

type ReferenceItem =
  | { readonly _tag: "Router"; readonly router: Router }
  | { readonly _tag: "ReferencePool"; readonly pool: ReferencePool }

const referenceCandidates = (market: Market.Market): ReadonlyArray<MarketReads.Candidate<ReferenceItem>> =>
  Option.match(market.wrapped, {
    onNone: () => [],
    onSome: (wrapped) => {
      return market.exchanges.flatMap(
        (exchange): ReadonlyArray<MarketReads.Candidate<ReferenceItem>> => [
          ...routerCandidates(exchange, wrapped),
          ...market.references.flatMap((quote) =>
            exchange.kind === "uniswap-v2"
              ? [referencePair(exchange, wrapped, quote)]
              : exchange.fees.map((fee) => referencePool(exchange, wrapped, quote, fee))
          )
        ]
      )
    }
  })

// https://docs.uniswap.org/contracts/v3/reference/deployments/ethereum-deployments: the first router, which is deployed
// with this factory on every chain that has it.
const firstSwapRouter: Hex.Hex = "0xE592427A0AEce92De3Edee1F18E0157C05861564"
const firstSwapRouterFactory: Hex.Hex = "0x1F98431c8aD98523631AE4a59f267346ea31F984"

const weth9 = Selectors.selector("WETH9()")

const routerCandidates = (
  exchange: AddressBook.FactoryExchange,
  wrapped: AddressBook.KnownToken
): ReadonlyArray<MarketReads.Candidate<ReferenceItem>> => {
  // A router is taken at its word only about itself: the factory that it serves and the coin that it wraps.
  const candidate = (address: Hex.Hex, wrappedGetter: Hex.Hex, make: (wraps: boolean) => ReadonlyArray<Router>) => ({
    reads: [get(address, functions.factory), get(address, wrappedGetter)],
    decode: ([factory = [], coin = []]: ReadonlyArray<BatchRead.Answer>) =>
      factory[0] === BigInt(exchange.factory)
        ? make(coin[0] === BigInt(wrapped.address)).map((router): ReferenceItem => ({ _tag: "Router", router }))
        : []
  })
  if (exchange.kind === "uniswap-v2") {
    if (exchange.router === undefined) return []
    const address = Address.checksum(exchange.router)
    return [candidate(address, functions.weth, (wraps) => [{ exchange, address, takesNative: wraps, deadline: false }])]
  }
  return [
    ...(exchange.swapRouter === undefined ? [] : [{ address: Address.checksum(exchange.swapRouter), deadline: false }]),
    ...(exchange.factory === firstSwapRouterFactory
      ? [{ address: Address.checksum(firstSwapRouter), deadline: true }]
      : [])
  ].map(({ address, deadline }) =>
    candidate(address, weth9, (wraps) => (wraps ? [{ exchange, address, takesNative: true, deadline }] : []))
  )
}

const referencePair = (
  exchange: AddressBook.PairExchange,
  wrapped: AddressBook.KnownToken,
  quote: AddressBook.KnownToken
): MarketReads.Candidate<ReferenceItem> => {
  const address = Market.pairAddress(exchange, wrapped.address, quote.address)
  return {
    reads: [get(address, functions.getReserves)],
    decode: ([reserves = []]) => {
      const [first, second] = reserves
      if (first === undefined || second === undefined) return []
      const [reserveWrapped, reserveQuote] = Market.tokenIsFirst(wrapped.address, quote.address)
        ? [first, second]
        : [second, first]
      const price = Option.none()
      return [
        { _tag: "ReferencePool", pool: { exchange, address, quote, fee: 0, reserveWrapped, reserveQuote, price } }
      ]
    }
  }
}

const referencePool = (
  exchange: AddressBook.PoolExchange,
  wrapped: AddressBook.KnownToken,
  quote: AddressBook.KnownToken,
  fee: number
): MarketReads.Candidate<ReferenceItem> => {
  const address = Market.poolAddress(exchange, wrapped.address, quote.address, fee)
  return {
    reads: [
      get(address, functions.slot0),
      get(address, functions.liquidity),
      balanceOf(wrapped.address, address),
      balanceOf(quote.address, address)
    ],
    decode: ([slot0 = [], liquidity = [], ofWrapped = [], ofQuote = []]) => {
      const [root, inRange = 0n] = [slot0[0], liquidity[0]]
      if (root === undefined || inRange === 0n) return []
      const price = Option.some(root)
      const sides = Market.sidesOf(wrapped.address, quote.address)
      const held = { token: ofWrapped[0] ?? 0n, quote: ofQuote[0] ?? 0n }
      // Liquidity far from the price must not set it.
      const traded = ConcentratedLiquidity.inRange(root, sides, inRange, held)
      const [reserveWrapped, reserveQuote] = [traded.token, traded.quote]
      return [{ _tag: "ReferencePool", pool: { exchange, address, quote, fee, reserveWrapped, reserveQuote, price } }]
    }
  }
}
