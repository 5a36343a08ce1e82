/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import type { CallOutcome, ChainState } from "../chain/ChainState.js"
import * as Together from "../chain/Together.js"
import type { Address } from "../domain/Address.js"
import type { UnreadAllowance } from "../domain/facts/Allowance.js"
import * as Selectors from "../evm/Selectors.js"
import * as Getter from "./Getter.js"
import type { Permission } from "./Permission.js"

/**
 * A permission that was announced and that its token denies, with what the wallet has of the token.
 *
 * @since 0.1.0
 * @category models
 */
export interface Denied extends Permission {
  readonly balance: bigint
}

// Each is two calls. An allowance that was used up is denied as well, and most wallets have had a few of those.
const mostTried = 16

/**
 * Those of them of which the token still lets the spender move a unit, though no more than there is: a token that only
 * says yes to everything moves nothing. Whether the permission is in force is not known of them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const honoured = (
  state: ChainState["Type"],
  wallet: Address,
  denied: ReadonlyArray<Denied>
): Effect.Effect<ReadonlyArray<UnreadAllowance>> =>
  Effect.map(
    Together.forEach(
      denied.filter(({ balance }) => balance > 0n && balance < maxBalance).slice(0, mostTried),
      (permission) => {
        const take = (amount: bigint): Effect.Effect<boolean, ChainError> =>
          Effect.map(
            state.call({
              from: permission.spender,
              to: permission.token,
              data: Getter.calldata(Selectors.functions.transferFrom, [
                Getter.word(wallet),
                Getter.word(permission.spender),
                Getter.word(amount)
              ])
            }),
            ({ value }) => isTransfer(value)
          )
        const unread = (reason: UnreadAllowance["reason"]): ReadonlyArray<UnreadAllowance> => [
          { kind: "erc20", token: permission.token, spender: permission.spender, reason }
        ]
        return Effect.map(
          Effect.either(Together.all({ some: take(1n), more: take(permission.balance + 1n) })),
          Either.match({
            onLeft: ({ reason }) => unread(reason),
            onRight: ({ more, some }) => (some && !more ? unread("inconclusive") : [])
          })
        )
      }
    ),
    (found) => found.flat()
  )

const maxBalance = 2n ** 256n - 1n

/** A token that answers nothing has transferred as well: https://eips.ethereum.org/EIPS/eip-20 came after many of them. */
const isTransfer = (outcome: CallOutcome): boolean =>
  outcome._tag === "Returned" && (outcome.data === "0x" || Option.contains(Getter.bool(outcome.data), true))
