/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, Kind } from "./Expression.js"

/** The unit of a clock: `timestamp` in seconds, or `number` in blocks. */
export type Clock = "number" | "timestamp"

/**
 * The clock that a formula reads unchanged; none for a computed time. Truncation to 32 bits or more changes nothing
 * until the year 2106.
 */
export const of = ({ args: [inner, mask], op }: Expression): Clock | undefined => {
  switch (op) {
    case Opcodes.TIMESTAMP:
      return "timestamp"
    case Opcodes.NUMBER:
      return "number"
    case Opcodes.AND:
      return inner !== undefined && mask?.op === Kind.constant && isLong(mask.value) ? of(inner) : undefined
    default:
      return undefined
  }
}

/** Whether a number is so large that no clock comes to it before the year 2106. */
export const isBeyond = (value: bigint): boolean => value >= lastSecond

const lastSecond = (1n << 32n) - 1n

const isLong = (mask: bigint): boolean => isBeyond(mask) && (mask & lastSecond) === lastSecond
