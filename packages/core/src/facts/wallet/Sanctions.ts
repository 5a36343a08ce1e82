/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import * as Hash from "ox/Hash"
import * as ChainBook from "../../chain/ChainBook.js"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import * as Address from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as Selectors from "../../evm/bytecode/Selectors.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/**
 * Whether an account is on the list of Chainalysis' sanctions oracle; none where the chain has no oracle at the pinned
 * block.
 *
 * @see https://go.chainalysis.com/chainalysis-oracle-docs.html
 */
export class Sanctions extends Context.Tag("@assay/core/Sanctions")<
  Sanctions,
  {
    readonly of: (account: Address.Address) => Effect.Effect<Option.Option<Reading<Screening>>, ChainError>
  }
>() {}

/**
 * What an oracle said. `unreliable`: its answers about accounts of which the truth is known were wrong, so its answer
 * about this one says nothing.
 */
export interface Screening {
  readonly oracle: Address.Address
  readonly answer: "listed" | "not_listed" | "unreliable"
}

/**
 * Accounts that have been on the list for years, one of which an oracle has to name before its "no" is believed: the
 * thief of the Ronin bridge (OFAC, 14 April 2022) and an account of the Lazarus Group's launderers (OFAC, 2 March 2020).
 *
 * @see https://ofac.treasury.gov/recent-actions/20220414
 * @see https://ofac.treasury.gov/recent-actions/20200302
 */
export const longListed: ReadonlyArray<Address.Address> = [
  Address.checksum("0x098B716B8Aaf21512996dC57EB0615e2383E2f96"),
  Address.checksum("0x7F367cC41522cE07553e823bf3be79A889DEbe1B")
]

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const { addresses } = yield* ChainBook.of(state.chain.addressBook)
  const oracle = Option.map(
    Option.flatMapNullable(addresses, ({ sanctionsOracle }) => sanctionsOracle),
    Address.checksum
  )
  const read = Effect.fn("Sanctions.of")(function* (account: Address.Address) {
    if (Option.isNone(oracle)) return Option.none()
    const ask = (about: Address.Address) =>
      Getter.read(state, oracle.value, Selectors.functions.isSanctioned, Getter.bool, [Getter.word(about)])
    const { answer, code, listed, unlisted } = yield* Together.all({
      code: state.code(oracle.value),
      answer: ask(account),
      listed: Together.forEach(longListed, ask),
      unlisted: ask(stranger(account))
    })
    if (Bytecode.isEmpty(code.value)) return Option.none()
    const isReliable =
      listed.some((control) => Option.contains(control.value, true)) && Option.contains(unlisted.value, false)
    const screening: Screening = {
      oracle: oracle.value,
      answer: !isReliable
        ? "unreliable"
        : Option.match(answer.value, {
            onNone: () => "unreliable",
            onSome: (named) => (named ? "listed" : "not_listed")
          })
    }
    return Option.some({ value: screening, observation: answer.observation })
  })
  return Sanctions.of({ of: yield* OncePerKey.make((account: Address.Address) => account, read) })
})

/**
 * Queries the oracle of the chain's address book in one level, together with accounts that it must know and one that it
 * cannot know.
 */
export const layer: Layer.Layer<Sanctions, never, ChainState> = Layer.scoped(Sanctions, make)

/** An address that nobody has and no list can name, so that an oracle which names it names everybody. */
const stranger = (account: Address.Address): Address.Address =>
  Address.checksum(`0x${Hash.keccak256(account.toLowerCase() as Hex).slice(-40)}`)
