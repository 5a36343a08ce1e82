/** @internal */

import type { Hex } from "../../../domain/Hex.js"
import type { Field } from "../../expression/ValueSource.js"
import type { Variable } from "../../expression/Variable.js"
import type { Write } from "./FunctionFlow.js"
import type { Loaded } from "./Precondition.js"

/** A variable, or the entries of a mapping: a part of the words at a slot, all of them where there is no field. */
export type Place = Pick<Loaded, "slot" | "field">

/** Whether two masks share a bit. */
export const overlap = (a: Hex, b: Hex): boolean => (BigInt(a) & BigInt(b)) !== 0n

/** Whether bits of a slot are among those of some variables. */
export const isOneOf = (variables: ReadonlyArray<Variable>, slot: string, mask: Hex): boolean =>
  variables.some((variable) => variable.slot === slot && overlap(variable.mask, mask))

/** Whether a write may change a variable, or the entries of a mapping. */
export const isWritten = ({ mask, slot }: Write, place: Place): boolean =>
  slot === place.slot && overlap(mask, maskOf(place.field))

/** The bits of a word that a field has; all of them where there is none. */
export const maskOf = (field: Field | undefined): Hex =>
  field === undefined
    ? wholeWord
    : `0x${(((1n << BigInt(8 * field.size)) - 1n) << BigInt(8 * field.offset)).toString(16)}`

/** The number in a field of a word; the word where there is no field. */
export const partOf = (word: bigint, field: Field | undefined): bigint =>
  field === undefined ? word : (word >> BigInt(8 * field.offset)) & ((1n << BigInt(8 * field.size)) - 1n)

/** All bits of a word. */
export const wholeWord: Hex = `0x${"f".repeat(64)}`
