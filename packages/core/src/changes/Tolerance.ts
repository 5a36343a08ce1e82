/** @internal */

import type { EvidenceRule } from "../domain/EvidenceRule.js"
import * as Delta from "./Delta.js"
import * as Measure from "./Measure.js"

/**
 * How much two values differ: by what matters, by `readings` alone, or by numbers that moved less than is tolerated.
 *
 * @since 0.1.0
 * @category models
 */
export type Extent = "beyond" | "within" | "readings"

/**
 * How much two values differ, under a rule of which a watch can have its own `threshold`, in the rule's unit. The unit of
 * a rule says which of its numbers it is about: parts of an earlier number, or basis points. The others keep the default of
 * their name; a number of no known name keeps to the rule, and is compared exactly without one.
 *
 * @since 0.1.0
 * @category combinators
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

// A list can have the name that a number has elsewhere.
const isReading = (leaf: Delta.Leaf): boolean =>
  Delta.setOf(leaf) === null && Measure.find(Delta.nameOf(leaf))?.unit === "reading"

const isTolerated = (leaf: Delta.Leaf, { threshold, tolerance }: Parameters<typeof extent>[2]): boolean => {
  const set = Delta.setOf(leaf)
  if (set !== null) {
    const share = limitOf(Measure.find(partOfWhole), tolerance, threshold)
    // Whoever comes and goes with next to nothing is as good as not there.
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
