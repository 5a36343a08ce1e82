/** @internal */

import { isWritten, maskOf, type Place } from "../summary/conditions/FieldMask.js"
import type { Change, FunctionFlow, Write } from "../summary/conditions/FunctionFlow.js"
import type { Condition, Precondition } from "../summary/conditions/Precondition.js"
import type { StorageFlow } from "../summary/StorageFlow.js"
import type { VariableWriter } from "./VariableWriter.js"

/** Whether a function turns a variable on and off again, so that it is not entered twice. */
const isLock = ({ writes }: FunctionFlow, { field, slot }: Place): boolean => {
  const own = writes.filter((write) => write.keys.length === 0 && isWritten(write, { slot, field }))
  return (
    own.length > 1 && own.every(({ change }) => isConstant(change) || change.kind === "clear" || change.kind === "keep")
  )
}

/**
 * Whether a function that writes a variable leaves it as a requirement on it demands, because the variable is a lock: the
 * function itself takes and releases it, or it only releases the lock of the function that requires it.
 */
export const isLeftAsFound = (
  flow: StorageFlow,
  requiring: FunctionFlow,
  { anyOf }: Precondition,
  place: Place,
  { selector, writes }: VariableWriter
): boolean => {
  const own = flow.functions.find((other) => other.selector === selector)
  const isOfRequiring = isLock(requiring, place)
  return anyOf.some(
    (condition) =>
      (isOfRequiring && isLeftHolding(writes, condition, place)) ||
      (own !== undefined && isTakenAndReleased(own, condition, place))
  )
}

/**
 * Whether a function requires a condition on a variable, and restores the variable so that the condition holds wherever
 * it ends: it changes the condition only while it runs. An optimizer may have removed the write that takes the lock, where no
 * other code runs before its release.
 */
const isTakenAndReleased = (own: FunctionFlow, condition: Condition, place: Place): boolean => {
  const value = comparedIn(condition, place)
  const isAsked = own.requirements.some(({ anyOf: [asked, ...others] }) => {
    if (asked === undefined || others.length > 0 || asked.holds !== condition.holds) return false
    return value !== undefined && comparedIn(asked, place) === value
  })
  return isAsked && isLeftHolding(own.writes, condition, place)
}

/** Whether a condition on a variable holds after each write of it that nothing follows. */
const isLeftHolding = (writes: ReadonlyArray<Write>, condition: Condition, place: Place): boolean => {
  const value = comparedIn(condition, place)
  return (
    value !== undefined &&
    writes.every(
      (write) =>
        !write.lasts ||
        !isWritten(write, place) ||
        holdsAfter(write, place).some((word) => (word === value) === condition.holds)
    )
  )
}

/** The number that a variable by itself is compared with, where that stands in the code. */
const comparedIn = ({ left, right, test }: Condition, place: Place): bigint | undefined => {
  if (test !== "equal") return undefined
  for (const [side, other] of [
    [left, right],
    [right, left]
  ] as const) {
    const [read, ...others] = side.reads
    const [value, ...more] = other.about
    const isOfPlace =
      side.isKept === true &&
      read?.slot === place.slot &&
      read.keys.length === 0 &&
      maskOf(read.field) === maskOf(place.field) &&
      others.length === 0
    if (isOfPlace && other.reads.length === 0 && more.length === 0 && value?.kind === "constant")
      return BigInt(value.value)
  }
  return undefined
}

/** What a variable holds after a write, where that is one number that stands in the code; nothing otherwise. */
const holdsAfter = ({ change, field, mask }: Write, place: Place): ReadonlyArray<bigint> => {
  const isWhole = (BigInt(maskOf(place.field)) & ~BigInt(mask)) === 0n
  if (!isWhole) return []
  if (change.kind === "clear") return [0n]
  // Only the lock's bits are cleared; a write that keeps the rest has a field or covers the whole word.
  if (change.kind === "keep") return field === undefined && place.field !== undefined && isOnly(mask, place) ? [0n] : []
  const [value, ...others] = change.amount
  return change.kind === "set" && others.length === 0 && value?.kind === "constant" && isOnly(mask, place)
    ? [BigInt(value.value)]
    : []
}

const isOnly = (mask: Write["mask"], place: Place): boolean => BigInt(mask) === BigInt(maskOf(place.field))

const isConstant = (change: Change): boolean =>
  (change.kind === "set" || change.kind === "raise") &&
  change.amount.length > 0 &&
  change.amount.every((origin) => origin.kind === "constant")
