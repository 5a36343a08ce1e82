/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import type { Address } from "../../domain/Address.js"
import type { Hex } from "../../domain/Hex.js"
import type { Change, FunctionFlow, StorageFlow } from "../../evm/summary/StorageFlow.js"
import * as Together from "../../runtime/Together.js"
import * as Getter from "../Getter.js"

/**
 * The functions that write an element of an array with more elements than any program adds: the index is checked against
 * that length alone, so that an element may be any word of the storage.
 *
 * @see https://docs.soliditylang.org/en/latest/internals/layout_in_storage.html#mappings-and-dynamic-arrays
 */
export const writersOf = (
  state: ChainState["Type"],
  account: Address,
  { functions }: StorageFlow
): Effect.Effect<ReadonlyArray<FunctionFlow["selector"]>, ChainError> => {
  const writers = functions.flatMap(({ selector, writes }) => {
    // A text is written with its length, and has its own bytes in place of one where it is short.
    const texts = new Set(writes.flatMap(({ change, slot }) => (isCount(change) ? [] : [slot])))
    return [...new Set(writes.flatMap(({ slot }) => lengthOf(slot)))].flatMap((length) =>
      texts.has(length) ? [] : [{ selector, length }]
    )
  })
  const lengths = [...new Set(writers.map(({ length }) => length))]
  return Effect.map(
    Together.forEach(lengths.slice(0, mostArrays), (length) =>
      Effect.map(state.storage(account, Getter.word(length)), ({ value }) =>
        BigInt(value) > mostElements ? [length] : []
      )
    ),
    (found) => {
      const endless = new Set([...found.flat(), ...lengths.slice(mostArrays)])
      return writers.flatMap(({ length, selector }) => (endless.has(length) ? [selector] : []))
    }
  )
}

const isCount = ({ kind }: Change): boolean => kind === "increase" || kind === "decrease"

/** The slot of the length of an array that a slot is an element of; none of an array inside a mapping or another array. */
const lengthOf = (slot: string): ReadonlyArray<Hex> => {
  const [, length] = /^(0x[0-9a-f]+)\[\]/.exec(slot) ?? []
  return length === undefined ? [] : [length as Hex]
}

// Each element costs its writer thousands of gas.
const mostElements = 2n ** 64n

// No known token has half as many. Others count as endless.
const mostArrays = 64
