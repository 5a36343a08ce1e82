/** @internal */

import { Effect } from "effect"
import type { ChainError } from "../../chain/ChainError.js"
import type { ChainState } from "../../chain/state/ChainState.js"
import * as FieldMask from "../../evm/summary/conditions/FieldMask.js"
import type { FunctionFlow, Write } from "../../evm/summary/StorageFlow.js"
import * as PresentFlow from "../code/PresentFlow.js"
import * as OwnedContract from "./OwnedContract.js"

/** Which writes of a contract can still happen, by what its variables hold now. */
export interface SpentWrites {
  /** Whether a write can no longer happen, and only the owner can make it possible again. */
  readonly isSpent: (place: OwnedContract.PlacedWrite) => Effect.Effect<boolean, ChainError>
  /** Whether a write can happen now. */
  readonly isPossible: (place: OwnedContract.PlacedWrite) => Effect.Effect<boolean, ChainError>
  /** Reads in one level the variables that the other questions need one after the other. */
  readonly readAhead: (places: ReadonlyArray<OwnedContract.PlacedWrite>) => Effect.Effect<unknown, ChainError>
}

/**
 * Runs functions again with the values that their variables hold, at most {@link followedAtMost} of them: each takes a few
 * milliseconds. Beyond that a write counts as possible.
 */
export const make = (state: ChainState["Type"], contract: OwnedContract.OwnedContract): SpentWrites => {
  // By function and slot. A write counts as spent while it is examined, which is right for functions that lock each other,
  // and is forgotten again where it turns out wrong.
  const known = new Map<string, boolean>()
  let followed = 0

  const isSpent = (place: OwnedContract.PlacedWrite): Effect.Effect<boolean, ChainError> =>
    Effect.gen(function* () {
      const key = `${place.logic.address} ${place.flow.selector} ${place.write.slot}`
      const before = known.get(key)
      if (before !== undefined) return before
      if (++followed > followedAtMost) return false
      known.set(key, true)
      const steady = yield* Effect.filter(PresentFlow.asked(place.flow), (slot) =>
        Effect.map(Effect.forEach(unlocking(contract, place, slot), isSpent), (each) => each.every((isOver) => isOver))
      )
      const isDone = !(yield* canWrite(place, yield* unchanged(place, steady)))
      if (!isDone) known.clear()
      known.set(key, isDone)
      return isDone
    })

  /** Whether a function can do a write while some variables hold what they hold now. */
  const canWrite = (
    { flow, logic, write }: OwnedContract.PlacedWrite,
    slots: ReadonlyArray<string>
  ): Effect.Effect<boolean, ChainError> =>
    Effect.map(
      PresentFlow.read(state, contract.address, logic, flow, slots),
      (present) =>
        !present.complete ||
        present.writes.some(
          (other) => PresentFlow.isSame(other.slot, write.slot) && FieldMask.overlap(other.mask, write.mask)
        )
    )

  /** The variables that a function itself leaves unchanged, so that it cannot unlock itself: some count their calls. */
  const unchanged = (
    place: OwnedContract.PlacedWrite,
    slots: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyArray<string>, ChainError> =>
    Effect.flatMap(PresentFlow.read(state, contract.address, place.logic, place.flow, slots), (present) => {
      const kept = slots.filter(
        (slot) =>
          !present.writes.some(
            (write) => write.lasts && PresentFlow.isSame(write.slot, slot) && isCondition(place.flow, write)
          )
      )
      return kept.length === slots.length ? Effect.succeed(slots) : unchanged(place, kept)
    })

  return {
    isSpent,
    isPossible: (place) => canWrite(place, PresentFlow.asked(place.flow)),
    readAhead: (places) =>
      PresentFlow.wordsAt(state, contract.address, slotsAhead(contract, places).slice(0, aheadAtMost))
  }
}

/** The writes by other functions, beside those of the owner, that change what a function requires of a variable. */
const unlocking = (
  contract: OwnedContract.OwnedContract,
  { flow }: OwnedContract.PlacedWrite,
  slot: string
): ReadonlyArray<OwnedContract.PlacedWrite> =>
  OwnedContract.writesWhere(contract, (write) => PresentFlow.isSame(write.slot, slot)).filter(
    (other) => other.flow !== flow && !OwnedContract.isByOwner(contract, other) && isCondition(flow, other.write)
  )

/** Whether a write changes a variable that a function requires something of. */
const isCondition = (flow: FunctionFlow, write: Write): boolean =>
  flow.gates.some(({ reads }) =>
    reads.some((read) => read.slot === write.slot && FieldMask.overlap(FieldMask.maskOf(read.field), write.mask))
  )

/** The variables that guard some writes, those that their functions require, and those that the setters of both require. */
const slotsAhead = (
  contract: OwnedContract.OwnedContract,
  places: ReadonlyArray<OwnedContract.PlacedWrite>
): ReadonlyArray<string> => {
  const requiredBy = (some: ReadonlyArray<OwnedContract.PlacedWrite>) =>
    some.flatMap(({ flow }) => PresentFlow.asked(flow))
  const required = requiredBy(places)
  const guarding = places.flatMap(({ write: { guards } }) =>
    guards.flatMap((guard) => (guard.kind === "slot" && PresentFlow.isVariable(guard.slot) ? [guard.slot] : []))
  )
  const setting = OwnedContract.writesWhere(
    contract,
    ({ slot }) => required.includes(slot) || guarding.includes(slot)
  ).filter((place) => !OwnedContract.isByOwner(contract, place))
  return [...new Set([...guarding, ...required, ...requiredBy(setting)])]
}

const followedAtMost = 24

const aheadAtMost = 32
