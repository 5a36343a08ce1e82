/** @internal */

import { Option } from "effect"
import * as Hash from "ox/Hash"
import type { ChainBook } from "../../chain/ChainBook.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import type * as Hex from "../../domain/Hex.js"
import * as Getter from "../Getter.js"
import type * as ConcentratedLiquidity from "./ConcentratedLiquidity.js"

/**
 * Where tokens of one chain are traded. `wrapped` is the wrapped coin, or native coin itself, by the zero address, where none is
 * known and a manager has pools of it; only the former is a quote. `dollars` are the quotes that are worth a dollar each, `references` the tokens with pools
 * that trades are compared with; `byBuild` where exchanges are known by their code alone.
 */
export interface Market {
  readonly wrapped: Option.Option<AddressBook.KnownToken>
  readonly quotes: ReadonlyArray<AddressBook.KnownToken>
  readonly dollars: ReadonlyArray<AddressBook.KnownToken>
  readonly references: ReadonlyArray<AddressBook.KnownToken>
  readonly exchanges: ReadonlyArray<AddressBook.FactoryExchange>
  readonly managers: ReadonlyArray<AddressBook.ManagerExchange>
  readonly vaults: ReadonlyArray<AddressBook.PoolVault>
  readonly byBuild: boolean
}

/**
 * The market that the address book knows of a chain; no exchanges where it knows none. An exchange that it knows elsewhere
 * may stand there, so that the vaults of all chains are looked at.
 */
export const of = ({ addresses }: ChainBook): Market =>
  Option.match(addresses, {
    onNone: () => ({
      wrapped: Option.none(),
      quotes: [],
      dollars: [],
      references: [],
      exchanges: [],
      managers: [],
      vaults: [...AddressBook.managersAnywhere.map(vaultOf), ...AddressBook.vaultsAnywhere],
      byBuild: false
    }),
    onSome: (book) => ({
      wrapped: Option.some(book.wrappedNative),
      quotes: [book.wrappedNative, ...book.quoteTokens],
      dollars: book.quoteTokens,
      references: book.quoteTokens,
      exchanges: book.exchanges,
      managers: book.managers,
      vaults: [...book.managers.map(vaultOf), ...book.poolVaults],
      byBuild: false
    })
  })

/** A manager as what it is before its pools are read. */
export const vaultOf = ({ manager, name, source }: AddressBook.ManagerExchange): AddressBook.PoolVault => ({
  name,
  address: manager,
  source
})

/** The contracts that keep the tokens of all pools of an exchange. */
export const vaultsOf = ({ vaults }: Market): ReadonlyArray<Address.Address> =>
  vaults.map(({ address }) => Address.checksum(address))

/**
 * The address of the pair of two tokens, whether it was created or not.
 *
 * @see https://docs.uniswap.org/contracts/v2/guides/smart-contract-integration/getting-pair-addresses
 */
export const pairAddress = (exchange: AddressBook.PairExchange, a: Hex.Hex, b: Hex.Hex): Address.Address => {
  const [first, second] = sorted(a, b)
  return create2(exchange.factory, `0x${first.slice(2)}${second.slice(2)}`, exchange.initCodeHash)
}

/**
 * The address of the pool of two tokens with a fee in hundredths of a basis point, whether it was created or not.
 *
 * @see https://github.com/Uniswap/v3-periphery/blob/main/contracts/libraries/PoolAddress.sol
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
 * The addresses of possible pairs of a token, created or not, so that they can be read before it is known which of them
 * exist.
 */
export const pairAddresses = (market: Market, token: Hex.Hex): ReadonlyArray<Address.Address> =>
  market.exchanges.flatMap((exchange) =>
    exchange.kind === "uniswap-v2"
      ? quotesFor(market, token).map((quote) => pairAddress(exchange, token, quote.address))
      : []
  )

/** The same for pools of Uniswap V3. */
export const poolAddresses = (market: Market, token: Hex.Hex): ReadonlyArray<Address.Address> =>
  market.exchanges.flatMap((exchange) =>
    exchange.kind === "uniswap-v3"
      ? quotesFor(market, token).flatMap((quote) =>
          exchange.fees.map((fee) => poolAddress(exchange, token, quote.address, fee))
        )
      : []
  )

const sorted = (a: Hex.Hex, b: Hex.Hex): readonly [Hex.Hex, Hex.Hex] => {
  const [x, y] = [a.toLowerCase() as Hex.Hex, b.toLowerCase() as Hex.Hex]
  return x < y ? [x, y] : [y, x]
}

/** By EIP-1014; the salt is the hash of the data: https://eips.ethereum.org/EIPS/eip-1014 */
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

// An analysis computes the pools of its token several times, and every analysis those of the quotes: each costs three
// hashes.
const places = new Map<string, Address.Address>()

const placesAtMost = 10_000

/** The quote tokens, without one of them. */
export const quotesFor = (market: Market, token: Hex.Hex): ReadonlyArray<AddressBook.KnownToken> =>
  market.quotes.filter((quote) => quote.address !== token)

/** Whether a token is the first of the two in their pool. */
export const tokenIsFirst = (token: Hex.Hex, quote: Hex.Hex): boolean => token.toLowerCase() < quote.toLowerCase()

/** The same as the sides of a pool. */
export const sidesOf = (token: Hex.Hex, quote: Hex.Hex): ConcentratedLiquidity.Sides =>
  tokenIsFirst(token, quote) ? "token-first" : "quote-first"
