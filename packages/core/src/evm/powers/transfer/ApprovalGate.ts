/** @internal */

import type * as Slices from "../../../runtime/Slices.js"
import * as Selectors from "../../bytecode/Selectors.js"
import { type Field, fieldOf, makeTracer, unique } from "../../expression/ValueSource.js"
import { type Variable, variablesIn } from "../../expression/Variable.js"
import type { FunctionRun } from "../../interpreter/FunctionRun.js"
import { madeOf } from "../../interpreter/Trace.js"
import { isOneOf, maskOf, overlap, type Place, wholeWord } from "../../summary/conditions/FieldMask.js"
import type { FunctionFlow } from "../../summary/conditions/FunctionFlow.js"
import type { StorageFlow } from "../../summary/StorageFlow.js"
import * as Erc20 from "../../token/Erc20.js"
import { isLeftAsFound } from "../../token/ReentrancyLock.js"
import * as TokenBooks from "../../token/TokenBooks.js"
import type { TokenModel } from "../../token/TokenModel.js"
import * as VariableWriter from "../../token/VariableWriter.js"
import type { TransferGate } from "./TransferGate.js"

/**
 * The variables besides the token's books that `approve` reads and that another function sets, in slices.
 *
 * `approve` has nothing to do but to write an entry. So whatever else it reads may refuse an approval or lower it, and a
 * holder who cannot approve a router cannot sell through it. None is `decisive`.
 */
export function* of({ code, flow, token }: TokenModel): Slices.Slices<ReadonlyArray<TransferGate>> {
  const approve = Erc20.functionOf(flow, Selectors.functions.approve)
  if (approve === undefined) return []
  const books = TokenBooks.booksOf(token)
  // A trusted forwarder is no condition of an approval.
  const trusted = new Set((approve.forwarders ?? []).flatMap((guard) => ("slot" in guard ? [guard.slot] : [])))
  const reads = approve.reads.filter(({ slot }) => !trusted.has(slot))
  const isShared = (slot: string): boolean => isOneOf(books, slot, wholeWord)
  const parts = reads.some(({ slot }) => isShared(slot)) ? partsIn(yield* code.run(Selectors.functions.approve)) : []
  yield undefined
  const fieldsOf = (slot: string): ReadonlyArray<Field | undefined> =>
    isShared(slot)
      ? parts.flatMap((part) =>
          part.slot === slot && !isOneOf(books, slot, part.mask) ? [fieldOf(BigInt(part.mask))] : []
        )
      : [undefined]
  return reads.flatMap(({ keys, slot }) =>
    fieldsOf(slot).flatMap((field): ReadonlyArray<TransferGate> => {
      const place = { slot, field }
      const asked = requirementsOn(approve, place)
      const isReleasedBy = (setter: VariableWriter.VariableWriter) =>
        asked.length > 0 && asked.every((requirement) => isLeftAsFound(flow, approve, requirement, place, setter))
      const setters = VariableWriter.reaching(flow, token, place).setters.filter(
        (setter) => VariableWriter.isAtWill(setter) && !isReleasedBy(setter)
      )
      const kind = keys.some((key) => key.kind === "caller" || key.kind === "argument") ? "list" : "flag"
      return setters.length === 0 ? [] : [{ kind, slot, field, passes: undefined, setters, decisive: false }]
    })
  )
}

/** Whether `approve` calls another contract, which may refuse by its answer. */
export const isAnswered = (flow: StorageFlow): boolean =>
  Erc20.functionOf(flow, Selectors.functions.approve)?.calls.some((call) => !Erc20.callsNobody(call)) === true

/** The requirements of approvals that read a variable. */
const requirementsOn = ({ requirements }: FunctionFlow, place: Place): FunctionFlow["requirements"] =>
  requirements.filter(({ anyOf }) =>
    anyOf.some(({ left, right }) => [...left.reads, ...right.reads].some((read) => isAlike(read, place)))
  )

const isAlike = (read: Place, place: Place): boolean =>
  read.slot === place.slot && overlap(maskOf(read.field), maskOf(place.field))

/** The parts of words that a function makes something of. */
const partsIn = ({ locator, trace }: FunctionRun): ReadonlyArray<Variable> => {
  const tracer = makeTracer(locator, maxParts)
  return unique(
    trace.blocks.flatMap(({ events, succeeds }) =>
      succeeds ? events.flatMap((event) => madeOf(event).flatMap((what) => variablesIn(tracer, what))) : []
    )
  )
}

const maxParts = 50_000
