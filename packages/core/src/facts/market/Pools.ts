/** @internal */

import { Array as Arr, BigInt as BigInts, Context, Effect, Either, Layer, Option, Order } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { Pool } from "../../domain/facts/Pool.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import type { Hex } from "../../domain/Hex.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Part from "../../runtime/Part.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import type * as ManagerPools from "../venue/ManagerPools.js"
import * as Market from "../venue/Market.js"
import * as MarketReads from "../venue/MarketReads.js"
import * as MarketReference from "../venue/MarketReference.js"
import * as PoolKey from "../venue/PoolKey.js"
import type * as FoundExchanges from "./FoundExchanges.js"

/**
 * The pools of a token on the exchanges that the chain's address book knows, deepest first. Empty means that each was
 * read and has none. On a chain without a row in the address book the exchanges are found, for each token anew
 * ({@link FoundExchanges}); `covers` says whether any is known. A token that has no pool on the exchanges of the address book
 * may trade elsewhere: what holds some of it and may be its pool ({@link ExchangeCandidates}) is among the vaults, and is not read.
 *
 * A pool's address is computed from its factory and init code hash (CREATE2), so that only the exchange's own code can
 * stand there. All pools are read by one call. Depth is the quote side in wrapped native coin, by the deepest pair of
 * that quote with the wrapped coin; pools of a quote that has no such pair come after those that have a price, by their
 * quote side alone. For a Uniswap V3 pool it is at most what its liquidity in range holds at this price.
 *
 * `inspect` gives the same reading with all that a trade needs: the exchange, the numbers as bigints, and the market
 * reference that a pool's depth is computed with. It is made once a token for as long as the service lives, so users of
 * pools (trades, locks, depth) read them here and never call the constructor of the same name. `known` is the same without
 * a look at other places, for whoever needs no more than a price.
 */
export class Pools extends Context.Tag("@assay/core/Pools")<
  Pools,
  {
    readonly covers: (token: Address.Address) => Effect.Effect<boolean>
    readonly market: (token: Address.Address) => Effect.Effect<Market.Market>
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<ReadonlyArray<Pool>>, ChainError>
    readonly inspect: (token: Address.Address) => Effect.Effect<MarketReading, ChainError>
    readonly known: (token: Address.Address) => Effect.Effect<MarketReading, ChainError>
  }
>() {}

/** Reads the pools of the exchanges in the address book of {@link ChainState}'s chain. */
export const layer: Layer.Layer<Pools, never, ChainState> = Layer.scoped(
  Pools,
  Effect.gen(function* () {
    const state = yield* ChainState
    const book = yield* ChainBook.of(state.chain.addressBook)
    const listed = Market.of(book)
    const found = yield* OncePerKey.make(
      (token: Address.Address) => token,
      (token) => Effect.flatMap(foundExchanges, (part) => part.find(state, token, listed))
    )
    const unproved = () => Effect.succeed({ vaults: [], gap: Option.none() })
    const ofBook = Effect.succeed({ market: listed, claimed: [], unproved })
    const find = (token: Address.Address): Effect.Effect<FoundExchanges.FoundExchanges> =>
      Option.isSome(book.addresses) ? ofBook : found(token)
    const known = yield* OncePerKey.make(
      (token: Address.Address) => token,
      (token) => Effect.flatMap(find(token), (found) => inspect(state, found, token))
    )
    const inspectOnce = yield* OncePerKey.make(
      (token: Address.Address) => token,
      (token) =>
        Effect.gen(function* () {
          const market = yield* known(token)
          const [pools, reference, vaults, managed, unfound] = market
          if (Option.isNone(book.addresses) || pools.value.length > 0 || vaults.length > 0) return market
          const places = yield* (yield* candidatesElsewhere).placesOf(state, token)
          return [pools, reference, places, managed, unfound] as const
        })
    )
    const market = (token: Address.Address) => Effect.map(find(token), (found) => found.market)
    const covers = (token: Address.Address) =>
      Effect.map(market(token), ({ exchanges, managers }) => exchanges.length + managers.length > 0)
    const of = Effect.fn("Pools.of")(function* (token: Address.Address) {
      if (!(yield* covers(token))) return Reading.map(yield* state.code(token), () => [])
      const [inspected, reference] = yield* known(token)
      return Reading.map(inspected, (pools) => deepestFirst(pools, reference.value).map(({ pool }) => pool))
    })
    return { covers, market, of, inspect: inspectOnce, known }
  })
)

/**
 * A pool as it was read, with what a trade in it needs: `price` is V3's square root price (X96) and `liquidity` what is
 * in range there, none for pairs. `held` is what `balanceOf` of the token answers for the pool; none where it answers nothing
 * that is a number. `key` is what says which pool of a manager it is, none where it is a contract of its own. `ruled` is the
 * contract that may decide about trades in it beside the exchange's own code: a hook that is called around swaps, or sets the fee.
 */
export interface Inspected {
  readonly pool: Pool
  readonly exchange: AddressBook.Exchange
  readonly fee: number
  readonly sides: ConcentratedLiquidity.Sides
  readonly reserveToken: bigint
  readonly reserveQuote: bigint
  readonly held: Option.Option<bigint>
  readonly price: Option.Option<bigint>
  readonly liquidity: Option.Option<bigint>
  readonly key: Option.Option<PoolKey.PoolKey>
  readonly ruled: Option.Option<Address.Address>
}

/**
 * What a manager holds of a token (none: it may hold any amount), what of that lies in pools without rules of their own, how
 * many pools have other currencies than the quotes of the address book, what of the token these sell near their prices, why there
 * may be more pools, and its pools of the quotes with native coin.
 */
export interface Managed {
  readonly exchange: AddressBook.ManagerExchange
  readonly held: Option.Option<bigint>
  readonly explained: bigint
  readonly unpriced: number
  readonly unpricedToken: bigint
  readonly gap: Option.Option<string>
  readonly controls: ReadonlyArray<ManagerPools.ManagerPool>
  readonly codes: MarketReference.RouterCodes
}

/**
 * A token's pools, unsorted (see {@link deepestFirst}), the reference for their depth, the vaults of exchanges that hold the
 * token, or may, and the managers that do. A manager is a vault as well while some of its pools may not have been read, and so
 * is a contract that may be a pool without proof. The last is why a pool that was not found may hold more than those that were;
 * none where it cannot.
 */
export type MarketReading = readonly [
  Reading.Reading<ReadonlyArray<Inspected>>,
  Reading.Reading<MarketReference.Reference>,
  ReadonlyArray<PoolVault>,
  ReadonlyArray<Managed>,
  Option.Option<string>
]

/**
 * Reads a token's pools and the market's reference, both in one round trip. Pools of managers that hold the token take two
 * more.
 */
const inspect = (
  state: ChainState["Type"],
  { claimed, market, unproved }: FoundExchanges.FoundExchanges,
  token: Address.Address
): Effect.Effect<MarketReading, ChainError> =>
  Effect.gen(function* () {
    const [found, reference] = yield* Together.all([
      MarketReads.all(state, [...candidates(market, token), ...market.vaults.map(vaultCandidate(token))]),
      MarketReference.read(state, market)
    ])
    const [vaults, pools] = Arr.separate(found.value)
    const managed = yield* Together.forEach(
      market.managers.flatMap((exchange) =>
        vaults.filter(({ vault }) => vault === Address.checksum(exchange.manager)).map((vault) => ({ exchange, vault }))
      ),
      ({ exchange, vault }) =>
        Effect.map(
          Effect.flatMap(managerPools, ({ read }) => read(state, market, exchange, token)),
          (kept) => managedIn(market, token, vault, kept)
        )
    )
    const all = [...pools, ...managed.flatMap(([inspected]) => inspected)]
    const whole = managed.flatMap(([, { exchange, gap, unpriced }]) =>
      // Pools without a price that are all there are, are no absence of pools.
      Option.isNone(gap) && (unpriced === 0 || all.length > 0) ? [Address.checksum(exchange.manager)] : []
    )
    const most = all.reduce((held, { reserveToken }) => BigInts.max(held, reserveToken), 0n)
    const { gap, vaults: larger } = yield* unproved(most)
    const isRouted = ({ exchange }: Inspected) => Option.isSome(MarketReference.routerOf(reference.value, exchange))
    const ours = pools.every(isRouted) ? Option.none() : Option.some(yield* routerOfOurs)
    return [
      Reading.map(found, () => all),
      Reading.map(reference, (of) => ({ ...of, ours })),
      [
        ...vaults.filter(({ vault }) => !whole.includes(vault)),
        // What events say of a pool may differ from what it says itself: only one that was read as a pool is no claim.
        ...claimed.filter(({ vault }) => !pools.some(({ pool }) => pool.address === vault)),
        ...larger
      ],
      managed.map(([, manager]) => manager),
      gap
    ]
  })

// Most chains that are analysed have a row in the address book.
const foundExchanges = Effect.suspend(() =>
  Part.load("exchanges of a chain that is not known", () => import("./FoundExchanges.js"))
)

// Most tokens have a pool that is known.
const candidatesElsewhere = Effect.suspend(() =>
  Part.load("places that may be pools", () => import("./ExchangeCandidates.js"))
)

// Most tokens are in no manager.
const managerPools = Effect.suspend(() => Part.load("pools of Uniswap V4", () => import("../venue/ManagerPools.js")))

// Most exchanges have a known router.
const routerOfOurs = Effect.suspend(() =>
  Effect.map(
    Part.load("trades without a known router", () => import("../../data/PoolRouterCode.js")),
    ({ poolRouter, routerTrade }): MarketReference.RouterCodes => ({ router: poolRouter, trade: routerTrade })
  )
)

/** The pools of a manager with quotes of the address book, and what the manager is beside them. */
const managedIn = (
  market: Market.Market,
  token: Address.Address,
  vault: PoolVault,
  { codes, controls, exchange, gap, pools }: ManagerPools.ManagerPools
): readonly [ReadonlyArray<Inspected>, Managed] => {
  const held = Option.map(Option.fromNullable(vault.amount), BigInt)
  const quoted = pools.flatMap((pool) => {
    const other = pool.key.currencies.find((currency) => currency !== token) ?? token
    const coin = Option.filter(market.wrapped, () => other === Address.zero)
    const symbolOf = ({ address, symbol }: AddressBook.KnownToken) =>
      // The wrapped coin's symbol is the coin's behind a W.
      other === Address.zero && address !== Address.zero ? symbol.slice(1) : symbol
    const quote = Option.orElse(coin, () =>
      Option.fromNullable(market.quotes.find(({ address }) => Address.checksum(address) === other))
    )
    return Option.toArray(Option.map(quote, (known) => ({ pool, quote: known, symbol: symbolOf(known) })))
  })
  const inspected = quoted.map(({ pool: { id, isApart, key, state }, quote, symbol }): readonly [Inspected, bigint] => {
    const order = orderOf(key, token)
    const near = ConcentratedLiquidity.nearOf(state, order)
    const reserve = ConcentratedLiquidity.asReserves(near)
    const sides = Market.sidesOf(token, quote.address)
    const item: Inspected = {
      pool: {
        address: Address.checksum(exchange.manager),
        exchange: exchange.name,
        kind: "uniswap-v4",
        fee_bps: key.fee === PoolKey.dynamicFee ? null : key.fee / 100,
        quote: Address.checksum(quote.address),
        quote_symbol: symbol,
        reserve_token: Quantity.make(reserve.token),
        reserve_quote: Quantity.make(reserve.quote),
        lp_total_supply: null,
        lp_burned: null,
        manager: Address.checksum(exchange.manager),
        pool_id: id,
        ...(key.hook === Address.zero ? {} : { hook: key.hook })
      },
      exchange,
      fee: key.fee,
      sides,
      reserveToken: reserve.token,
      reserveQuote: reserve.quote,
      held,
      price: Option.some(ConcentratedLiquidity.priceAs(state.price, { from: order, to: sides })),
      liquidity: Option.some(state.liquidity),
      key: Option.some(key),
      ruled: isApart ? Option.none() : Option.some(key.hook)
    }
    return [item, near.token]
  })
  return [
    inspected.map(([item]) => item),
    {
      exchange,
      held,
      explained: BigInts.sumAll(inspected.flatMap(([{ ruled }, near]) => (Option.isNone(ruled) ? [near] : []))),
      unpriced: pools.length - quoted.length,
      unpricedToken: BigInts.sumAll(
        pools.flatMap((pool) =>
          quoted.some((each) => each.pool === pool)
            ? []
            : [ConcentratedLiquidity.nearOf(pool.state, orderOf(pool.key, token)).token]
        )
      ),
      gap,
      controls,
      codes
    }
  ]
}

/** In which order a pool of a manager has a token and its other currency, with native coin as itself. */
export const orderOf = ({ currencies }: PoolKey.PoolKey, token: Address.Address): ConcentratedLiquidity.Sides =>
  currencies[0] === token ? "token-first" : "quote-first"

/** Orders pools by depth, as {@link Pools} says. */
export const deepestFirst = (
  pools: ReadonlyArray<Inspected>,
  reference: MarketReference.Reference
): ReadonlyArray<Inspected> => {
  const depths = new Map(pools.map((item) => [item, depth(item, reference)]))
  const of = (item: Inspected) => depths.get(item) ?? { priced: false, amount: 0n }
  return [...pools].sort((a, b) => {
    const [x, y] = [of(a), of(b)]
    if (x.priced !== y.priced) return x.priced ? -1 : 1
    return Order.bigint(y.amount, x.amount) || (placeOf(a) < placeOf(b) ? -1 : 1)
  })
}

const placeOf = ({ pool }: Inspected): string => `${pool.address} ${pool.pool_id ?? ""}`

/** Why a token without a pool that was read may have one; none where it has none. */
export const elsewhere = ([, , vaults, , unfound]: MarketReading): Option.Option<string> =>
  Option.orElse(inVaults(vaults), () => unfound)

/** A sentence about the vaults; none where no vault holds the token. */
export const inVaults = (vaults: ReadonlyArray<PoolVault>): Option.Option<string> =>
  Arr.match(vaults, {
    onEmpty: () => Option.none(),
    onNonEmpty: (some) =>
      Option.some(
        `pools may be in places that were not read (${some.map(({ amount, exchange }) => `${exchange} ${amount === null ? "may hold some tokens" : `holds ${amount} units`}`).join(", ")})`
      )
  })

/**
 * A sentence about a place that holds more of the token than the deepest pool without rules of its own, or may: a vault of
 * unread pools, or a pool of which a hook may stop or tax each trade. None where there is no such place. What trades in that
 * pool show says nothing of the larger market.
 */
export const outweighing = ([
  { value: pools },
  { value: reference },
  vaults,
  managed,
  unfound
]: MarketReading): Option.Option<string> => {
  const free = pools.filter(({ ruled }) => Option.isNone(ruled))
  const held = deepestFirst(free, reference)[0]?.reserveToken ?? 0n
  const isMore = (amount: bigint | undefined) => amount === undefined || amount > held
  const restOf = (manager: Managed) =>
    Option.getOrUndefined(Option.map(manager.held, (amount) => BigInts.max(0n, amount - manager.explained)))
  const unread = vaults.filter(({ amount, vault }) => {
    const manager = managed.find(({ exchange }) => Address.checksum(exchange.manager) === vault)
    return isMore(manager === undefined ? (amount === null ? undefined : BigInt(amount)) : restOf(manager))
  })
  return Option.firstSomeOf([
    inVaults(unread),
    unfound,
    ...managed
      .filter((manager) => isMore(restOf(manager)))
      .map(({ exchange, unpriced }) => {
        const ruled = deepestFirst(
          pools.filter((item) => item.exchange === exchange && Option.isSome(item.ruled)),
          reference
        )
        const hook = Option.flatMap(Arr.head(ruled), (item) => item.ruled)
        if (Option.isSome(hook))
          return Option.some(
            `not decided: the hook ${hook.value}, which ${exchange.name} calls around trades in a pool`
          )
        return unpriced === 0
          ? Option.none()
          : Option.some(`not traded: ${unpriced} pools of ${exchange.name} with tokens that have no known price`)
      })
  ])
}

const depth = (
  item: Inspected,
  reference: MarketReference.Reference
): { readonly priced: boolean; readonly amount: bigint } => {
  const { quote } = item.pool
  const amount = quoteInRange(item)
  if (Option.contains(reference.wrapped, quote)) return { priced: true, amount }
  const pair = MarketReference.fundingPair(reference, quote)
  return Option.match(pair, {
    onNone: () => ({ priced: false, amount }),
    onSome: ({ reserveQuote, reserveWrapped }) => ({ priced: true, amount: (amount * reserveWrapped) / reserveQuote })
  })
}

const quoteInRange = ({ liquidity, price, reserveQuote, reserveToken, sides }: Inspected): bigint => {
  const held = { quote: reserveQuote, token: reserveToken }
  return Option.match(Option.all([price, liquidity]), {
    onNone: () => reserveQuote,
    onSome: ([root, inRange]) => ConcentratedLiquidity.inRange(root, sides, inRange, held).quote
  })
}

type Candidate = MarketReads.Candidate<Either.Either<Inspected, PoolVault>>

interface PoolCandidate extends Candidate {
  readonly address: Address.Address
  readonly quote: Hex
}

const { balanceOf, get } = BatchRead

const { functions } = Selectors

const candidates = (market: Market.Market, token: Address.Address): ReadonlyArray<PoolCandidate> =>
  market.exchanges
    .flatMap((exchange) =>
      Market.quotesFor(market, token).flatMap((quote) =>
        exchange.kind === "uniswap-v2"
          ? [pairCandidate(exchange, token, quote)]
          : exchange.fees.map((fee) => poolCandidate(exchange, token, quote, fee))
      )
    )
    .map((candidate) => (market.byBuild ? trading(token, candidate) : candidate))

/**
 * A pool that says itself which tokens it trades: code that was put at a factory's address later than its pools proves nothing
 * of how these were made.
 */
const trading = (token: Address.Address, { address, decode, quote, reads }: PoolCandidate): PoolCandidate => ({
  address,
  quote,
  reads: [...reads, get(address, functions.token0), get(address, functions.token1)],
  decode: (answers) => {
    const sides = answers.slice(reads.length).map((answer) => answer[0])
    const order = Market.tokenIsFirst(token, quote) ? [token, quote] : [quote, token]
    return order.every((side, place) => sides[place] === BigInt(side)) ? decode(answers.slice(0, reads.length)) : []
  }
})

const pairCandidate = (
  exchange: AddressBook.PairExchange,
  token: Address.Address,
  quote: AddressBook.KnownToken
): PoolCandidate => {
  const address = Market.pairAddress(exchange, token, quote.address)
  return {
    address,
    quote: quote.address,
    reads: [
      get(address, functions.getReserves),
      get(address, functions.totalSupply),
      balanceOf(token, address),
      ...AddressBook.burnAddresses.map((burnt) => balanceOf(address, burnt))
    ],
    decode: ([reserves = [], supply = [], held = [], ...burnt]) => {
      const [first, second] = reserves
      if (first === undefined || second === undefined) return []
      const [reserveToken, reserveQuote] = Market.tokenIsFirst(token, quote.address) ? [first, second] : [second, first]
      return [
        Either.right({
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
          sides: Market.sidesOf(token, quote.address),
          reserveToken,
          reserveQuote,
          held: Option.fromNullable(held[0]),
          price: Option.none(),
          liquidity: Option.none(),
          key: Option.none(),
          ruled: Option.none()
        })
      ]
    }
  }
}

const poolCandidate = (
  exchange: AddressBook.PoolExchange,
  token: Address.Address,
  quote: AddressBook.KnownToken,
  fee: number
): PoolCandidate => {
  const address = Market.poolAddress(exchange, token, quote.address, fee)
  return {
    address,
    quote: quote.address,
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
        Either.right({
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
          sides: Market.sidesOf(token, quote.address),
          reserveToken,
          reserveQuote,
          held: Option.fromNullable(ofToken[0]),
          price: Option.some(slot0[0]),
          liquidity: Option.fromNullable(liquidity[0]),
          key: Option.none(),
          ruled: Option.none()
        })
      ]
    }
  }
}

const vaultCandidate =
  (token: Address.Address) =>
  ({ address, name }: AddressBook.PoolVault): Candidate => ({
    reads: [balanceOf(token, address)],
    decode: ([answer = []]) => {
      const [amount] = answer
      return amount === 0n
        ? []
        : [
            Either.left({
              exchange: name,
              vault: Address.checksum(address),
              amount: amount === undefined ? null : Quantity.make(amount)
            })
          ]
    }
  })
