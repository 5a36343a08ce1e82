/** @internal */

import { BigInt as BigInts, Effect, Either, Option } from "effect"
import type { ChainState, Log } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { UnknownReason } from "../../domain/Evidence.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as Slots from "../../evm/bytecode/Slots.js"
import * as Together from "../../runtime/Together.js"
import * as EventScan from "../EventScan.js"
import * as Getter from "../Getter.js"

/** The insiders of a token, and why there may be more of them; null where all were read. */
export interface Insiders {
  readonly accounts: ReadonlyArray<Address.Address>
  readonly gap: UnknownReason | null
}

const { functions, topics } = Selectors

const getters: ReadonlyArray<Hex> = [functions.owner, functions.getOwner, functions.admin, functions.governance]

// https://eips.ethereum.org/EIPS/eip-1967 and OpenZeppelin's namespaced owner.
const slots: ReadonlyArray<Hex> = [Slots.ownable, Slots.admin]

/**
 * The owner and admin that the token itself names: one level. Accounts behind them, or with a role, are in the control
 * graph.
 */
export const named = (state: ChainState["Type"], token: Address.Address): Effect.Effect<Insiders> =>
  Effect.map(
    Together.forEach(
      [
        ...getters.map((getter) =>
          Effect.map(Getter.account(state, token, getter), ({ value }) => Option.toArray(value))
        ),
        ...slots.map((slot) =>
          Effect.map(state.storage(token, slot), ({ value }) => Option.toArray(Getter.storedAddress(value)))
        )
      ],
      Effect.either
    ),
    (read) => ({
      accounts: [...new Set(read.flatMap((each) => Either.getOrElse(each, () => [])))].filter(
        (account) => account !== Address.zero
      ),
      gap: read.find(Either.isLeft)?.left.reason ?? null
    })
  )

const mostReceivers = 16

/** The first receivers of newly made tokens: the deployer, or whom the deployer chose. One level. */
export const firstReceivers = (state: ChainState["Type"], token: Address.Address): Effect.Effect<Insiders> =>
  Effect.map(
    EventScan.of(state, { address: token, topics: [topics.Transfer, Getter.word(Address.zero)] }),
    ({ gap, logs }) => ({ accounts: receivers(logs), gap })
  )

/** The first receivers in transfers, oldest first. */
export const receivers = (transfers: ReadonlyArray<Log>): ReadonlyArray<Address.Address> =>
  [...new Set(transfers.flatMap((log) => Option.toArray(receiver(log))))].slice(0, mostReceivers)

/** How much went to others than those, in the token's smallest unit. */
export const toFurther = (transfers: ReadonlyArray<Log>): bigint => {
  const first = new Set(receivers(transfers))
  return BigInts.sumAll(
    transfers.flatMap((log) =>
      Option.exists(receiver(log), (account) => first.has(account)) ? [] : Option.toArray(Getter.uint(log.data))
    )
  )
}

const receiver = ({ topics: [, , to] }: Log): Option.Option<Address.Address> =>
  Option.flatMap(Option.fromNullable(to), Getter.addressOfWord)

/** The accounts that a token names, and its first receivers: one level. */
export const close = (state: ChainState["Type"], token: Address.Address): Effect.Effect<Insiders> =>
  Effect.map(Together.all([named(state, token), firstReceivers(state, token)]), ([ofName, first]) => ({
    accounts: [...new Set([...ofName.accounts, ...first.accounts])],
    gap: ofName.gap ?? first.gap
  }))
