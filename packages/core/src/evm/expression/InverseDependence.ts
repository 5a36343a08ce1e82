/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, innerOf, Kind } from "./Expression.js"
import { loadedField, type Tracer } from "./ValueSource.js"

/**
 * The slots of variables that may lower a number when they grow: all that go into it except as addends, factors and
 * dividends.
 */
export const of = (tracer: Tracer, number: Expression): ReadonlySet<string> => {
  const found = new Set<string>()
  const growing = new Set([number])
  for (const what of growing) {
    if (loadedField(what) !== undefined) continue
    const [a, b] = what.args
    const isOf = growsWith(what)
    for (const part of innerOf(what))
      if (isOf === "both" || (isOf === "first" && part === a) || (isOf === "second" && part === b)) growing.add(part)
      else for (const slot of tracer.slots(part)) found.add(slot)
  }
  return found
}

const growsWith = ({ op }: Expression): "both" | "first" | "second" | "neither" => {
  switch (op) {
    case Kind.merge:
    case Opcodes.ADD:
    case Opcodes.MUL:
    case Opcodes.SHL:
      return "both"
    case Opcodes.DIV:
    case Opcodes.SUB:
      return "first"
    case Opcodes.SHR:
      return "second"
    default:
      return "neither"
  }
}
