/** @internal */

import type { EvidenceRule } from "../domain/EvidenceRule.js"
import * as Delta from "./Delta.js"
import * as Measure from "./Measure.js"

/** The extent of a difference: `beyond` the tolerance, `within` it, or in `readings` only. */
export type Extent = "beyond" | "within" | "readings"

/**
 * The extent of the difference of two values under a rule; a watch can set its own `threshold` in the rule's unit. The
 * rule applies to the numbers of its unit: fractions of an earlier number, or basis points. Other numbers keep the
 * default of their name; a number with an unknown name uses the rule, and is compared exactly without one.
 */
export const extent = (
  before: unknown,
  after: unknown,
  options: {
    readonly tolerance: EvidenceRule["tolerance"]
    readonly threshold: number | undefined
  }
): Extent => {
  const leaves = Delta.leaves(before, after)
  const news = leaves.filter((leaf) => !isReading(leaf))
  if (news.length === 0) return "readings"
  return news.every((leaf) => isTolerated(leaf, options)) ? "within" : "beyond"
}

// A list can have the name of a number elsewhere.
const isReading = (leaf: Delta.Leaf): boolean =>
  Delta.setOf(leaf) === null && Measure.find(Delta.nameOf(leaf))?.unit === "reading"

const isTolerated = (leaf: Delta.Leaf, { threshold, tolerance }: Parameters<typeof extent>[2]): boolean => {
  const set = Delta.setOf(leaf)
  if (set !== null) {
    const share = limitOf(Measure.find(partOfWhole), tolerance, threshold)
    // A member with a tiny amount counts as absent.
    return share !== null && Delta.areBelow([...set.added, ...set.removed].map(partOf), share.amount)
  }
  const limit = limitOf(Measure.find(Delta.nameOf(leaf)), tolerance, threshold)
  return limit !== null && Delta.isWithin(leaf, limit.kind, limit.amount)
}

const partOfWhole = "share_bps"

const partOf = (member: unknown): unknown =>
  typeof member === "object" && member !== null ? (member as { readonly [partOfWhole]?: unknown })[partOfWhole] : null

const limitOf = (
  measure: Measure.Measure | undefined,
  tolerance: EvidenceRule["tolerance"],
  threshold: number | undefined
): NonNullable<EvidenceRule["tolerance"]> | null => {
  const own = tolerance === null ? null : { kind: tolerance.kind, amount: threshold ?? tolerance.amount }
  if (measure === undefined) return own
  if (measure.unit === "exact" || measure.unit === "reading") return null
  return own?.kind === measure.unit ? own : { kind: measure.unit, amount: measure.amount }
}
