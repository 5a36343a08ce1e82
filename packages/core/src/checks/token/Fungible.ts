/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { Address } from "../../domain/Address.js"
import * as Token from "../../facts/market/Token.js"

/**
 * Whether exchanges of fungible tokens can list the token. True for a contract that follows no known standard too: a
 * token can hide its standard, or claim another one, and still trade.
 */
export const is = (address: Address): Effect.Effect<boolean, ChainError, Token.Token> =>
  Effect.flatMap(Token.Token, (token) => Effect.map(token.isCollection(address), (isCollection) => !isCollection))
