/** @internal */

import { Array as Arrays, Effect, Option } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as Address from "../../domain/Address.js"
import * as DelegatecallTarget from "../../evm/patterns/DelegatecallTarget.js"
import * as LinkedLibrary from "../../evm/patterns/LinkedLibrary.js"
import type { StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import type { LogicContract } from "../code/LogicContract.js"
import * as Getter from "../Getter.js"

/**
 * Whether all foreign code that a contract runs for any caller is a linked library that does not depend on its caller. Then
 * no guard is hidden in it.
 */
export const askNobody = (
  state: ChainState["Type"],
  address: Address.Address,
  logics: ReadonlyArray<LogicContract>
): Effect.Effect<boolean, ChainError> => {
  const libraries = logics.flatMap((logic) => openTargets(logic, address).map(libraryOf))
  return Effect.map(
    Together.forEach(Arrays.dedupe(Arrays.getSomes(libraries)), (library) => state.code(library)),
    (codes) => libraries.every(Option.isSome) && codes.every(({ value }) => LinkedLibrary.asksNobody(value))
  )
}

/** The delegatecalls of functions that run them for any caller. What a proxy delegates to is one of the codes itself. */
const openTargets = (
  { address: at, flow }: LogicContract,
  address: Address.Address
): ReadonlyArray<DelegatecallTarget.DelegatecallTarget> => {
  const found = DelegatecallTarget.of(flow)
  const implementations = new Set(
    at === address
      ? found.filter(({ selector }) => selector === "fallback").map(({ target }) => JSON.stringify(target))
      : []
  )
  const open = openSelectors(flow)
  return found.filter(({ selector, target }) => open.has(selector) && !implementations.has(JSON.stringify(target)))
}

const openSelectors = ({ functions }: StorageFlow): ReadonlySet<string> =>
  new Set(
    functions
      .filter(({ calls }) =>
        calls.some(
          ({ guards, kind, shut }) =>
            (kind === "delegatecall" || kind === "callcode") && !shut && !guards.some(({ always }) => always)
        )
      )
      .map(({ selector }) => selector)
  )

const libraryOf = ({ selector, target }: DelegatecallTarget.DelegatecallTarget): Option.Option<Address.Address> =>
  target.kind === "constant" && selector !== "fallback"
    ? Option.some(Address.fromWord(Getter.word(target.value)))
    : Option.none()
