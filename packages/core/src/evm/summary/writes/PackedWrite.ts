/** @internal */

import * as OxHex from "ox/Hex"
import { constantOf, type Field, fieldOf } from "../../expression/ValueSource.js"
import { maskOf, overlap } from "../conditions/FieldMask.js"
import type { Change, FunctionFlow, Write } from "../conditions/FunctionFlow.js"
import type { StorageSlot } from "./StorageLayout.js"

/**
 * The functions, with each write to several variables of one word split into one write for each: compilers turn one
 * switch on and another one off by a single SSTORE.
 */
export const apart = (
  functions: ReadonlyArray<FunctionFlow>,
  slots: ReadonlyArray<StorageSlot>
): ReadonlyArray<FunctionFlow> => {
  const fields = new Map(slots.filter((slot) => slot.fields.length > 0).map((slot) => [slot.slot, slot.fields]))
  return functions.map((candidate) =>
    candidate.writes.some((write) => isShared(write, fields.get(write.slot)))
      ? { ...candidate, writes: candidate.writes.flatMap((write) => partsOf(write, fields.get(write.slot))) }
      : candidate
  )
}

const isShared = (write: Write, fields: ReadonlyArray<Field> = []): boolean =>
  write.change.kind === "set" &&
  fields.some((field) => overlap(maskOf(field), write.mask) && !isWithin(BigInt(write.mask), field))

const isWithin = (mask: bigint, field: Field): boolean => (mask & ~BigInt(maskOf(field))) === 0n

const partsOf = (write: Write, fields: ReadonlyArray<Field> = []): ReadonlyArray<Write> => {
  const [word, ...others] = write.change.amount.flatMap((origin) => constantOf(origin))
  if (word === undefined || others.length > 0 || write.change.amount.length > 1 || !isShared(write, fields))
    return [write]
  const mask = BigInt(write.mask)
  // A number that is given relative to its variable is shifted to its place in the word.
  const put = (word & ~mask) === 0n ? word : word << BigInt(8 * Math.floor(write.field?.offset ?? 0))
  const parts = fields.map((field) => BigInt(maskOf(field)) & mask).filter((part) => part !== 0n)
  const rest = parts.reduce((left, part) => left & ~part, mask)
  return [...parts, ...(rest === 0n ? [] : [rest])].map((part) => ({
    ...write,
    field: fieldOf(part),
    mask: OxHex.fromNumber(part, { size: 32 }),
    change: changeTo(write.change, put & part)
  }))
}

const changeTo = (change: Change, word: bigint): Change =>
  word === 0n
    ? { ...change, kind: "clear", amount: [] }
    : { ...change, amount: [{ kind: "constant", value: OxHex.fromNumber(word) }] }
