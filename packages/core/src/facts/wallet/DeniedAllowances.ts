/** @internal */

import { Effect, Either, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { CallOutcome, ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { UnreadAllowance } from "../../domain/facts/Allowance.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"
import type { Permission } from "./Permission.js"

/** A permission that was announced and that its token denies, with what the wallet has of the token. */
export interface Denied extends Permission {
  readonly balance: bigint
  /** The transaction in which it was announced. */
  readonly transaction: Hex
}

/** Those that a token denies and may honour. `all` says that every one was tried, but for what a token made up. */
export interface Honoured {
  readonly unread: ReadonlyArray<UnreadAllowance>
  readonly all: boolean
}

// Each is two calls. An allowance that was used up is denied as well, and most wallets have had a few of those.
const mostTried = 32

// Nobody approves more than these at once. A token with more approvals in one transaction made them up, and a few of
// them show that.
const mostAtOnce = 8

/**
 * Those with a token that lets the spender move one unit, but not more than the balance: a token that only returns true
 * moves nothing. Whether the permission is in force stays unknown for them.
 */
export const honoured = (
  state: ChainState["Type"],
  wallet: Address,
  denied: ReadonlyArray<Denied>
): Effect.Effect<Honoured> => {
  const told = fewOfEach(denied.filter(({ balance }) => balance > 0n && balance < maxBalance))
  return Effect.map(
    Together.forEach(told.slice(0, mostTried), (permission) => {
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
    }),
    (found) => ({ unread: found.flat(), all: told.length <= mostTried })
  )
}

const fewOfEach = (denied: ReadonlyArray<Denied>): ReadonlyArray<Denied> => {
  const counts = new Map<string, number>()
  return denied.filter(({ token, transaction }) => {
    const key = `${token} ${transaction}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= mostAtOnce
  })
}

const maxBalance = 2n ** 256n - 1n

/**
 * A transfer without a return value succeeded as well: many tokens are older than
 * https://eips.ethereum.org/EIPS/eip-20.
 */
const isTransfer = (outcome: CallOutcome): boolean =>
  outcome._tag === "Returned" && (outcome.data === "0x" || Option.contains(Getter.bool(outcome.data), true))
