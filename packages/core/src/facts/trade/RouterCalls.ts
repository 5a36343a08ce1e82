/** @internal */

import { Option } from "effect"
import type * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Getter from "../Getter.js"
import * as Market from "../venue/Market.js"
import type * as MarketReference from "../venue/MarketReference.js"
import { atLeastOne, controlSpend, promisedByPrice } from "./TradeAmounts.js"
import type { Funding, TradeRoute } from "./TradeRoute.js"

/** What a router has to know to trade: native coin goes in and comes out where nothing has to fund the purchase. */
export type Trading = Pick<TradeRoute, "router" | "funding">

/** An amount that the latest deadline and the widest allowance are made of. */
export const boundless = 2n ** 256n - 1n

/** Calldata that deposits native coin for the quote or swaps it into it, for the account itself. */
export const fundingData = (route: TradeRoute, funding: Funding, to: Address.Address): Hex =>
  funding.deposits
    ? Selectors.functions.deposit
    : encode("swapExactETHForTokens(uint256,address[],address,uint256)", [
        1n,
        [route.wrapped, route.pool.pool.quote],
        to,
        boundless
      ])

/** Calldata of a purchase by the router, of any amount of the token above nothing. */
export const purchaseData = (
  { funding, router }: Trading,
  quote: Hex,
  token: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex =>
  router.exchange.kind !== "uniswap-v2"
    ? singleSwap(router, quote, token, fee, to, amount)
    : Option.isNone(funding)
      ? encode("swapExactETHForTokensSupportingFeeOnTransferTokens(uint256,address[],address,uint256)", [
          1n,
          [quote, token],
          to,
          boundless
        ])
      : swapTokens(quote, token, to, amount)

/** Calldata of a sale by the router, for any amount of the quote above nothing: it reverts where none came. */
export const saleData = (
  { funding, router }: Trading,
  token: Hex,
  quote: Hex,
  fee: number,
  to: Address.Address,
  amount: bigint
): Hex =>
  router.exchange.kind !== "uniswap-v2"
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

/** Calldata of a function with word arguments and one list of addresses. */
const encode = (signature: string, args: ReadonlyArray<bigint | Hex | readonly [Hex, Hex]>): Hex => {
  const tail: Array<Hex> = []
  const head = args.map((argument) => {
    if (typeof argument === "bigint" || typeof argument === "string") return Getter.word(argument)
    tail.push(Getter.word(BigInt(argument.length)), ...argument.map((item) => Getter.word(item)))
    return Getter.word(BigInt(args.length * 32))
  })
  return Getter.calldata(Selectors.selector(signature), [...head, ...tail])
}

/** Calldata of a plain transfer. */
export const transferData = (to: Hex, amount: bigint): Hex =>
  Getter.calldata(Selectors.functions.transfer, [Getter.word(to), Getter.word(amount)])

/** Calldata of an approval. */
export const approvalData = (spender: Hex, amount: bigint): Hex =>
  Getter.calldata(Selectors.functions.approve, [Getter.word(spender), Getter.word(amount)])

/** A call that an account makes in a trade. */
export interface Move {
  readonly to: Hex
  readonly data: Hex
  readonly value?: bigint | undefined
}

/** What an account does to buy the control token and to sell a hundredth of it, by the same router. */
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
    onSome: (price) => promisedByPrice(Market.sidesOf(token, wrapped), price, value)
  })
  const sold = atLeastOne(promised / 100n)
  return {
    purchase: { to: router.address, data: purchaseData(trading, wrapped, token, pool.fee, sender, value), value },
    approval: { to: token, data: approvalData(router.address, boundless) },
    sale: { to: router.address, data: saleData(trading, token, wrapped, pool.fee, sender, sold) }
  }
}
