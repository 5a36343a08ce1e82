/** @internal */

import { checkId, type Evidence } from "../domain/Evidence.js"
import type { Known } from "../storage/ExecutionStore.js"
import * as ControllerSight from "./ControllerSight.js"
import * as Delta from "./Delta.js"
import * as Visibility from "./Visibility.js"

/** The items of one execution: the decided ones by id, the undecided ones, and the checks with any item. */
export interface Sight {
  readonly decided: ReadonlyMap<string, Evidence>
  readonly unknown: ReadonlyMap<string, Evidence>
  readonly checks: ReadonlySet<string>
}

export const make = (evidence: ReadonlyArray<Evidence>): Sight => {
  const decided = new Map<string, Evidence>()
  const unknown = new Map<string, Evidence>()
  const checks = new Set<string>()
  for (const item of evidence) {
    checks.add(checkId(item.id))
    if (item.state === "unknown") unknown.set(item.id, item)
    else decided.set(item.id, item)
  }
  return { decided, unknown, checks }
}

/**
 * Whether an item was not readable. A check that failed as a whole leaves one item without a subject; its subjects are
 * then unreadable, not removed.
 */
export const isHidden = (sight: Sight, id: string): boolean => sight.unknown.has(id) || sight.unknown.has(checkId(id))

/** The last known items after an execution: the decided ones, and for unreadable ones the earlier version. */
export const carry = (known: Known, sight: Sight): Known => {
  const next: { [id: string]: Evidence } = {}
  for (const id in known) {
    const item = known[id]
    if (item !== undefined && isHidden(sight, id)) next[id] = item
  }
  for (const [id, item] of sight.decided) {
    const last = known[id]
    const visibility = last === undefined ? null : visibilityOf(last, item)
    next[id] =
      last !== undefined && (visibility === "lost" || visibility === "shifted") ? last : withLastController(item, last)
  }
  return next
}

/**
 * Two sides of a comparison with gaps filled, for a score of each. An item that is unknown now is taken as before: as
 * last known, unknown or absent. An item that was unknown before counts only where its check was never decided and
 * still applies: a gap that opens and closes again is no change.
 */
export const comparable = (
  base: Sight,
  last: Known,
  head: Sight
): { readonly before: ReadonlyArray<Evidence>; readonly after: ReadonlyArray<Evidence> } => {
  const known = new Set(Object.keys(last).map(checkId))
  const isOpen = (item: Evidence): boolean => !known.has(checkId(item.id)) && head.checks.has(checkId(item.id))
  const open = [...base.unknown.values()].filter(isOpen)
  const openChecks = new Set(open.map((item) => checkId(item.id)))
  return {
    before: [...Object.values(last), ...open],
    after: [
      ...[...head.decided.values()].map((item) => withLastController(item, last[item.id])),
      ...Object.values(last).filter((item) => !head.decided.has(item.id) && isHidden(head, item.id)),
      ...[...head.unknown.values()].filter((item) => openChecks.has(checkId(item.id)))
    ]
  }
}

/** The items as if those with these ids had not changed since they were reported. */
export const asTold = (sight: Sight, told: Known, untold: ReadonlySet<string>): Sight => ({
  ...sight,
  decided: new Map([
    ...[...sight.decided].filter(([id]) => !untold.has(id)),
    ...[...untold].flatMap((id) => {
      const item = told[id]
      return item === undefined ? [] : [[id, item] as const]
    })
  ])
})

const visibilityOf = (before: Evidence, after: Evidence): Visibility.Visibility | null =>
  before.state === after.state && !Delta.isSame(before.value, after.value)
    ? Visibility.between(before.value, after.value)
    : null

// The holder of a power can become unreadable while the power itself is readable.
const withLastController = (item: Evidence, last: Evidence | undefined): Evidence => {
  const [now, before] = [item.controller, last?.controller ?? null]
  if (now === null || before === null) return item
  return now.kind === "unknown" || ControllerSight.isLess(before, now) ? { ...item, controller: before } : item
}
