/** @internal */

import { type Change, isOfReading } from "../domain/ChangeReport.js"
import { checkId, type Severity, severityRank } from "../domain/Evidence.js"
import * as ChangeGrade from "./ChangeGrade.js"
import * as Delta from "./Delta.js"

/**
 * Splits off the changes of a comparison that only repeat another one: the list of controllers after a new owner, the
 * list of approvals after a new approval. A change that is worse by itself is never split off, unless it restates the
 * other by definition or is about the same new subject; the reported change then has the highest severity among them.
 */
export const split = (
  changes: ReadonlyArray<Change>
): { readonly told: ReadonlyArray<Change>; readonly consequences: ReadonlyArray<Change> } => {
  const causes = changes.filter(({ subject }) => subject !== "risk").map(causeOf)
  const causeOfEach = new Map<Change, Change>()
  for (const { change } of causes) {
    const cause = causes.find(
      (other) => other.change !== change && !causeOfEach.has(other.change) && tells(other, change)
    )
    if (cause !== undefined) causeOfEach.set(change, cause.change)
  }
  const gravestOf = (change: Change): Severity =>
    [...causeOfEach]
      .filter(([consequence, cause]) => cause === change && consequence.direction === change.direction)
      .map(([consequence]) => consequence.severity)
      .reduce(ChangeGrade.graver, change.severity)
  return {
    told: changes
      .filter((change) => !causeOfEach.has(change))
      .map((change) => ({ ...change, severity: gravestOf(change) })),
    consequences: changes.filter((change) => causeOfEach.has(change))
  }
}

/** A change, and the addresses and hashes that it adds or removes. */
interface Cause {
  readonly change: Change
  readonly moved: ReadonlySet<string>
}

/** Checks that read the chain directly, the most direct first; all others derive from them. */
const direct: ReadonlyArray<string> = [
  "address.kind",
  "proxy.kind",
  "proxy.admin",
  "safe.modules",
  "safe.guard",
  "safe.setup",
  "control.owner",
  "control.roles"
]

/** Claims that by definition restate a change of one of the listed claims. */
const restated: { readonly [check: string]: ReadonlyArray<string> } = {
  "contract.code-replaced": ["proxy.kind", "address.kind"],
  "proxy.upgraded-recently": ["proxy.kind"],
  // For a Safe itself: its signers decide whether one key is enough.
  "control.single-key": ["safe.setup"],
  "safe.single-signature": ["safe.setup"],
  "safe.weakened": ["safe.modules", "safe.guard", "safe.setup"],
  "liquidity.thin": ["liquidity.pools"]
}

/** Claims with a value that repeats numbers of one of the listed claims, while the claim itself stays the same. */
const repeated: { readonly [check: string]: ReadonlyArray<string> } = {
  "control.timelocked": ["safe.setup", "control.change-planned"],
  "liquidity.burned": ["liquidity.pools"],
  "liquidity.held-by-insiders": ["liquidity.pools"],
  "liquidity.locked": ["liquidity.pools"]
}

const tells = (cause: Cause, change: Change): boolean => {
  const [of, about] = [checkId(cause.change.id), checkId(change.id)]
  if (isOfReading(cause.change) || isOfReading(change)) return false
  if (restated[about]?.includes(of) === true) return true
  if (change.kind === "value_changed" && repeated[about]?.includes(of) === true)
    return change.direction === "neutral" || change.direction === cause.change.direction
  if (isOfSameSubject(cause.change, change)) return precedes(cause.change, change)
  if (change.direction !== "neutral" || severityRank(change.severity) > severityRank(cause.change.severity))
    return false
  return (
    directness(cause.change) < directness(change) &&
    cause.moved.size > 0 &&
    Delta.leaves(valueOf(change.before), valueOf(change.after)).every((leaf) => isAbout(leaf, cause.moved))
  )
}

/** Several claims are about one added or removed subject; the most severe of them reports it. */
const isOfSameSubject = (a: Change, b: Change): boolean =>
  (a.kind === "added" || a.kind === "removed") &&
  a.kind === b.kind &&
  a.direction === b.direction &&
  subjectOf(a.id) !== "" &&
  subjectOf(a.id) === subjectOf(b.id)

const precedes = (a: Change, b: Change): boolean =>
  a.severity === b.severity ? a.id < b.id : severityRank(a.severity) > severityRank(b.severity)

const subjectOf = (id: string): string => id.slice(checkId(id).length)

/** A claim about one subject is direct; the table ranks the others. */
const directness = (change: Change): number => {
  if (subjectOf(change.id) !== "") return -1
  const index = direct.indexOf(checkId(change.id))
  return index === -1 ? direct.length : index
}

const valueOf = (side: unknown): unknown =>
  typeof side === "object" && side !== null && "state" in side && "value" in side ? side.value : side

const causeOf = (change: Change): Cause => {
  const [before, after] = [Delta.namesIn(valueOf(change.before)), Delta.namesIn(valueOf(change.after))]
  const subject = subjectOf(change.id)
    .split(":")
    .filter(Delta.isName)
    .map((name) => name.toLowerCase())
  return {
    change,
    moved: new Set([
      ...subject,
      ...[...before].filter((name) => !after.has(name)),
      ...[...after].filter((name) => !before.has(name))
    ])
  }
}

const mentions = (value: unknown, moved: ReadonlySet<string>): boolean =>
  [...Delta.namesIn(value)].some((name) => moved.has(name))

/** Whether a difference is in an item that moved, or between values that name one. */
const isAbout = (leaf: Delta.Leaf, moved: ReadonlySet<string>): boolean => {
  // The key of a list member can contain more than its name.
  const place = leaf.path.join("\n").toLowerCase()
  if ([...moved].some((name) => place.includes(name))) return true
  const set = Delta.setOf(leaf)
  const sides = set === null ? [leaf.before, leaf.after] : [...set.added, ...set.removed]
  return sides.every((side) => side === null || side === undefined || mentions(side, moved))
}
