/** @internal */

import { isWritten, type Place } from "../summary/conditions/FieldMask.js"
import type { Change, FunctionFlow, Write } from "../summary/conditions/FunctionFlow.js"

/**
 * Whether a function turns a variable on and off again, so that it is not entered twice.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isLock = ({ writes }: FunctionFlow, { field, slot }: Place): boolean => {
  const own = writes.filter((write) => write.keys.length === 0 && isWritten(write, { slot, field }))
  return (
    own.length > 1 && own.every(({ change }) => isConstant(change) || change.kind === "clear" || change.kind === "keep")
  )
}

/**
 * Whether writes leave a lock as the function that takes it does when it ends.
 *
 * @since 0.1.0
 * @category combinators
 */
export const areReleases = ({ writes: own }: FunctionFlow, place: Place, writes: ReadonlyArray<Write>): boolean => {
  const released = new Set(own.filter((write) => isWritten(write, place)).flatMap(leftBy))
  return writes.flatMap(leftBy).every((value) => released.has(value))
}

/** What a variable holds after a write that nothing follows, where that stands in the code; something else otherwise. */
const leftBy = ({ change, lasts }: Write): ReadonlyArray<string> => {
  if (!lasts) return []
  if (change.kind === "clear" || change.kind === "keep") return ["cleared"]
  return isConstant(change) ? change.amount.map((origin) => JSON.stringify(origin)) : ["untold"]
}

const isConstant = (change: Change): boolean =>
  (change.kind === "set" || change.kind === "raise") &&
  change.amount.length > 0 &&
  change.amount.every((origin) => origin.kind === "constant")
