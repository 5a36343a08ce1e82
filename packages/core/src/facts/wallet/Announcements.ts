/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState, type SimulatedCall, type Transaction } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import { Code } from "../code/Code.js"
import * as Getter from "../Getter.js"
import { Allowances } from "./Allowances.js"
import type { Permission } from "./Permission.js"

/** How permissions of a wallet were announced. */
export class Announcements extends Context.Tag("@assay/core/Announcements")<
  Announcements,
  {
    /**
     * The transaction with the newest event of a permission. None where no event announced it, where it is not among the
     * newest, and of a wallet with code, for which others send.
     */
    readonly of: (
      wallet: Address.Address,
      permission: Permission
    ) => Effect.Effect<Option.Option<Announcement>, ChainError>
  }
>() {}

/**
 * Who sent the transaction; none where the endpoint does not have it any more. If it is not the wallet, then the wallet
 * signed the permission (a permit, or an order to a relayer), or had no part in it. `isMadeUp` where the latter was shown:
 * the same transaction gives a permission of an account that nobody has a key of.
 */
export interface Announcement {
  readonly sender: Option.Option<Address.Address>
  readonly isMadeUp: boolean
}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const allowances = yield* Allowances
  const code = yield* Code
  const find = Effect.fn("Announcements.of")(function* (wallet: Address.Address, permission: Permission) {
    const { value: account } = yield* code.of(wallet)
    const hash = account.kind === "eoa" ? yield* allowances.announcedIn(wallet, permission) : Option.none()
    if (Option.isNone(hash)) return Option.none()
    const { value } = yield* state.transaction(hash.value)
    const sender = Option.map(value, ({ from }) => from)
    const others = Option.filter(value, ({ from }) => from !== wallet)
    const isMadeUp = Option.isSome(others)
      ? yield* anybody(state, { wallet, permission, hash: hash.value, transaction: others.value })
      : false
    return Option.some({ sender, isMadeUp })
  })
  return Announcements.of({ of: find })
})

/** A transaction for each permission, two levels after the events, and a simulation of those that others sent. */
export const layer: Layer.Layer<Announcements, never, Allowances | ChainState | Code> = Layer.effect(
  Announcements,
  make
)

interface Announced {
  readonly wallet: Address.Address
  readonly permission: Permission
  readonly hash: Hex
  readonly transaction: Transaction
}

/**
 * Whether the transaction, with another account in place of the wallet, gives the same permission of that account. It has
 * its address from the hash, so that nobody has its key, and the token's author could not know it.
 */
const anybody = (
  state: ChainState["Type"],
  { hash, permission, transaction, wallet }: Announced
): Effect.Effect<boolean, ChainError> => {
  const stranger = Address.checksum(`0x${hash.slice(-40)}`)
  const data = transaction.data.toLowerCase().replaceAll(digits(wallet), digits(stranger)) as Hex
  const words = [Getter.word(stranger), Getter.word(permission.spender)]
  const asked = [Selectors.functions.allowance, Selectors.functions.isApprovedForAll]
  const again = Option.map(transaction.to, (to) => ({
    from: transaction.from,
    to,
    data,
    value: transaction.value,
    gas
  }))
  return Effect.map(
    state.simulate({
      blocks: [
        {
          ...(transaction.value === 0n ? {} : { overrides: { [transaction.from]: { balance: transaction.value } } }),
          calls: [
            ...Option.toArray(again),
            ...asked.map((getter) => ({ to: permission.token, data: Getter.calldata(getter, words), gas: ofGetter }))
          ]
        }
      ]
    }),
    ({ value }) => (value[0] ?? []).slice(-asked.length).some(isGiven)
  )
}

const digits = (address: Address.Address): string => address.slice(2).toLowerCase()

const isGiven = ({ outcome }: SimulatedCall): boolean =>
  outcome._tag === "Returned" && Option.exists(Getter.uint(outcome.data), (amount) => amount > 0n)

// A token is sent to hundreds of accounts at once.
const gas = 25_000_000n

const ofGetter = 1_000_000n
