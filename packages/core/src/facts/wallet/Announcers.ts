/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import { Code } from "../code/Code.js"
import { Allowances } from "./Allowances.js"
import type { Permission } from "./Permission.js"

/** Who announced what a wallet lets others move. */
export class Announcers extends Context.Tag("@assay/core/Announcers")<
  Announcers,
  {
    /**
     * Who sent the transaction with the newest event of a permission. If it is not the wallet, then the wallet gave it by
     * a signature, or never: anybody can write a token that emits such an event and shows an allowance. None where no event
     * announced it, and of a wallet with code, for which others send.
     */
    readonly of: (wallet: Address, permission: Permission) => Effect.Effect<Option.Option<Address>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const allowances = yield* Allowances
  const code = yield* Code
  const read = Effect.fn("Announcers.of")(function* (wallet: Address, permission: Permission) {
    const { value: account } = yield* code.of(wallet)
    if (account.kind !== "eoa") return Option.none()
    const transaction = yield* allowances.announcedIn(wallet, permission)
    if (Option.isNone(transaction)) return Option.none()
    const receipt = yield* state.receipt(transaction.value)
    return Option.map(receipt.value, ({ from }) => from)
  })
  return Announcers.of({ of: read })
})

/** A receipt for each permission, a level after the events. */
export const layer: Layer.Layer<Announcers, never, Allowances | ChainState | Code> = Layer.effect(Announcers, make)
