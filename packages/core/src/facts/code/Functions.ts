/** @internal */

import { Context, Effect, Layer, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import { ChainState } from "../../chain/state/ChainState.js"
import type { Reading } from "../../chain/state/Reading.js"
import type { Address } from "../../domain/Address.js"
import type { ProxyKind } from "../../domain/facts/ProxyStructure.js"
import type { Hex } from "../../domain/Hex.js"
import * as Bytecode from "../../evm/bytecode/Bytecode.js"
import * as LinkedLibrary from "../../evm/patterns/LinkedLibrary.js"
import * as ProxyPattern from "../../evm/patterns/ProxyPattern.js"
import * as SignatureChecker from "../../evm/summary/signatures/SignatureChecker.js"
import * as OncePerKey from "../../runtime/OncePerKey.js"
import * as Together from "../../runtime/Together.js"
import * as Implementation from "../native/Implementation.js"
import { CodeReadings } from "./CodeReadings.js"
import type { LogicContract } from "./LogicContract.js"
import * as PresentFlow from "./PresentFlow.js"
import { Proxy } from "./Proxy.js"

export type { LogicContract } from "./LogicContract.js"

/**
 * All code that answers for a contract: its own, or every implementation behind it, and also a proxy's own code where
 * it answers some calls itself. `resolved` is false where it delegates to code that was not found, so that functions
 * missing in `logics` may still exist. `fixed` says that nobody can replace the code.
 */
export interface ResolvedCode {
  readonly logics: ReadonlyArray<LogicContract>
  readonly resolved: boolean
  readonly fixed: boolean
}

/** What the code that answers for a contract does. */
export class Functions extends Context.Tag("@assay/core/Functions")<
  Functions,
  {
    readonly of: (address: Address) => Effect.Effect<Reading<ResolvedCode>, ChainError>
    /** What an account's own code does, without the code that it delegates to. */
    readonly at: (address: Address) => Effect.Effect<Reading<LogicContract>, ChainError>
    /** A code as it is read where libraries that it is linked to only answer, a level later; none where it has no such. */
    readonly linked: (logic: LogicContract) => Effect.Effect<Option.Option<LogicContract>>
  }
>() {}

const make = Effect.gen(function* () {
  const state = yield* ChainState
  const proxy = yield* Proxy
  const flows = yield* CodeReadings
  const logicAt = yield* OncePerKey.make(
    (address: Address) => address,
    Effect.fn("Functions.logicAt")(function* (address: Address) {
      const { observation, value } = yield* state.code(address)
      const logic: LogicContract = {
        address,
        code: value,
        reach: Bytecode.reach(Bytecode.parse(value)),
        flow: yield* flows.of(value)
      }
      return { value: logic, observation, isEmpty: Bytecode.isEmpty(value) }
    })
  )
  /** An unread library may do anything. */
  const linked = Effect.fn("Functions.linked")(function* (logic: LogicContract) {
    const libraries = yield* Together.forEach(LinkedLibrary.of(logic.flow).slice(0, maxLibraries), (library) =>
      Effect.match(state.code(library), {
        onFailure: () => [],
        onSuccess: ({ value }) =>
          LinkedLibrary.onlyAnswers(value) ? [{ library, isChecker: SignatureChecker.is(value) }] : []
      })
    )
    const answering = libraries.flat()
    if (answering.length === 0) return Option.none()
    const code = LinkedLibrary.link(logic.code, logic.flow, new Set(answering.map(({ library }) => library)))
    const checkers = answering.flatMap(({ isChecker, library }) => (isChecker ? [library] : []))
    return Option.some<LogicContract>({ ...logic, code, checkers, flow: yield* flows.of(code, checkers) })
  })

  /** Whether a proxy's own code answers some calls that a proxy would delegate. */
  const hasOwnFunctions = (code: Hex) =>
    Effect.map(flows.of(code), (flow) => ProxyPattern.ownFunctions(flow).length > 0)

  /**
   * Whether constants and variables of the code itself give the targets of its delegation. A getter can answer
   * anything.
   */
  const handsOnAsToldByCode = (code: Hex) =>
    Effect.map(flows.of(code), ({ completeness, delegations }) => {
      const handedOn = delegations.filter(
        ({ selectors, target }) => target.kind !== "self" && selectors.includes("fallback")
      )
      return (
        !completeness.gaps.includes("control_flow") &&
        handedOn.length > 0 &&
        handedOn.every(
          ({ target }) =>
            target.kind === "constant" || (target.kind === "storage" && PresentFlow.isVariable(target.slot))
        )
      )
    })

  const read = Effect.fn("Functions.of")(function* (address: Address) {
    const [own, { value: structure }, by] = yield* Together.all([
      state.code(address),
      proxy.of(address),
      Implementation.of(state, address)
    ])
    // What the chain itself does is in no code.
    if (by === "chain") return { value: { logics: [], resolved: false, fixed: false }, observation: own.observation }
    const behind = [
      ...(answersItself(structure.kind) || (yield* hasOwnFunctions(own.value)) ? [address] : []),
      ...structure.implementations.filter((implementation) => implementation !== address)
    ]
    const parts = yield* Together.forEach(behind, logicAt)
    const code: ResolvedCode = {
      logics: parts.map((part) => part.value),
      resolved:
        structure.kind !== "unrecognised" &&
        (!isNamedByGetter(structure.kind) || (yield* handsOnAsToldByCode(own.value))) &&
        (structure.kind === "none" || structure.implementations.length > 0) &&
        parts.every((part) => !part.isEmpty),
      fixed: structure.upgrade === "none"
    }
    return { value: code, observation: parts[0]?.observation ?? own.observation }
  })
  return Functions.of({ of: yield* OncePerKey.make((address: Address) => address, read), at: logicAt, linked })
})

const maxLibraries = 8

/** Kinds of which all code that answers is the account's own, as far as it was found. */
const answersItself = (kind: ProxyKind): boolean => kind === "none" || kind === "unrecognised"

/**
 * Proxy kinds with code that only a getter names. The table of a diamond can have more entries than its loupe lists,
 * and a mapping cannot be enumerated.
 *
 * @see https://eips.ethereum.org/EIPS/eip-2535
 */
const isNamedByGetter = (kind: ProxyKind): boolean =>
  kind === "eip2535_diamond" || kind === "compound" || kind === "eip897"

/** Analyses each code once. */
export const layer: Layer.Layer<Functions, never, ChainState | CodeReadings | Proxy> = Layer.scoped(Functions, make)
