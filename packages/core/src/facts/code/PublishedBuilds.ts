/** @internal */

import { Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import * as Reading from "../../chain/state/Reading.js"
import * as SafeSingletons from "../../data/SafeSingletons.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as KnownRuntime from "../../evm/bytecode/KnownRuntime.js"
import * as ProxyPattern from "../../evm/patterns/ProxyPattern.js"
import * as Together from "../../runtime/Together.js"
import { Functions } from "./Functions.js"

/**
 * Which parts of the code of a contract, its own and its implementations, are published builds: `builds` by their names,
 * `others` the rest. `resolved` is false where not all of its code was found.
 */
export interface PublishedBuilds {
  readonly builds: ReadonlyArray<{ readonly address: Address; readonly name: string; readonly source: string }>
  readonly others: ReadonlyArray<Address>
  readonly resolved: boolean
}

/** Compares all code of a contract with published builds. It reads nothing but that code. */
export const of = (
  address: Address
): Effect.Effect<Reading.Reading<PublishedBuilds>, ChainError, ChainState | Functions> =>
  Effect.gen(function* () {
    const state = yield* ChainState
    const [own, { value }] = yield* Together.all([state.code(address), (yield* Functions).of(address)])
    const parts = [
      // The code of a minimal proxy is only the address of its implementation.
      ...(Option.isSome(ProxyPattern.fromCode(own.value)) ? [] : [{ address, code: own.value }]),
      ...value.logics.filter((logic) => logic.address !== address)
    ]
    const named = parts.map((part) => ({ address: part.address, build: buildOf(part.code) }))
    return Reading.map(own, () => ({
      builds: named.flatMap((part) =>
        Option.toArray(part.build).map(({ name, source }) => ({ address: part.address, name, source }))
      ),
      others: named.flatMap((part) => (Option.isNone(part.build) ? [part.address] : [])),
      resolved: value.resolved
    }))
  })

const buildOf = (code: Hex): Option.Option<{ readonly name: string; readonly source: string }> =>
  Option.orElse(KnownRuntime.identify(code), () =>
    Option.map(SafeSingletons.findByCodeHash(Bytecode.hash(code)), ({ l2, version }) => ({
      name: l2 ? "SafeL2" : "Safe",
      source: `Safe ${version}`
    }))
  )
