/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as BatchRead from "../BatchRead.js"
import * as Getter from "../Getter.js"
import { newest, type Permission, type PlaceOf, toOthers } from "./Permission.js"

/**
 * What events of ERC-777 coins show of a wallet: the operators that it authorised, newest first, and the coins in its
 * history, each of which may have default operators. `all` says that none was left out.
 *
 * @see https://eips.ethereum.org/EIPS/eip-777
 */
export interface Named {
  readonly authorised: ReadonlyArray<Permission>
  readonly coins: ReadonlyArray<Address>
  readonly all: boolean
}

const authorised = Selectors.topic("AuthorizedOperator(address,address)")
const sent = Selectors.topic("Sent(address,address,address,uint256,bytes,bytes)")
const minted = Selectors.topic("Minted(address,address,uint256,bytes,bytes)")

// The standard is seldom used; who names a wallet in more of them makes them up.
const mostAuthorised = 120
const mostCoins = 16

// Each is read one by one.
const mostDefaults = 8

/** Finds them by two scans, because these events have the wallet at another position than other approvals. */
export const named = (state: ChainState["Type"], wallet: Address): Effect.Effect<Named> =>
  Effect.map(
    Together.all({
      held: Effect.either(state.logs({ topics: [[authorised, minted, sent], null, Getter.word(wallet)] })),
      received: Effect.either(state.logs({ topics: [sent, null, null, Getter.word(wallet)] }))
    }),
    ({ held, received }) => {
      const scans = [held, received].flatMap((scan) => (Either.isRight(scan) ? [scan.right.value] : []))
      const logs = scans.flatMap((scan) => scan.logs)
      const given = toOthers(
        logs.filter(({ topics }) => topics[0] === authorised),
        placeOf,
        wallet
      )
      const operators = newest(given, placeOf, mostAuthorised)
      const coins = [...new Set(logs.map(({ address }) => address))]
      return {
        authorised: operators.kept,
        coins: coins.slice(-mostCoins),
        all: scans.length === 2 && scans.every(({ complete }) => complete) && operators.all && coins.length <= mostCoins
      }
    }
  )

/** The operators that coins have for everybody who did not revoke them, of those of which the wallet has some. */
export const defaults = (
  state: ChainState["Type"],
  wallet: Address,
  coins: ReadonlyArray<Address>
): Effect.Effect<{ readonly permissions: ReadonlyArray<Permission>; readonly all: boolean }> =>
  Effect.gen(function* () {
    const answers = yield* Together.forEach(coins, (token) =>
      Effect.either(
        Effect.map(
          Together.all({
            operators: Getter.read(state, token, defaultOperators, Getter.addresses),
            balance: Getter.read(state, token, Selectors.functions.balanceOf, Getter.uint, [Getter.word(wallet)])
          }),
          ({ balance, operators }) => {
            const others = Option.getOrElse(operators.value, () => []).filter((operator) => operator !== wallet)
            const isHeld = !Option.contains(balance.value, 0n)
            return {
              permissions: isHeld ? others.slice(0, mostDefaults).map((spender) => ({ token, spender })) : [],
              all: !isHeld || others.length <= mostDefaults
            }
          }
        )
      )
    )
    const failed = coins.filter((_, place) => Option.exists(Option.fromNullable(answers[place]), Either.isLeft))
    return {
      permissions: answers.flatMap((answer) => (Either.isRight(answer) ? answer.right.permissions : [])),
      all:
        answers.every((answer) => Either.isLeft(answer) || answer.right.all) &&
        (failed.length === 0 || (yield* haveNone(state, failed)))
    }
  })

/**
 * Whether coins with a failed read have no such operators. In a batch no coin can spoil the answers of the others, so
 * one that does not answer there answers nobody.
 */
const haveNone = (state: ChainState["Type"], coins: ReadonlyArray<Address>): Effect.Effect<boolean> =>
  Effect.match(
    BatchRead.all(
      state,
      coins.map((coin) => BatchRead.get(coin, defaultOperators)),
      { readsPerCall: BatchRead.hostileReads }
    ),
    {
      onFailure: () => false,
      // A list is encoded as the offset of its length, and its length.
      onSuccess: ({ value }) => value.every(([, length = 0n]) => length === 0n)
    }
  )

const defaultOperators = Selectors.selector("defaultOperators()")

const placeOf: PlaceOf = ({ address, topics }: Log) => ({ token: Getter.word(address), spender: topics[1] })
