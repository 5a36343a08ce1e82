import { Context, Effect, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import * as Reading from "../chain/Reading.js"
import * as AddressBook from "../data/AddressBook.js"
import * as Address from "../domain/Address.js"
import type { Pool } from "../domain/facts/Pool.js"
import type * as Hex from "../domain/Hex.js"
import * as Quantity from "../domain/Quantity.js"
import * as Selectors from "../evm/Selectors.js"
import * as BatchRead from "./BatchRead.js"
import * as Getter from "./Getter.js"
import * as Memo from "./Memo.js"

/**
 * The pools of a token on the exchanges that the chain's address book knows, deepest first. Empty means that each was
 * asked and has none; `covered` is false where the address book knows no exchange for this chain.
 *
 * A pool's address is computed from its factory and init code hash (CREATE2), so that only the exchange's own code can
 * stand there. All pools are read by one call. Depth is the quote side in wrapped native coin, by the deepest pair of
 * that quote with the wrapped coin; pools of a quote that has no such pair come after those that have a price, by
 * their quote side alone.
 *
 * `inspect` gives the same reading with all that a trade needs: the exchange, the numbers as bigints, and the market's
 * reference by which a pool's depth is told. It is made once a token for as long as the service lives, so whoever
 * works on pools (a trade, locks, depth) asks here and never calls the constructor of the same name.
 *
 * @since 0.1.0
 * @category services
 */
export class Pools extends Context.Tag("@assay/core/Pools")<
  Pools,
  {
    readonly covered: boolean
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<ReadonlyArray<Pool>>, ChainError>
    readonly inspect: (token: Address.Address) => Effect.Effect<MarketReading, ChainError>
  }
>() {}

/**
 * Reads the pools of the exchanges in the address book of {@link ChainState}'s chain.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Pools, never, ChainState> = Layer.scoped(
  Pools,
  Effect.gen(function* () {
    const state = yield* ChainState
    const market = marketOf(state.chain.addressBook)
    const inspectOnce = yield* Memo.make(
      (token: Address.Address) => token,
      (token) => inspect(state, market, token)
    )
    const of = Effect.fn("Pools.of")(function* (token: Address.Address) {
      if (market.exchanges.length === 0) return Reading.map(yield* state.code(token), () => [])
      const [inspected, reference] = yield* inspectOnce(token)
      return Reading.map(inspected, (pools) => deepestFirst(pools, reference.value).map(({ pool }) => pool))
    })
    return { covered: market.exchanges.length > 0, of, inspect: inspectOnce }
  })
)

/**
 * Where tokens of one chain are traded.
 *
 * @since 0.1.0
 * @category models
 */
export interface Market {
  readonly wrapped: Option.Option<AddressBook.KnownToken>
  readonly quotes: ReadonlyArray<AddressBook.KnownToken>
  readonly exchanges: ReadonlyArray<AddressBook.Exchange>
}

/**
 * The market that the address book knows of a chain; no exchanges where it knows none.
 *
 * @since 0.1.0
 * @category constructors
 */
export const marketOf = (addressBook: number): Market =>
  Option.match(AddressBook.forChain(addressBook), {
    onNone: () => ({ wrapped: Option.none(), quotes: [], exchanges: [] }),
    onSome: (book) => ({
      wrapped: Option.some(book.wrappedNative),
      quotes: [book.wrappedNative, ...book.quoteTokens],
      exchanges: book.exchanges
    })
  })

/**
 * The address of the pair of two tokens, whether it was created or not.
 *
 * @see https://docs.uniswap.org/contracts/v2/guides/smart-contract-integration/getting-pair-addresses
 * @since 0.1.0
 * @category constructors
 */
export const pairAddress = (exchange: AddressBook.PairExchange, a: Hex.Hex, b: Hex.Hex): Address.Address => {
  const [first, second] = sorted(a, b)
  return create2(exchange.factory, `0x${first.slice(2)}${second.slice(2)}`, exchange.initCodeHash)
}

/**
 * The address of the pool of two tokens with a fee in hundredths of a basis point, whether it was created or not.
 *
 * @see https://github.com/Uniswap/v3-periphery/blob/main/contracts/libraries/PoolAddress.sol
 * @since 0.1.0
 * @category constructors
 */
export const poolAddress = (
  exchange: AddressBook.PoolExchange,
  a: Hex.Hex,
  b: Hex.Hex,
  fee: number
): Address.Address => {
  const [first, second] = sorted(a, b)
  const salt = Getter.calldata("0x", [Getter.word(first), Getter.word(second), Getter.word(BigInt(fee))])
  return create2(exchange.deployer ?? exchange.factory, salt, exchange.initCodeHash)
}

/**
 * Where pairs of a token can stand, whether they were created or not, so that they can be asked about before it is
 * known which of them exist.
 *
 * @since 0.1.0
 * @category constructors
 */
export const pairAddresses = (market: Market, token: Hex.Hex): ReadonlyArray<Address.Address> =>
  market.exchanges.flatMap((exchange) =>
    exchange.kind === "uniswap-v2"
      ? quotesFor(market, token).map((quote) => pairAddress(exchange, token, quote.address))
      : []
  )

/**
 * The same for pools of Uniswap V3.
 *
 * @since 0.1.0
 * @category constructors
 */
export const poolAddresses = (market: Market, token: Hex.Hex): ReadonlyArray<Address.Address> =>
  market.exchanges.flatMap((exchange) =>
    exchange.kind === "uniswap-v3"
      ? quotesFor(market, token).flatMap((quote) =>
          exchange.fees.map((fee) => poolAddress(exchange, token, quote.address, fee))
        )
      : []
  )

const quotesFor = (market: Market, token: Hex.Hex): ReadonlyArray<AddressBook.KnownToken> =>
  market.quotes.filter((quote) => quote.address !== token)

const sorted = (a: Hex.Hex, b: Hex.Hex): readonly [Hex.Hex, Hex.Hex] => {
  const [x, y] = [a.toLowerCase() as Hex.Hex, b.toLowerCase() as Hex.Hex]
  return x < y ? [x, y] : [y, x]
}

/** By EIP-1014, from the data whose hash is the salt: https://eips.ethereum.org/EIPS/eip-1014 */
const create2 = (from: Hex.Hex, salted: Hex.Hex, bytecodeHash: Hex.Hex): Address.Address => {
  const key = `${from} ${salted} ${bytecodeHash}`
  const known = places.get(key)
  if (known !== undefined) return known
  const hash = Hash.keccak256(`0xff${from.slice(2)}${Hash.keccak256(salted).slice(2)}${bytecodeHash.slice(2)}`)
  const place = Address.checksum(`0x${hash.slice(-40)}`)
  if (places.size >= placesAtMost) places.clear()
  places.set(key, place)
  return place
}

// An analysis asks for the pools of its token several times, and every analysis for those of the quotes: each costs three
// hashes.
const places = new Map<string, Address.Address>()

const placesAtMost = 10_000

/**
 * A pool as it was read, with what a trade in it needs: `price` is V3's square root price (X96) and `liquidity` what is
 * in range there, none for pairs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Inspected {
  readonly pool: Pool
  readonly exchange: AddressBook.Exchange
  readonly fee: number
  readonly reserveToken: bigint
  readonly reserveQuote: bigint
  readonly price: Option.Option<bigint>
  readonly liquidity: Option.Option<bigint>
}

/**
 * A pool of a quote token with the wrapped native coin, by which quotes are priced, funded and used as a control;
 * `price` as in {@link Inspected}.
 *
 * @since 0.1.0
 * @category models
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
 *
 * @since 0.1.0
 * @category models
 */
export interface Reference {
  readonly wrapped: Option.Option<Hex.Hex>
  readonly dollars: ReadonlyArray<AddressBook.KnownToken>
  readonly routers: ReadonlyArray<Router>
  readonly pools: ReadonlyArray<ReferencePool>
}

/**
 * A router of an exchange: `takesNative` where its functions are those that Uniswap named for ETH, `deadline` where a
 * V3 router is the first one, whose swaps take a deadline.
 *
 * @since 0.1.0
 * @category models
 */
export interface Router {
  readonly exchange: AddressBook.Exchange
  readonly address: Address.Address
  readonly takesNative: boolean
  readonly deadline: boolean
}

/**
 * A token's pools, unsorted (see {@link deepestFirst}), and what they are measured by.
 *
 * @since 0.1.0
 * @category models
 */
export type MarketReading = readonly [Reading.Reading<ReadonlyArray<Inspected>>, Reading.Reading<Reference>]

/**
 * Reads a token's pools and the market's reference, both in one round trip.
 *
 * @since 0.1.0
 * @category constructors
 */
export const inspect = (
  state: ChainState["Type"],
  market: Market,
  token: Address.Address
): Effect.Effect<MarketReading, ChainError> =>
  Effect.all([readAll(state, candidates(market, token)), readAll(state, referenceCandidates(market))], {
    concurrency: "unbounded"
  }).pipe(
    Effect.map(([pools, reference]) => [
      pools,
      Reading.map(reference, (found) => ({
        wrapped: Option.map(market.wrapped, ({ address }) => address),
        dollars: market.quotes.filter(
          ({ address }) => !Option.exists(market.wrapped, (coin) => coin.address === address)
        ),
        routers: found.flatMap((item) => (item._tag === "Router" ? [item.router] : [])),
        pools: found
          .flatMap((item) => (item._tag === "ReferencePool" ? [item.pool] : []))
          .sort((a, b) => descending(a.reserveWrapped, b.reserveWrapped) || (a.address < b.address ? -1 : 1))
      }))
    ])
  )

/**
 * Orders pools by depth, as {@link Pools} says.
 *
 * @since 0.1.0
 * @category combinators
 */
export const deepestFirst = (pools: ReadonlyArray<Inspected>, reference: Reference): ReadonlyArray<Inspected> => {
  const depths = new Map(pools.map((item) => [item, depth(item, reference)]))
  const of = (item: Inspected) => depths.get(item) ?? { priced: false, amount: 0n }
  return [...pools].sort((a, b) => {
    const [x, y] = [of(a), of(b)]
    if (x.priced !== y.priced) return x.priced ? -1 : 1
    return descending(x.amount, y.amount) || (a.pool.address < b.pool.address ? -1 : 1)
  })
}

const descending = (a: bigint, b: bigint): number => (a === b ? 0 : a > b ? -1 : 1)

const depth = (item: Inspected, reference: Reference): { readonly priced: boolean; readonly amount: bigint } => {
  const { quote } = item.pool
  if (Option.contains(reference.wrapped, quote)) return { priced: true, amount: item.reserveQuote }
  const pair = fundingPair(reference, quote)
  return Option.match(pair, {
    onNone: () => ({ priced: false, amount: item.reserveQuote }),
    onSome: ({ reserveQuote, reserveWrapped }) => ({
      priced: true,
      amount: (item.reserveQuote * reserveWrapped) / reserveQuote
    })
  })
}

/**
 * What an amount of a quote token is worth in wrapped native coin, by the deepest pool of the two; none where there is
 * no such pool.
 *
 * @since 0.1.0
 * @category combinators
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
 *
 * @since 0.1.0
 * @category combinators
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
 *
 * @since 0.1.0
 * @category combinators
 */
export const inDollars = (reference: Reference, quote: Hex.Hex, amount: bigint): Option.Option<number> => {
  const dollar = reference.dollars.find(({ address }) => address === quote)
  if (dollar !== undefined) return Option.some(units(amount, dollar.decimals))
  const deepest = reference.pools[0]?.quote
  return deepest === undefined || !Option.contains(reference.wrapped, quote)
    ? Option.none()
    : Option.map(inQuote(reference, deepest.address, amount), (dollars) => units(dollars, deepest.decimals))
}

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
    return tokenIsFirst(quote, wrapped)
      ? { ofQuote: 1n << 192n, ofWrapped: square }
      : { ofQuote: square, ofWrapped: 1n << 192n }
  })

/**
 * The deepest pair of a quote with the wrapped coin on an exchange whose router takes native coin.
 *
 * @since 0.1.0
 * @category combinators
 */
export const fundingPair = (reference: Reference, quote: Hex.Hex): Option.Option<ReferencePool> =>
  Option.fromNullable(
    reference.pools.find(
      (pool) =>
        pool.exchange.kind === "uniswap-v2" &&
        pool.quote.address === quote &&
        pool.reserveQuote > 0n &&
        reference.routers.some((router) => router.exchange === pool.exchange && router.takesNative)
    )
  )

interface Candidate<A> {
  readonly reads: ReadonlyArray<BatchRead.Read>
  readonly decode: (answers: ReadonlyArray<BatchRead.Answer>) => ReadonlyArray<A>
}

const { balanceOf, get } = BatchRead

const { functions } = Selectors

const candidates = (market: Market, token: Address.Address): ReadonlyArray<Candidate<Inspected>> =>
  market.exchanges.flatMap((exchange) =>
    quotesFor(market, token).flatMap((quote) =>
      exchange.kind === "uniswap-v2"
        ? [pairCandidate(exchange, token, quote)]
        : exchange.fees.map((fee) => poolCandidate(exchange, token, quote, fee))
    )
  )

const pairCandidate = (
  exchange: AddressBook.PairExchange,
  token: Address.Address,
  quote: AddressBook.KnownToken
): Candidate<Inspected> => {
  const address = pairAddress(exchange, token, quote.address)
  return {
    reads: [
      get(address, functions.getReserves),
      get(address, functions.totalSupply),
      ...AddressBook.burnAddresses.map((burnt) => balanceOf(address, burnt))
    ],
    decode: ([reserves = [], supply = [], ...burnt]) => {
      const [first, second] = reserves
      if (first === undefined || second === undefined) return []
      const [reserveToken, reserveQuote] = tokenIsFirst(token, quote.address) ? [first, second] : [second, first]
      return [
        {
          pool: {
            address,
            exchange: exchange.name,
            kind: "uniswap-v2",
            fee_bps: null,
            quote: Address.checksum(quote.address),
            quote_symbol: quote.symbol,
            reserve_token: Quantity.make(reserveToken),
            reserve_quote: Quantity.make(reserveQuote),
            lp_total_supply: supply[0] === undefined ? null : Quantity.make(supply[0]),
            lp_burned: burnt.every((held) => held[0] !== undefined)
              ? Quantity.make(burnt.reduce((sum, held) => sum + (held[0] ?? 0n), 0n))
              : null
          },
          exchange,
          fee: 0,
          reserveToken,
          reserveQuote,
          price: Option.none(),
          liquidity: Option.none()
        }
      ]
    }
  }
}

const poolCandidate = (
  exchange: AddressBook.PoolExchange,
  token: Address.Address,
  quote: AddressBook.KnownToken,
  fee: number
): Candidate<Inspected> => {
  const address = poolAddress(exchange, token, quote.address, fee)
  return {
    reads: [
      get(address, functions.slot0),
      get(address, functions.liquidity),
      balanceOf(token, address),
      balanceOf(quote.address, address)
    ],
    decode: ([slot0 = [], liquidity = [], ofToken = [], ofQuote = []]) => {
      if (slot0[0] === undefined) return []
      const [reserveToken, reserveQuote] = [ofToken[0] ?? 0n, ofQuote[0] ?? 0n]
      return [
        {
          pool: {
            address,
            exchange: exchange.name,
            kind: "uniswap-v3",
            fee_bps: fee / 100,
            quote: Address.checksum(quote.address),
            quote_symbol: quote.symbol,
            reserve_token: Quantity.make(reserveToken),
            reserve_quote: Quantity.make(reserveQuote),
            lp_total_supply: null,
            lp_burned: null
          },
          exchange,
          fee,
          reserveToken,
          reserveQuote,
          price: Option.some(slot0[0]),
          liquidity: Option.fromNullable(liquidity[0])
        }
      ]
    }
  }
}

const tokenIsFirst = (token: Hex.Hex, quote: Hex.Hex): boolean => token.toLowerCase() < quote.toLowerCase()

type ReferenceItem =
  | { readonly _tag: "Router"; readonly router: Router }
  | { readonly _tag: "ReferencePool"; readonly pool: ReferencePool }

const referenceCandidates = (market: Market): ReadonlyArray<Candidate<ReferenceItem>> =>
  Option.match(market.wrapped, {
    onNone: () => [],
    onSome: (wrapped) => {
      const others = market.quotes.filter((quote) => quote.address !== wrapped.address)
      return market.exchanges.flatMap(
        (exchange): ReadonlyArray<Candidate<ReferenceItem>> => [
          ...routerCandidates(exchange, wrapped),
          ...others.flatMap((quote) =>
            exchange.kind === "uniswap-v2"
              ? [referencePair(exchange, wrapped, quote)]
              : exchange.fees.map((fee) => referencePool(exchange, wrapped, quote, fee))
          )
        ]
      )
    }
  })

// https://docs.uniswap.org/contracts/v3/reference/deployments/ethereum-deployments: the first router, which stands
// beside this factory on every chain that has it.
const firstSwapRouter: Hex.Hex = "0xE592427A0AEce92De3Edee1F18E0157C05861564"
const firstSwapRouterFactory: Hex.Hex = "0x1F98431c8aD98523631AE4a59f267346ea31F984"

const weth9 = Selectors.selector("WETH9()")

const routerCandidates = (
  exchange: AddressBook.Exchange,
  wrapped: AddressBook.KnownToken
): ReadonlyArray<Candidate<ReferenceItem>> => {
  // A router is taken at its word only about itself: the factory that it serves and the coin that it wraps.
  const candidate = (address: Hex.Hex, wrappedGetter: Hex.Hex, make: (wraps: boolean) => ReadonlyArray<Router>) => ({
    reads: [get(address, functions.factory), get(address, wrappedGetter)],
    decode: ([factory = [], coin = []]: ReadonlyArray<BatchRead.Answer>) =>
      factory[0] === BigInt(exchange.factory)
        ? make(coin[0] === BigInt(wrapped.address)).map((router): ReferenceItem => ({ _tag: "Router", router }))
        : []
  })
  if (exchange.kind === "uniswap-v2") {
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
): Candidate<ReferenceItem> => {
  const address = pairAddress(exchange, wrapped.address, quote.address)
  return {
    reads: [get(address, functions.getReserves)],
    decode: ([reserves = []]) => {
      const [first, second] = reserves
      if (first === undefined || second === undefined) return []
      const [reserveWrapped, reserveQuote] = tokenIsFirst(wrapped.address, quote.address)
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
): Candidate<ReferenceItem> => {
  const address = poolAddress(exchange, wrapped.address, quote.address, fee)
  return {
    reads: [
      get(address, functions.slot0),
      get(address, functions.liquidity),
      balanceOf(wrapped.address, address),
      balanceOf(quote.address, address)
    ],
    decode: ([slot0 = [], liquidity = [], ofWrapped = [], ofQuote = []]) => {
      const [reserveWrapped, reserveQuote] = [ofWrapped[0] ?? 0n, ofQuote[0] ?? 0n]
      const price = Option.fromNullable(slot0[0])
      if ((liquidity[0] ?? 0n) === 0n) return []
      return [{ _tag: "ReferencePool", pool: { exchange, address, quote, fee, reserveWrapped, reserveQuote, price } }]
    }
  }
}

const readAll = <A>(
  state: ChainState["Type"],
  wanted: ReadonlyArray<Candidate<A>>
): Effect.Effect<Reading.Reading<ReadonlyArray<A>>, ChainError> =>
  Effect.map(
    BatchRead.all(
      state,
      wanted.flatMap((candidate) => candidate.reads)
    ),
    (reading) =>
      Reading.map(reading, (answers) => {
        let at = 0
        return wanted.flatMap((candidate) => {
          const own = answers.slice(at, at + candidate.reads.length)
          at += candidate.reads.length
          return candidate.decode(own)
        })
      })
  )
