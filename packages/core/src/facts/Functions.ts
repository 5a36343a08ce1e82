import { Context, Effect, Layer } from "effect"
import type { ChainError } from "../chain/ChainError.js"
import { ChainState } from "../chain/ChainState.js"
import type { Reading } from "../chain/Reading.js"
import type { Address } from "../domain/Address.js"
import type { Hex } from "../domain/Hex.js"
import * as Bytecode from "../evm/Bytecode.js"
import * as StorageFlow from "../evm/StorageFlow.js"
import * as Memo from "./Memo.js"
import { Proxy } from "./Proxy.js"

/**
 * A piece of code that answers for a contract: where it stands, which opcodes it can reach, and what its functions do
 * with storage.
 *
 * @since 0.1.0
 * @category models
 */
export interface Logic {
  readonly address: Address
  readonly code: Hex
  readonly reach: Bytecode.Reach
  readonly flow: StorageFlow.StorageFlow
}

/**
 * All code that answers for a contract: its own, or that of every implementation behind it. `resolved` is false where
 * it hands calls on to code that was not found, so that what is missing in `logics` may still be there; `fixed` says that
 * nobody can put other code in its place, so that what is missing stays missing.
 *
 * @since 0.1.0
 * @category models
 */
export interface ResolvedCode {
  readonly logics: ReadonlyArray<Logic>
  readonly resolved: boolean
  readonly fixed: boolean
}

/**
 * What the code that answers for a contract does.
 *
 * @since 0.1.0
 * @category services
 */
export class Functions extends Context.Tag("@assay/core/Functions")<
  Functions,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<ResolvedCode>, ChainError>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const proxy = yield* Proxy
  const logicAt = yield* Memo.make(
    (address: Address) => address,
    Effect.fn("Functions.logicAt")(function* (address: Address) {
      const { observation, value } = yield* state.code(address)
      const logic: Logic = {
        address,
        code: value,
        reach: Bytecode.reach(Bytecode.parse(value)),
        flow: yield* StorageFlow.analyse(value)
      }
      return { value: logic, observation, isEmpty: Bytecode.isEmpty(value) }
    })
  )
  const read = Effect.fn("Functions.of")(function* (address: Address) {
    const own = yield* state.code(address)
    const { value: structure } = yield* proxy.of(address)
    const behind =
      structure.kind === "none" || structure.kind === "unrecognised" ? [address] : structure.implementations
    const parts = yield* Effect.forEach(behind, logicAt, { concurrency: "unbounded" })
    const code: ResolvedCode = {
      logics: parts.map((part) => part.value),
      resolved: structure.kind !== "unrecognised" && parts.length > 0 && parts.every((part) => !part.isEmpty),
      fixed: structure.upgrade === "none"
    }
    return { value: code, observation: parts[0]?.observation ?? own.observation }
  })
  return Functions.of({ of: yield* Memo.make((address: Address) => address, read) })
})

/**
 * Analyses each code once.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<Functions, never, ChainState | Proxy> = Layer.scoped(Functions, make)
