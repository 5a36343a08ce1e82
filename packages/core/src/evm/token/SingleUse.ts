/** @internal */

import { constantOf, type Field } from "../expression/ValueSource.js"
import * as FieldMask from "../summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../summary/StorageFlow.js"

/** Whether a function requires a variable to differ from the value that it sets, and no other function sets it. */
export const isSingleUse = (flow: StorageFlow, selector: FunctionFlow["selector"]): boolean => {
  const own = flow.functions.find((candidate) => candidate.selector === selector)
  return (
    own?.requirements.some(({ anyOf }) => {
      const [condition] = anyOf
      if (condition === undefined || anyOf.length > 1 || condition.test !== "equal") return false
      const [read, ...others] = [...condition.left.reads, ...condition.right.reads]
      if (read === undefined || others.length > 0 || read.keys.length > 0) return false
      const asked = [condition.left, condition.right].flatMap(({ about, reads }) =>
        reads.length === 0 && about.length === 1 ? about.flatMap((origin) => constantOf(origin)) : []
      )[0]
      if (asked === undefined) return false
      const isOf = (write: Write): boolean => FieldMask.isWritten(write, read)
      const setting = own.writes.filter((write) => isOf(write) && write.lasts)
      return (
        setting.length > 0 &&
        setting.every(({ change }) =>
          change.kind === "raise"
            ? asked === 0n && condition.holds
            : change.kind === "set" &&
              change.amount.every((origin) =>
                constantOf(origin).some((value) => (unshifted(value, read.field) === asked) !== condition.holds)
              )
        ) &&
        !isSetElsewhere(flow, own, isOf)
      )
    }) ?? false
  )
}

/** A part of a word may be written where it stands in it. */
const unshifted = (value: bigint, field: Field | undefined): bigint => {
  const by = BigInt(8 * (field?.offset ?? 0))
  return by > 0n && value >> by !== 0n ? value >> by : value
}

const isSetElsewhere = (flow: StorageFlow, own: FunctionFlow, isOf: (write: Write) => boolean): boolean =>
  flow.functions.some((candidate) => candidate !== own && candidate.writes.some(isOf))
