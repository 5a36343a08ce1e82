/** @internal */

import { Predicate } from "effect"
import type { Change } from "../domain/ChangeReport.js"
import * as Delta from "./Delta.js"

/**
 * What became of the sight of a value: less of it is seen, or more, or each view misses what the other one has.
 *
 * @since 0.1.0
 * @category models
 */
export type Visibility = "lost" | "gained" | "shifted"

/**
 * Whether two values differ only in how much was seen: a value whose `complete` is false is a lower bound, and what
 * its lists do not name, or its members do not know, is out of sight rather than gone; `shifted` are two views of which
 * each misses something else. Null where something else differs.
 *
 * @since 0.1.0
 * @category combinators
 */
export const between = (before: unknown, after: unknown): Visibility | null => {
  const found = Delta.leaves(withoutExtent(before), withoutExtent(after))
  if (!isPartial(before) && !isPartial(after)) {
    const [lost, gained] = [found.filter(isVeiled), found.filter((leaf) => isVeiled(Delta.turned(leaf)))]
    if (found.length === 0 || lost.length + gained.length < found.length) return null
    return gained.length === 0 ? "lost" : lost.length === 0 ? "gained" : "shifted"
  }
  const isGain = (leaf: Delta.Leaf): boolean => isLoss(Delta.turned(leaf))
  const isLost = isPartial(after) && found.every(isLoss)
  const isGained = isPartial(before) && found.every(isGain)
  if (isLost !== isGained) return isLost ? "lost" : "gained"
  const isShifted = isPartial(before) && isPartial(after) && found.every((leaf) => isLoss(leaf) || isGain(leaf))
  return isShifted ? "shifted" : null
}

/**
 * Whether a change tells of what is seen, and not of what is there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOnly = ({ kind }: Pick<Change, "kind">): boolean =>
  kind === "visibility_lost" || kind === "visibility_gained"

/** How much was seen, and since when, is no part of what was seen. */
const withoutExtent = (value: unknown): unknown => {
  if (!Predicate.isReadonlyRecord(value)) return value
  const { complete: _, from_block: __, ...rest } = value
  return rest
}

const isPartial = (value: unknown): boolean => Predicate.isReadonlyRecord(value) && value.complete === false

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "unknown"

/** That a member is not known is said by the member itself, whole or not. */
const isVeiled = (leaf: Delta.Leaf): boolean => {
  const added = Delta.setOf(leaf)?.added ?? []
  return leaf.after === "unknown" || (added.length > 0 && added.every(isNobodyKnown))
}

const isNobodyKnown = (member: unknown): boolean =>
  Predicate.isReadonlyRecord(member) && member.kind === "unknown" && Delta.namesIn(member).size === 0

const isLoss = (leaf: Delta.Leaf): boolean =>
  Delta.setOf(leaf)?.added.every((member) => isToldAlready(leaf, member)) === true ||
  (!isNothing(leaf.before) && isNothing(leaf.after))

/** What is said of an account is said in other words where the better ones could not be read. */
const isToldAlready = ({ before, path }: Delta.Leaf, member: unknown): boolean => {
  if (typeof member === "string") return path.some(Delta.isName) && !Delta.isName(member)
  const known = Delta.namesIn(before)
  const names = [...Delta.namesIn(member)]
  return isNobodyKnown(member) || (names.length > 0 && names.every((name) => known.has(name)))
}
