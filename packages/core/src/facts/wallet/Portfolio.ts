/** @internal */

import { BigInt as BigInts, Context, Effect, Either, Layer, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import type * as AddressBook from "../../data/AddressBook.js"
import type * as TokenLists from "../../data/TokenLists.js"
import * as Address from "../../domain/Address.js"
import type { AllowanceSet } from "../../domain/facts/Allowance.js"
import type { Permit2AllowanceSet } from "../../domain/facts/Permit2Allowance.js"
import type { Exposure, Holding, WalletPortfolio } from "../../domain/facts/WalletPortfolio.js"
import * as Quantity from "../../domain/Quantity.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import { deepestFirst, type Inspected, type MarketReading, Pools } from "../market/Pools.js"
import * as ConcentratedLiquidity from "../venue/ConcentratedLiquidity.js"
import * as MarketReference from "../venue/MarketReference.js"
import { Allowances } from "./Allowances.js"
import { Permit2Allowances } from "./Permit2Allowances.js"

/** What a wallet has, what it is worth, and how much of it others can take. */
export class Portfolio extends Context.Tag("@assay/core/Portfolio")<
  Portfolio,
  {
    readonly of: (wallet: Address.Address) => Effect.Effect<Reading<WalletPortfolio>, ChainError>
  }
>() {}

// The longest list of a chain has half as many.
const mostListed = 720

// Some tokens call other contracts for a balance, and all reads of a call share its gas.
const balancesPerCall = 210

// A market is two heavy calls; what others can take comes first.
const mostPriced = 10

interface KnownToken {
  readonly address: Address.Address
  readonly symbol: string
  readonly decimals: number
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const allowances = yield* Allowances
  const permit2 = yield* Permit2Allowances
  const pools = yield* Pools
  const chainBook = yield* ChainBook.of(state.chain.addressBook)
  const listed = listedTokens(chainBook)
  const unit = Option.map(chainBook.addresses, ({ wrappedNative }) => known(wrappedNative))

  const balances = (wallet: Address.Address) =>
    listed.length === 0
      ? Effect.succeed([])
      : Effect.map(
          BatchRead.all(
            state,
            listed.map(({ address }) => BatchRead.balanceOf(address, wallet)),
            { readsPerCall: balancesPerCall }
          ),
          ({ value }) => value.map(([balance]) => Option.fromNullable(balance))
        )

  const read = Effect.fn("Portfolio.of")(function* (wallet: Address.Address) {
    const { byPermit2, direct, held, native } = yield* Together.all({
      native: state.balance(wallet),
      held: Effect.either(balances(wallet)),
      direct: Effect.either(allowances.of(wallet)),
      byPermit2: Effect.either(permit2.of(wallet))
    })
    const granted = Option.map(Either.getRight(direct), ({ value }) => value)
    const grantedByPermit2 = Option.flatMap(
      Either.getRight(byPermit2),
      Option.map(({ value }) => value)
    )
    const permissions = [
      ...Option.match(granted, { onNone: () => [], onSome: spendable }),
      ...Option.match(grantedByPermit2, { onNone: () => [], onSome: spendableByPermit2 })
    ]
    const owned = new Map<Address.Address, bigint>()
    const listedBalances = Either.getOrElse(held, () => [])
    listed.forEach(({ address }, place) => {
      const balance = Option.getOrElse(listedBalances[place] ?? Option.none(), () => 0n)
      if (balance > 0n) owned.set(address, balance)
    })
    for (const { balance, token } of permissions)
      if (balance !== null && BigInt(balance) > 0n) owned.set(token, BigInt(balance))
    const takeable = permissions.flatMap(({ by, limits, spender, token }) => {
      const balance = owned.get(token)
      const amounts = limits.flatMap((limit) => (limit === null ? [] : [BigInt(limit)]))
      const amount = balance === undefined ? 0n : amounts.reduce(BigInts.min, balance)
      return amount === 0n ? [] : [{ token, spender, by, amount }]
    })
    const wanted = [...new Set([...takeable.map(({ token }) => token).sort(), ...owned.keys()])].slice(0, mostPriced)
    const markets = new Map(
      yield* Together.forEach(Option.isSome(unit) ? wanted : [], (token) =>
        Effect.map(Effect.option(pools.known(token)), (market) => [token, market] as const)
      )
    )
    const valueOf = (token: Address.Address, amount: bigint): Quantity.Quantity | null =>
      Option.exists(unit, ({ address }) => address === token)
        ? Quantity.make(amount)
        : Option.getOrNull(
            Option.map(
              Option.flatMap(markets.get(token) ?? Option.none(), (market) => proceeds(amount, market)),
              Quantity.make
            )
          )
    const holdings = [...owned]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([address, balance]): Holding => {
        const entry = listed.find((token) => token.address === address)
        return {
          address,
          symbol: entry?.symbol ?? null,
          decimals: entry?.decimals ?? null,
          balance: Quantity.make(balance),
          value: valueOf(address, balance)
        }
      })
    const document: WalletPortfolio = {
      native: Quantity.make(native.value),
      unit: Option.getOrNull(unit),
      holdings,
      at_risk: takeable
        .map(
          ({ amount, by, spender, token }): Exposure => ({
            token,
            spender,
            by,
            amount: Quantity.make(amount),
            value: valueOf(token, amount)
          })
        )
        .sort((a, b) => (`${a.token}${a.spender}${a.by}` < `${b.token}${b.spender}${b.by}` ? -1 : 1)),
      complete:
        Either.isRight(held) &&
        Either.isRight(byPermit2) &&
        Option.exists(granted, ({ complete }) => complete) &&
        Option.match(grantedByPermit2, { onNone: () => true, onSome: ({ complete }) => complete }) &&
        permissions.every(({ balance }) => balance !== null)
    }
    return { value: document, observation: native.observation }
  })

  return Portfolio.of({ of: yield* OncePerKey.make((wallet: Address.Address) => wallet, read) })
})

/**
 * Reads the balances of listed tokens while permissions are found, and the pools of what the wallet has after it: three
 * levels in all.
 */
export const layer: Layer.Layer<Portfolio, never, ChainState | Allowances | Permit2Allowances | Pools> = Layer.scoped(
  Portfolio,
  make
)

/** The limits of a spender besides the balance. */
interface Spendable extends Pick<Exposure, "token" | "spender" | "by"> {
  readonly balance: Quantity.Quantity | null
  readonly limits: ReadonlyArray<Quantity.Quantity | null>
}

const spendable = ({ allowances }: AllowanceSet): ReadonlyArray<Spendable> =>
  allowances.flatMap(({ amount, balance, kind, spender, token }) =>
    // Only a coin's operator comes with a balance.
    kind === "erc20" || (kind === "operator" && balance !== null)
      ? [{ token, spender, by: "erc20", balance, limits: [amount] }]
      : []
  )

const spendableByPermit2 = ({ allowances }: Permit2AllowanceSet): ReadonlyArray<Spendable> =>
  allowances.map(({ amount, balance, spender, token, token_allowance }) => ({
    token,
    spender,
    by: "permit2",
    balance,
    limits: [amount, token_allowance]
  }))

const known = ({ address, decimals, symbol }: AddressBook.KnownToken | TokenLists.ListedToken): KnownToken => ({
  address: Address.checksum(address),
  symbol,
  decimals
})

const listedTokens = ({ addresses, listed }: ChainBook.ChainBook): ReadonlyArray<KnownToken> => {
  const book = Option.match(addresses, {
    onNone: () => [],
    onSome: ({ quoteTokens, wrappedNative }) => [wrappedNative, ...quoteTokens]
  })
  const tokens = new Map([...book, ...listed].map(known).map((token) => [token.address, token] as const))
  return [...tokens.values()].slice(0, mostListed)
}

/**
 * What selling an amount into the deepest pool that has a price would give of the wrapped coin.
 */
const proceeds = (amount: bigint, [pools, { value: reference }]: MarketReading): Option.Option<bigint> =>
  Option.firstSomeOf(
    deepestFirst(pools.value, reference).map((found) =>
      Option.flatMap(sale(amount, found), (received) => inUnit(reference, found, received))
    )
  )

const inUnit = (reference: MarketReference.Reference, { pool }: Inspected, received: bigint): Option.Option<bigint> =>
  Option.contains(reference.wrapped, pool.quote)
    ? Option.some(received)
    : Option.map(
        MarketReference.fundingPair(reference, pool.quote),
        ({ reserveQuote, reserveWrapped }) => (received * reserveWrapped) / reserveQuote
      )

// x * y = k on what the pool has, for V3 on the virtual reserves of the liquidity in range:
// https://uniswap.org/whitepaper-v3.pdf (2.1)
const sale = (amount: bigint, found: Inspected): Option.Option<bigint> => {
  const { liquidity, price, reserveQuote, reserveToken, sides } = found
  const reserves = Option.match(price, {
    onNone: () => Option.some({ token: reserveToken, quote: reserveQuote }),
    onSome: (root) => Option.map(liquidity, (inRange) => ConcentratedLiquidity.virtual(root, sides, inRange))
  })
  return Option.filterMap(reserves, ({ quote, token }) =>
    token === 0n || quote === 0n
      ? Option.none()
      : Option.some(BigInts.min((quote * amount) / (token + amount), reserveQuote))
  )
}
