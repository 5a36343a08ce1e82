/** @internal */

import { checkId, type Evidence } from "../domain/Evidence.js"
import type { Known } from "../storage/ExecutionStore.js"
import * as ControllerSight from "./ControllerSight.js"
import * as Delta from "./Delta.js"
import * as Visibility from "./Visibility.js"

/**
 * What one execution saw: the decided items by id, those that it could not decide, and the checks that said anything.
 *
 * @since 0.1.0
 * @category models
 */
export interface Sight {
  readonly decided: ReadonlyMap<string, Evidence>
  readonly unknown: ReadonlyMap<string, Evidence>
  readonly checks: ReadonlySet<string>
}

/**
 * @since 0.1.0
 * @category constructors
 */
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
 * Whether an item is out of sight. A check that failed as a whole leaves one item without a subject; all its subjects are
 * then out of sight, not gone.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isHidden = (sight: Sight, id: string): boolean => sight.unknown.has(id) || sight.unknown.has(checkId(id))

/**
 * What is last known after an execution: what it decided, and of what it could not see what was known before.
 *
 * @since 0.1.0
 * @category combinators
 */
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
 * Two sides of a comparison as they would be if nothing were out of sight, for a score of each. What is unknown now is
 * taken as it was before: as last known, or unknown, or not there. What was unknown before counts only where nothing was
 * ever known of its check and the check still applies: a gap that opens in what is known and closes again is no change.
 *
 * @since 0.1.0
 * @category combinators
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

/**
 * What would have been seen if nothing of these ids had moved since it was told.
 *
 * @since 0.1.0
 * @category combinators
 */
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

// Who holds a power can get out of sight while the power itself is seen.
const withLastController = (item: Evidence, last: Evidence | undefined): Evidence => {
  const [now, before] = [item.controller, last?.controller ?? null]
  if (now === null || before === null) return item
  return now.kind === "unknown" || ControllerSight.isLess(before, now) ? { ...item, controller: before } : item
}
