/** @internal */

import { Context, Effect, Either, Layer, Option } from "effect"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/**
 * Which of the chain's well-known coins say that an account may not move them. Coins that cannot freeze anybody are
 * left out.
 */
export class Frozen extends Context.Tag("@assay/core/Frozen")<
  Frozen,
  {
    readonly of: (account: Address.Address) => Effect.Effect<ReadonlyArray<Freeze>>
  }
>() {}

/** What one coin said of the account, or why it did not. */
export interface Freeze {
  readonly token: Address.Address
  readonly symbol: string
  readonly isFrozen: Either.Either<Reading<boolean>, ChainError>
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const { addresses } = yield* ChainBook.of(state.chain.addressBook)
  const coins = Option.match(addresses, {
    onNone: () => [],
    onSome: ({ quoteTokens }) => quoteTokens
  })
  const read = Effect.fn("Frozen.of")(function* (account: Address.Address) {
    const answers = yield* Together.forEach(coins, ({ address, symbol }) => {
      const token = Address.checksum(address)
      return Effect.map(
        Together.forEach(getters, (getter) =>
          Effect.either(Getter.read(state, token, getter, Getter.bool, [Getter.word(account)]))
        ),
        (readings): ReadonlyArray<Freeze> => {
          const said = readings.flatMap(
            (reading): ReadonlyArray<Reading<boolean>> =>
              Either.isRight(reading) && Option.isSome(reading.right.value)
                ? [{ value: reading.right.value.value, observation: reading.right.observation }]
                : []
          )
          const decisive = said.find(({ value }) => value) ?? said[0]
          const lost = readings.find(Either.isLeft)
          // A "no" is one getter's; another one, that was not answered, may be this coin's own.
          if (lost !== undefined && decisive?.value !== true)
            return [{ token, symbol, isFrozen: Either.left(lost.left) }]
          return decisive === undefined ? [] : [{ token, symbol, isFrozen: Either.right(decisive) }]
        }
      )
    })
    return answers.flat()
  })
  return Frozen.of({ of: yield* OncePerKey.make((account: Address.Address) => account, read) })
})

/** Reads the coins that the chain's address book knows, in one level. */
export const layer: Layer.Layer<Frozen, never, ChainState> = Layer.scoped(Frozen, make)

// What issuers named it: Circle, Tether, Paxos, and Tether again for the tokens it bridges itself.
const getters = [
  Selectors.functions.isBlacklisted,
  Selectors.functions.isBlackListed,
  Selectors.selector("isFrozen(address)"),
  Selectors.selector("isBlocked(address)")
]
