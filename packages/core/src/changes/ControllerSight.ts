/** @internal */

import { Predicate, Schema } from "effect"
import { Controller } from "../domain/Controller.js"
import * as Delta from "./Delta.js"

/**
 * Two values without the controllers that differ only in how far they were followed, and how many of those were
 * followed less (`lost`) or further (`gained`) in the later value.
 */
export interface ControllerSight {
  readonly before: unknown
  readonly after: unknown
  readonly lost: number
  readonly gained: number
}

/**
 * Removes from two values the controllers that were not followed to the end on one side. An `unknown` controller has
 * the address where the trace ended, so its address is no sign of another account.
 */
export const between = (before: unknown, after: unknown): ControllerSight => {
  if (isController(before) && isController(after)) return ofPair(before, after) ?? plain(before, after)
  if (isList(before) && isList(after)) return ofLists(before, after) ?? plain(before, after)
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) return ofRows(before, after)
  if (!Predicate.isReadonlyRecord(before) || !Predicate.isReadonlyRecord(after)) return plain(before, after)
  const shared = Object.keys(before).flatMap((key) =>
    key in after ? [[key, between(before[key], after[key])] as const] : []
  )
  const rest = (side: "before" | "after") => Object.fromEntries(shared.map(([key, seen]) => [key, seen[side]]))
  return {
    before: { ...before, ...rest("before") },
    after: { ...after, ...rest("after") },
    lost: sum(shared.map(([, { lost }]) => lost)),
    gained: sum(shared.map(([, { gained }]) => gained))
  }
}

/** Whether a controller is the other one followed less far: it is `unknown`, or it is marked as incomplete. */
export const isLess = (whole: Controller, part: Controller): boolean =>
  part.kind === "unknown"
    ? whole.kind !== "unknown"
    : part.complete === false &&
      whole.complete !== false &&
      part.kind === whole.kind &&
      part.address === whole.address &&
      part.delay_seconds === whole.delay_seconds &&
      [null, whole.threshold].includes(part.threshold) &&
      [null, whole.signers].includes(part.signers)

const plain = (before: unknown, after: unknown): ControllerSight => ({ before, after, lost: 0, gained: 0 })

const explained = (lost: number, gained: number): ControllerSight => ({ before: null, after: null, lost, gained })

const isController = Schema.is(Controller)

const isList = Schema.is(Schema.NonEmptyArray(Controller))

const ofPair = (before: Controller, after: Controller): ControllerSight | null =>
  isLess(before, after) ? explained(1, 0) : isLess(after, before) ? explained(0, 1) : null

/** Rows of two lists with the same key, such as the same account. */
const ofRows = (before: ReadonlyArray<unknown>, after: ReadonlyArray<unknown>): ControllerSight => {
  const rows = before.map((row, place) => between(row, after[place]))
  return {
    before: rows.map((row) => row.before),
    after: rows.map((row) => row.after),
    lost: sum(rows.map(({ lost }) => lost)),
    gained: sum(rows.map(({ gained }) => gained))
  }
}

/** Null where the members differ in more than how far they were followed. */
const ofLists = (before: ReadonlyArray<Controller>, after: ReadonlyArray<Controller>): ControllerSight | null => {
  const [gone, come] = [without(before, after), without(after, before)]
  const pairs = gone.flatMap((one) =>
    come.filter(({ address }) => address === one.address).map((other) => ofPair(one, other))
  )
  const removed = gone.filter(({ address }) => !come.some((other) => other.address === address))
  const added = come.filter(({ address }) => !gone.some((other) => other.address === address))
  const [isLost, isGained] = [isVeiled(removed, added), isVeiled(added, removed)]
  const isExplained = removed.length + added.length === 0 || isLost || isGained
  if (!isExplained || pairs.includes(null)) return null
  const of = (side: "lost" | "gained") => sum(pairs.map((pair) => pair?.[side] ?? 0))
  return explained(of("lost") + Number(isLost), of("gained") + Number(isGained))
}

/** Whether an unknown member replaces a known one; a member without an account can be any account. */
const isVeiled = (removed: ReadonlyArray<Controller>, added: ReadonlyArray<Controller>): boolean =>
  added.length > 0 &&
  added.every(({ address, kind }) => kind === "unknown" && (address === null || removed.some(isKnown)))

const isKnown = ({ kind }: Controller): boolean => kind !== "unknown"

const without = (list: ReadonlyArray<Controller>, others: ReadonlyArray<Controller>): ReadonlyArray<Controller> =>
  list.filter((one) => !others.some((other) => Delta.isSame(one, other)))

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((total, count) => total + count, 0)
