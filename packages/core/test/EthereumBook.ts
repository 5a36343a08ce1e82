import { Effect, Option } from "effect"
import * as ChainBook from "../src/chain/ChainBook.js"

/** What is known about Ethereum: the addresses that the scripted chain and the sandbox have too. */
export const book = await Effect.runPromise(ChainBook.of(1))

/** Its addresses. */
export const addresses = Option.getOrThrow(book.addresses)
