/** @internal */

import { Array as Arr, Context, Effect, Either, Layer, Option, Order } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type { Pool } from "../../domain/facts/Pool.js"
import type { PoolVault } from "../../domain/facts/PoolVault.js"
import * as Quantity from "../../domain/Quantity.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import * as Market from "../venue/Market.js"
import * as MarketReads from "../venue/MarketReads.js"
import * as MarketReference from "../venue/MarketReference.js"

/**
 * The pools of a token on the exchanges that the chain's address book knows, deepest first. Empty means that each was
 * read and has none; `covered` is false where the address book knows no exchange for this chain.
 *
 * A pool's address is computed from its factory and init code hash (CREATE2), so that only the exchange's own code can
 * stand there. All pools are read by one call. Depth is the quote side in wrapped native coin, by the deepest pair of
 * that quote with the wrapped coin; pools of a quote that has no such pair come after those that have a price, by their
 * quote side alone. For a Uniswap V3 pool it is at most what its liquidity in range holds at this price.
 *
 * `inspect` gives the same reading with all that a trade needs: the exchange, the numbers as bigints, and the market
 * reference that a pool's depth is computed with. It is made once a token for as long as the service lives, so users of
 * pools (trades, locks, depth) read them here and never call the constructor of the same name.
 */
export class Pools extends Context.Tag("@assay/core/Pools")<
  Pools,
  {
    readonly covered: boolean
    readonly of: (token: Address.Address) => Effect.Effect<Reading.Reading<ReadonlyArray<Pool>>, ChainError>
    readonly inspect: (token: Address.Address) => Effect.Effect<MarketReading, ChainError>
  }
>() {}

/** Reads the pools of the exchanges in the address book of {@link ChainState}'s chain. */
export const layer: Layer.Layer<Pools, never, ChainState> = Layer.scoped(
  Pools,
  Effect.gen(function* () {
    const state = yield* ChainState
    const book = yield* ChainBook.of(state.chain.addressBook)
    const market = Market.of(book)
    const inspectOnce = yield* OncePerKey.make(
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
 * A pool as it was read, with what a trade in it needs: `price` is V3's square root price (X96) and `liquidity` what is
 * in range there, none for pairs. `held` is what `balanceOf` of the token answers for the pool; none where it answers nothing
 * that is a number.
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
}

/**
 * A token's pools, unsorted (see {@link deepestFirst}), the reference for their depth, and the vaults of exchanges that
 * hold the token, or may.
 */
export type MarketReading = readonly [
  Reading.Reading<ReadonlyArray<Inspected>>,
  Reading.Reading<MarketReference.Reference>,
  ReadonlyArray<PoolVault>
]

/** Reads a token's pools and the market's reference, both in one round trip. */
const inspect = (
  state: ChainState["Type"],
  market: Market.Market,
  token: Address.Address
): Effect.Effect<MarketReading, ChainError> =>
  Effect.map(
    Together.all([
      MarketReads.all(state, [...candidates(market, token), ...market.vaults.map(vaultCandidate(token))]),
      MarketReference.read(state, market)
    ]),
    ([found, reference]): MarketReading => {
      const [vaults, pools] = Arr.separate(found.value)
      return [Reading.map(found, () => pools), reference, vaults]
    }
  )

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
    return Order.bigint(y.amount, x.amount) || (a.pool.address < b.pool.address ? -1 : 1)
  })
}

/** A sentence about the vaults; none where no vault holds the token. */
export const inVaults = (vaults: ReadonlyArray<PoolVault>): Option.Option<string> =>
  Arr.match(vaults, {
    onEmpty: () => Option.none(),
    onNonEmpty: (some) =>
      Option.some(
        `not read: pools in shared vaults (${some.map(({ amount, exchange }) => `${exchange} ${amount === null ? "may hold some tokens" : `holds ${amount} units`}`).join(", ")})`
      )
  })

/**
 * A sentence about a vault of unread pools that holds more of the token than the deepest pool that was read, or may; none
 * where no vault does. What trades in that pool show says nothing of the larger market.
 */
export const outweighing = ([{ value: pools }, { value: reference }, vaults]: MarketReading): Option.Option<string> => {
  const held = deepestFirst(pools, reference)[0]?.reserveToken ?? 0n
  return inVaults(vaults.filter(({ amount }) => amount === null || BigInt(amount) > held))
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

const { balanceOf, get } = BatchRead

const { functions } = Selectors

const candidates = (market: Market.Market, token: Address.Address): ReadonlyArray<Candidate> =>
  market.exchanges.flatMap((exchange) =>
    Market.quotesFor(market, token).flatMap((quote) =>
      exchange.kind === "uniswap-v2"
        ? [pairCandidate(exchange, token, quote)]
        : exchange.fees.map((fee) => poolCandidate(exchange, token, quote, fee))
    )
  )

const pairCandidate = (
  exchange: AddressBook.PairExchange,
  token: Address.Address,
  quote: AddressBook.KnownToken
): Candidate => {
  const address = Market.pairAddress(exchange, token, quote.address)
  return {
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
          liquidity: Option.none()
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
): Candidate => {
  const address = Market.poolAddress(exchange, token, quote.address, fee)
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
          liquidity: Option.fromNullable(liquidity[0])
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
