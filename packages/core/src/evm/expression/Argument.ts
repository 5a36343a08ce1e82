/** @internal */

import { Opcodes } from "../bytecode/Opcodes.js"
import { type Expression, isNumber, Kind, type Pool } from "./Expression.js"

/** Whether a formula is a word of the calldata, at any offset. */
export const is = (what: Expression): boolean => what.op === Opcodes.CALLDATALOAD

/** Whether a formula is a word of the calldata at a constant offset. */
export const isPlaced = (what: Expression): boolean =>
  what.op === Opcodes.CALLDATALOAD && what.args[0].op === Kind.constant

/** Whether a formula is the argument of the call with an index, from 0. */
export const isAt = (what: Expression, index: number): boolean =>
  what.op === Opcodes.CALLDATALOAD && isNumber(what.args[0], placeOf(index))

/** The argument of the call with an index, from 0. */
export const at = (pool: Pool, index: number): Expression =>
  pool.node(Opcodes.CALLDATALOAD, [pool.constant(placeOf(index))])

/** Behind the selector, a word each. */
const placeOf = (index: number): bigint => BigInt(4 + 32 * index)
