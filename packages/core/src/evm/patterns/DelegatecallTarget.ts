/** @internal */

import type { Hex } from "../../domain/Hex.js"
import * as Selectors from "../bytecode/Selectors.js"
import * as Slots from "../bytecode/Slots.js"
import type { ValueSource } from "../expression/ValueSource.js"
import type { Guard } from "../summary/conditions/Guard.js"
import type { FunctionFlow, StorageFlow } from "../summary/StorageFlow.js"

/** A function that delegates to another contract, with the source of its address and the conditions on the caller. */
export interface DelegatecallTarget {
  readonly selector: Hex | "fallback"
  readonly target: ValueSource
  readonly guards: ReadonlyArray<Guard>
}

/**
 * The delegations of a code. Left out are those to itself, and the call that an upgrade function makes to the new
 * implementation.
 */
export const of = (flow: StorageFlow): ReadonlyArray<DelegatecallTarget> =>
  flow.functions.flatMap((candidate): ReadonlyArray<DelegatecallTarget> => {
    const { calls, selector } = candidate
    if (replacesCode(candidate)) return []
    return calls
      .filter(({ kind }) => kind === "delegatecall" || kind === "callcode")
      .flatMap(({ guards, target }) =>
        (target.length === 0 ? unknownTarget : target).map((origin) => ({ selector, target: origin, guards }))
      )
      .filter(({ target }) => target.kind !== "self")
  })

const unknownTarget: ReadonlyArray<ValueSource> = [{ kind: "unknown" }]

/** Whether a function replaces a proxy's code. The proxy checks report it as such. */
const replacesCode = ({ selector, writes }: FunctionFlow): boolean =>
  writes.some(({ slot }) => /^0x[0-9a-f]+$/.test(slot) && codeSlots.has(BigInt(slot))) ||
  // The diamonds of https://eips.ethereum.org/EIPS/eip-2535 keep a mapping in the place of a slot.
  (selector === Selectors.functions.diamondCut && writes.some(({ slot }) => slot.endsWith("[k]")))

const codeSlots: ReadonlySet<bigint> = new Set(
  [
    Slots.implementation,
    Slots.beacon,
    Slots.proxiable,
    Slots.zeppelinOsImplementation,
    Slots.polygonImplementation
  ].map(BigInt)
)
