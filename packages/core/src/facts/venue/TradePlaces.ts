/** @internal */

import { Option } from "effect"
import type { ChainBook } from "../../chain/ChainBook.js"
import * as AddressBook from "../../data/AddressBook.js"
import * as Address from "../../domain/Address.js"
import * as Market from "./Market.js"

/**
 * The accounts of a chain's exchanges that take part in a token's trades: its pools, by CREATE2, so that only the
 * exchange's code can be there; the routers; and Permit2. Their code is published and fixed, and moves tokens only for
 * traders: nobody controls them.
 */
export const of = (book: ChainBook, token: Address.Address): ReadonlySet<Address.Address> => {
  const market = Market.of(book)
  return new Set([
    ...Market.pairAddresses(market, token),
    ...Market.poolAddresses(market, token),
    ...shared(book, market)
  ])
}

const shared = ({ addresses }: ChainBook, { exchanges, managers }: Market.Market): ReadonlyArray<Address.Address> =>
  Option.isNone(addresses)
    ? []
    : [
        AddressBook.permit2,
        ...managers.map(({ manager }) => manager),
        ...exchanges.flatMap((exchange) =>
          (exchange.kind === "uniswap-v2" ? [exchange.router] : [exchange.nfpm, exchange.swapRouter]).flatMap(
            (address) => address ?? []
          )
        )
      ].map(Address.checksum)
