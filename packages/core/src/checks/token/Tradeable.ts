import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import * as Token from "../../facts/Token.js"

/**
 * Whether a token is of the kind that exchanges of fungible tokens take. What answers as no known standard is asked
 * for in the pools all the same: a token can hide its standard and still be sold.
 *
 * @since 0.1.0
 * @category combinators
 */
export const fungible = (address: Address): Effect.Effect<boolean, ChainError, Token.Token> =>
  Effect.gen(function* () {
    const token = yield* Token.Token
    const { value } = yield* token.of(address)
    return value.standard !== "erc721" && value.standard !== "erc1155"
  })
