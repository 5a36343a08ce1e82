/** @internal */

import * as OxHex from "ox/Hex"
import type { Hex } from "../../domain/Hex.js"
import type { Expression } from "./Expression.js"
import { makeFieldReader, type Tracer, unique } from "./ValueSource.js"

/** A variable, or all entries of a mapping: bits of the words at a {@link StorageLocation} id. */
export interface Variable {
  readonly slot: string
  readonly mask: Hex
}

/** Variables that a formula reads. */
export const variablesIn = (tracer: Tracer, what: Expression): ReadonlyArray<Variable> => {
  const found: Array<Variable> = []
  const fieldOf = makeFieldReader()
  for (const part of tracer.parts(what)) {
    const loaded = fieldOf(part)
    if (loaded === undefined) continue
    for (const { id } of tracer.locate(loaded.load.args[0]) ?? [])
      found.push({ slot: id, mask: OxHex.fromNumber(loaded.mask, { size: 32 }) })
  }
  return unique(found)
}
