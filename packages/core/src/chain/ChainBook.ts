/** @internal */

import { Context, Effect, Option, Predicate } from "effect"
import type { ChainAddresses } from "../data/AddressBook.js"
import { loaders } from "../data/ChainBooks.js"
import type { ChainRows } from "../data/ChainRows.js"
import * as TokenLists from "../data/TokenLists.js"
import * as Part from "../runtime/Part.js"

/**
 * What this package knows about a chain: the addresses of its exchanges, lockers and spenders, where the address book
 * covers it, and its tokens on the token list, in the list's order.
 */
export interface ChainBook {
  readonly addresses: Option.Option<ChainAddresses>
  readonly listed: ReadonlyArray<TokenLists.ListedToken>
}

/** How the book of a chain is loaded; tests put a loader that fails in its place. */
export class Loader extends Context.Reference<Loader>()("@assay/core/ChainBook/Loader", {
  defaultValue: (): ((chainId: number) => ChainBook | Promise<ChainBook>) => (chainId) =>
    loaded.get(chainId) ??
    loaders
      .get(chainId)?.()
      .then((rows) => keep(chainId, rows)) ??
    unknown
}) {}

/**
 * The book of a chain; an empty one where nothing is known about it. It is loaded with its first use, because those of all
 * chains together are a tenth of the code of an analyzer. Dies with `PartUnavailable` where that fails: with an
 * empty one, known pools and tokens would be missing in silence.
 */
export const of = (chainId: number): Effect.Effect<ChainBook> =>
  Effect.flatMap(Loader, (load) => {
    const book = load(chainId)
    // One that is there takes no turn of the event loop, so that what is read next leaves with what is read beside it.
    return Predicate.isPromise(book)
      ? Part.load(`what is known about chain ${chainId}`, () => book)
      : Effect.succeed(book)
  })

/** The entry of an address on the token list, any letter case. */
export const findListed = ({ listed }: ChainBook, address: string): Option.Option<TokenLists.ListedToken> => {
  const wanted = address.toLowerCase()
  return Option.fromNullable(listed.find((token) => token.address.toLowerCase() === wanted))
}

/** Whether an address is on the token list, any letter case. */
export const isListed = (book: ChainBook, address: string): boolean => Option.isSome(findListed(book, address))

const unknown: ChainBook = { addresses: Option.none(), listed: [] }

// What failed to load is not in it, and may work the next time.
const loaded = new Map<number, ChainBook>()

const keep = (chainId: number, { addresses, tokens }: ChainRows): ChainBook => {
  const book = { addresses: Option.fromNullable(addresses), listed: tokens.map(TokenLists.toListed(chainId)) }
  loaded.set(chainId, book)
  return book
}
