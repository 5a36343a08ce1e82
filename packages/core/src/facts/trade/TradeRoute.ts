import { BigInt as BigInts, Option } from "effect"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Getter from "../Getter.js"
import * as Pools from "../market/Pools.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import * as Market from "../venue/Market.js"
import * as MarketReference from "../venue/MarketReference.js"
import { sizes } from "./TradeScene.js"

/**
 * How a token is reached from native coin: its pool, the router that trades in it, and a control token that the same
 * router trades.
 *
 * @since 0.1.0
 * @category models
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

/**
 * The contract that gives the quote for native coin: the wrapped coin itself, which deposits, or a router.
 *
 * @since 0.1.0
 * @category models
 */
export interface Funding {
  readonly by: Address.Address
  readonly deposits: boolean
  readonly reserveWrapped: bigint
  readonly reserveQuote: bigint
}

/**
 * The pools of a token that hold both sides, deepest first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const tradeable = ([
  { value: pools },
  { value: reference }
]: Pools.MarketReading): ReadonlyArray<Pools.Inspected> =>
  Pools.deepestFirst(pools, reference).filter(
    (pool) => pool.reserveToken > 0n && pool.reserveQuote > 0n && Option.getOrElse(pool.liquidity, () => 1n) > 0n
  )

/**
 * The way into the deepest pool that can be reached from native coin; none where no known router leads into any.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The native coin, in wei, that buys some millionths of the pool's quote side; two for the large one where that is
 * nothing, so that it stays another size than the small one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const nativeFor = (route: TradeRoute, millionths: bigint): bigint => {
  const quote = (route.pool.reserveQuote * millionths) / 1_000_000n
  const native = Option.match(route.funding, {
    onNone: () => quote,
    // A deep pool may be funded through a shallow one: no more than a hundredth of that is asked of it.
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
 * @since 0.1.0
 * @category combinators
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

/**
 * The native coin, in wei, that a control trade spends.
 *
 * @since 0.1.0
 * @category combinators
 */
export const controlSpend = (control: MarketReference.ReferencePool): bigint =>
  atLeastOne(control.reserveWrapped / 1_000n)

/**
 * An amount, or one where there is nothing of it: no exchange takes nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const atLeastOne = (amount: bigint): bigint => BigInts.max(amount, 1n)

/**
 * What a deposit or a swap gives for native coin at the least, with room for a fee above any that is in use and for the
 * control.
 *
 * @since 0.1.0
 * @category combinators
 */
export const funded = (funding: Funding, native: bigint): bigint =>
  funding.deposits
    ? native
    : atLeastOne((98n * native * funding.reserveQuote) / (100n * (funding.reserveWrapped + native)))

/**
 * What a pool promises at its price, a tenth less for the fee and for the ticks that the purchase may cross.
 *
 * @see https://docs.uniswap.org/sdk/v3/guides/advanced/price-oracle token1 per token0 is (price / 2^96)^2
 * @since 0.1.0
 * @category combinators
 */
export const promisedByPrice = (token: Hex, quote: Hex, price: bigint, paid: bigint): bigint => {
  const square = price * price
  const amount = Market.tokenIsFirst(token, quote) ? (paid << 192n) / (square || 1n) : (paid * square) >> 192n
  return (amount * 9n) / 10n
}

/**
 * What a router has to know to trade: native coin goes in and comes out where nothing has to fund the purchase.
 *
 * @since 0.1.0
 * @category models
 */
export type Trading = Pick<TradeRoute, "router" | "funding">

/**
 * An amount that the latest deadline and the widest allowance are made of.
 *
 * @since 0.1.0
 * @category models
 */
export const boundless = 2n ** 256n - 1n

/**
 * Calldata that deposits native coin for the quote or swaps it into it, for the account itself.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fundingData = (route: TradeRoute, funding: Funding, to: Address.Address): Hex =>
  funding.deposits
    ? Selectors.functions.deposit
    : encode("swapExactETHForTokens(uint256,address[],address,uint256)", [
        1n,
        [route.wrapped, route.pool.pool.quote],
        to,
        boundless
      ])

/**
 * Calldata of a purchase by the router, of any amount of the token above nothing.
 *
 * @since 0.1.0
 * @category constructors
 */
export const purchaseData = (
  { funding, router }: Trading,
  quote: Hex,
  token: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex =>
  router.exchange.kind === "uniswap-v3"
    ? singleSwap(router, quote, token, fee, to, amount)
    : Option.isNone(funding)
      ? encode("swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)", [
          1n,
          [quote, token],
          to,
          boundless
        ])
      : swapTokens(quote, token, to, amount)

/**
 * Calldata of a sale by the router, for any amount of the quote above nothing: it reverts where none came.
 *
 * @since 0.1.0
 * @category constructors
 */
export const saleData = (
  { funding, router }: Trading,
  token: Hex,
  quote: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex =>
  router.exchange.kind === "uniswap-v3"
    ? singleSwap(router, token, quote, fee, to, amount)
    : Option.isNone(funding)
      ? encode("swapExactTokensForETHSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)", [
          amount,
          1n,
          [token, quote],
          to,
          boundless
        ])
      : swapTokens(token, quote, to, amount)

const swapTokens = (from: Hex, into: Hex, to: Address.Address, amount: bigint): Hex =>
  encode("swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)", [
    amount,
    1n,
    [from, into],
    to,
    boundless
  ])

// The one argument is a struct of value types, which is encoded as its members are.
const singleSwap = (
  router: MarketReference.Router,
  from: Hex,
  into: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex => {
  const words = [from, into, BigInt(fee), to, ...(router.deadline ? [boundless] : []), amount, 1n, 0n]
  return Getter.calldata(
    router.deadline
      ? Selectors.selector("exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))")
      : Selectors.selector("exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))"),
    words.map(Getter.word)
  )
}

/** Calldata of a function whose arguments are words but for one list of addresses. */
const encode = (signature: string, args: ReadonlyArray<bigint | Hex | readonly [Hex, Hex]>): Hex => {
  const tail: Array<Hex> = []
  const head = args.map((argument) => {
    if (typeof argument === "bigint" || typeof argument === "string") return Getter.word(argument)
    tail.push(Getter.word(BigInt(argument.length)), ...argument.map((item) => Getter.word(item)))
    return Getter.word(BigInt(args.length * 32))
  })
  return Getter.calldata(Selectors.selector(signature), [...head, ...tail])
}

/**
 * Calldata of a plain transfer.
 *
 * @since 0.1.0
 * @category constructors
 */
export const transferData = (to: Hex, amount: bigint): Hex =>
  Getter.calldata(Selectors.functions.transfer, [Getter.word(to), Getter.word(amount)])

/**
 * Calldata of an approval.
 *
 * @since 0.1.0
 * @category constructors
 */
export const approvalData = (spender: Hex, amount: bigint): Hex =>
  Getter.calldata(Selectors.functions.approve, [Getter.word(spender), Getter.word(amount)])

/**
 * A call that an account makes on its way through a trade.
 *
 * @since 0.1.0
 * @category models
 */
export interface Move {
  readonly to: Hex
  readonly data: Hex
  readonly value?: bigint | undefined
}

/**
 * What an account does to buy the control token and to sell a hundredth of it, by the same router.
 *
 * @since 0.1.0
 * @category constructors
 */
export const controlMoves = (
  { router, wrapped }: TradeRoute,
  pool: MarketReference.ReferencePool,
  sender: Address.Address
): { readonly purchase: Move; readonly approval: Move; readonly sale: Move } => {
  const value = controlSpend(pool)
  const token = pool.quote.address
  const trading = { router, funding: Option.none() }
  const promised = Option.match(pool.price, {
    onNone: () => (value * pool.reserveQuote) / (pool.reserveWrapped + value),
    onSome: (price) => promisedByPrice(token, wrapped, price, value)
  })
  const sold = atLeastOne(promised / 100n)
  return {
    purchase: { to: router.address, data: purchaseData(trading, wrapped, token, pool.fee, sender, value), value },
    approval: { to: token, data: approvalData(router.address, boundless) },
    sale: { to: router.address, data: saleData(trading, token, wrapped, pool.fee, sender, sold) }
  }
}
