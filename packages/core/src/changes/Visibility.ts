/** @internal */

import { Predicate } from "effect"
import type { ContractOrigin } from "../domain/facts/ContractOrigin.js"
import * as ControllerSight from "./ControllerSight.js"
import * as Delta from "./Delta.js"

/** The change of what was readable of a value: less, more, or each side misses a part of the other. */
export type Visibility = "lost" | "gained" | "shifted"

/**
 * Whether two values differ only in how much was readable. A value with `complete` false is a lower bound: members
 * missing from its lists and unknown members are unreadable rather than removed, as are values on a weaker `basis`.
 * `shifted`: each side misses a part of the other. Null where something else differs.
 */
export const between = (before: unknown, after: unknown): Visibility | null => {
  const controllers = ControllerSight.between(withoutExtent(before, after), withoutExtent(after, before))
  const found = Delta.leaves(controllers.before, controllers.after)
  const [from, to] = [isPartial(before, after), isPartial(after, before)]
  if (!from && !to) {
    const lost = found.filter(isVeiled).length + controllers.lost
    const gained = found.filter((leaf) => isVeiled(Delta.turned(leaf))).length + controllers.gained
    if (lost + gained === 0 || lost + gained < found.length + controllers.lost + controllers.gained) return null
    return gained === 0 ? "lost" : lost === 0 ? "gained" : "shifted"
  }
  const isGain = (leaf: Delta.Leaf): boolean => isLoss(Delta.turned(leaf))
  const isLost = to && controllers.gained === 0 && found.every(isLoss)
  const isGained = from && controllers.lost === 0 && found.every(isGain)
  if (isLost !== isGained) return isLost ? "lost" : "gained"
  const isShifted = from && to && found.every((leaf) => isLoss(leaf) || isGain(leaf))
  return isShifted ? "shifted" : null
}

/** The extent, start and basis of a reading are not part of the value. */
const withoutExtent = (value: unknown, other: unknown): unknown => {
  if (!Predicate.isReadonlyRecord(value)) return value
  const { complete: _, from_block: __, ...rest } = value
  if (strength(value) === null || strength(other) === null) return rest
  const { basis: ___, ...based } = rest
  return based
}

const isPartial = (value: unknown, other: unknown): boolean =>
  Predicate.isReadonlyRecord(value) && (value.complete === false || isWeaker(strength(value), strength(other)))

const isWeaker = (one: number | null, other: number | null): boolean => one !== null && other !== null && one < other

/** The rank of a value's basis, higher where it names the transaction; null without a basis. */
const strength = (value: unknown): number | null => {
  if (!Predicate.isReadonlyRecord(value)) return null
  const place = bases.indexOf(value.basis)
  return place < 0 ? null : 2 * place + (isNothing(value.transaction) ? 0 : 1)
}

// The weakest first, as in domain/facts/ContractOrigin.
const bases: ReadonlyArray<unknown> = ["events", "code", "receipt"] satisfies ReadonlyArray<ContractOrigin["basis"]>

const isNothing = (value: unknown): boolean => value === null || value === undefined || value === "unknown"

/** A member that is itself marked as unknown, in a complete value or not. */
const isVeiled = (leaf: Delta.Leaf): boolean => {
  const added = Delta.setOf(leaf)?.added ?? []
  return leaf.after === "unknown" || (added.length > 0 && added.every(isNobodyKnown))
}

const isNobodyKnown = (member: unknown): boolean =>
  Predicate.isReadonlyRecord(member) && member.kind === "unknown" && Delta.namesIn(member).size === 0

const isLoss = (leaf: Delta.Leaf): boolean =>
  Delta.setOf(leaf)?.added.every((member) => isToldAlready(leaf, member)) === true ||
  (!isNothing(leaf.before) && isNothing(leaf.after)) ||
  Delta.trend(leaf) === wider[Delta.nameOf(leaf)]

// The direction of a bound that has less information; of trades that were not all made, a tax is what some of them paid.
const wider: { readonly [name: string]: -1 | 1 } = {
  after_block: -1,
  by_block: 1,
  buy_tax_bps: -1,
  sell_tax_bps: -1,
  transfer_tax_bps: -1
}

/** Whether an added member only describes a known account less well, because the better reading failed. */
const isToldAlready = ({ before, path }: Delta.Leaf, member: unknown): boolean => {
  if (typeof member === "string") return path.some(Delta.isName) && !Delta.isName(member)
  const known = Delta.namesIn(before)
  const names = [...Delta.namesIn(member)]
  return isNobodyKnown(member) || (names.length > 0 && names.every((name) => known.has(name)))
}
