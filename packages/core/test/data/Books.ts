import { Option } from "effect"
import type { ChainAddresses } from "../../src/data/AddressBook.js"
import { loaders } from "../../src/data/ChainBooks.js"
import type { ListedToken } from "../../src/data/TokenLists.js"
import * as TokenLists from "../../src/data/TokenLists.js"

const rows = await Promise.all([...loaders].map(async ([id, load]) => [id, await load()] as const))

/** The addresses of every chain that the address book covers. */
export const covered: ReadonlyArray<readonly [chainId: number, ChainAddresses]> = rows.flatMap(([id, { addresses }]) =>
  Option.toArray(Option.map(Option.fromNullable(addresses), (found) => [id, found] as const))
)

/** The tokens on the list, by chain. */
export const listed: ReadonlyArray<readonly [chainId: number, ReadonlyArray<ListedToken>]> = rows
  .filter(([, { tokens }]) => tokens.length > 0)
  .map(([id, { tokens }]) => [id, tokens.map(TokenLists.toListed(id))])
