/** @internal */

import type { Change, ChangeKind } from "../domain/ChangeReport.js"
import { checkId, type Evidence, type Severity, severityRank } from "../domain/Evidence.js"
import * as Delta from "./Delta.js"
import * as Measure from "./Measure.js"

/** The direction of a change for a holder, and its severity. */
export interface ChangeGrade extends Pick<Change, "direction" | "severity"> {}

/**
 * The grade of a change of evidence. It depends on the rule and the direction, not on the size of the difference.
 *
 * A change for the worse that the holder cannot undo is at least high. A change for the better is low, unless another
 * member of weight changed with it. For a neutral claim the grade depends on the members that changed.
 */
export const ofEvidence = (kind: ChangeKind, before: Evidence | null, after: Evidence | null): ChangeGrade => {
  if (kind === "visibility_lost") return { direction: "neutral", severity: "info" }
  if (kind === "visibility_gained") {
    // A risk seen for the first time is reported, although no change on chain is known.
    const isNews = before === null && after !== null && harm(after) > 0
    const moved = before === null ? "info" : severityOf({ before, after, leaves: [], harms: [], direction: "neutral" })
    return { direction: "neutral", severity: isNews ? after.severity : moved }
  }
  const leaves = before === null || after === null ? [] : Delta.leaves(before.value, after.value)
  const harms = after === null ? [] : harmsOf(after, leaves)
  const direction = directionOf(before, after, harms)
  return { direction, severity: severityOf({ before, after, leaves, harms, direction }) }
}

/** The grade of a change of a fact, which has no claim; `severity` is the grade of a neutral change. */
export const ofFact = (name: string, before: unknown, after: unknown, severity: Severity): ChangeGrade => {
  const harm = sum(Delta.leaves({ [name]: before }, { [name]: after }).map((leaf) => ownHarm(leaf)))
  const direction = directed(harm)
  return { direction, severity: harm > 0 ? graver("high", severity) : harm < 0 ? "low" : severity }
}

/**
 * The change of the claim itself, without its value: above 0 where its state or severity is worse for a holder, below 0
 * where it is better.
 */
export const harmOfMove = (before: Evidence, after: Evidence): number =>
  harm(after) - harm(before) || harm(after) * (severityRank(after.severity) - severityRank(before.severity))

/** The higher of two severities. */
export const graver = (a: Severity, b: Severity): Severity => (severityRank(a) < severityRank(b) ? b : a)

/** The direction of a harm: above 0 is worse, below 0 better. */
export const directed = (harm: number): Change["direction"] => (harm > 0 ? "worse" : harm < 0 ? "better" : "neutral")

type Harm = -1 | 0 | 1

/** 1 where the item is worse for a holder, -1 where it is better. */
const harm = (item: Evidence | null): Harm =>
  item === null || item.state !== "confirmed" || item.polarity === "neutral" ? 0 : item.polarity === "risk" ? 1 : -1

const directionOf = (
  before: Evidence | null,
  after: Evidence | null,
  harms: ReadonlyArray<Harm>
): Change["direction"] => {
  if (before === null || after === null) return directed(harm(after) - harm(before))
  return directed(harmOfMove(before, after) || sum(harms))
}

// Worse and better together count as neutral, so that the reverse change has the opposite direction.
const sum = (harms: ReadonlyArray<Harm>): Harm =>
  harms.includes(1) && harms.includes(-1) ? 0 : harms.includes(1) ? 1 : harms.includes(-1) ? -1 : 0

const harmsOf = (item: Evidence, leaves: ReadonlyArray<Delta.Leaf>): ReadonlyArray<Harm> => {
  if (checkId(item.id) === "liquidity.pools") return poolHarms(leaves)
  // An unconfirmed risk has no amount that could rise or fall.
  if (item.polarity === "risk" && item.state !== "confirmed") return []
  return leaves.map((leaf) => ownHarm(leaf) || times(harm(item), Delta.trend(leaf)))
}

const times = (a: Harm, b: Harm): Harm => (a === 0 || b === 0 ? 0 : a === b ? 1 : -1)

// A missing delay is a delay of 0.
const ownHarm = (leaf: Delta.Leaf): Harm => {
  const name = Delta.nameOf(leaf)
  const whole = (value: unknown) => (name === "delay_seconds" && value === null ? 0 : value)
  const seen = { ...leaf, before: whole(leaf.before), after: whole(leaf.after) }
  return times(Measure.harmOfRising(name), Delta.trend(seen))
}

/**
 * Per pool: a withdrawal of liquidity lowers both reserves and the pool shares; a trade raises one reserve and lowers
 * the other. So falling reserves are worse only together, or down to 0.
 */
const poolHarms = (leaves: ReadonlyArray<Delta.Leaf>): ReadonlyArray<Harm> => {
  const lists = leaves.filter((leaf) => Delta.setOf(leaf) !== null)
  const pools = new Set(leaves.filter((leaf) => !lists.includes(leaf)).map((leaf) => poolOf(leaf)))
  const ofPool = (pool: string): Harm => {
    const rising = (name: string): Harm => {
      const leaf = leaves.find((each) => poolOf(each) === pool && Delta.nameOf(each) === name)
      return leaf === undefined || !isLarge(leaf) ? 0 : Delta.trend(leaf)
    }
    const [shares, token, quote] = [rising("lp_total_supply"), rising("reserve_token"), rising("reserve_quote")]
    const emptied = leaves.find(
      (each) => poolOf(each) === pool && Delta.nameOf(each) === "reserve_quote" && isFromOrToNothing(each)
    )
    if (emptied !== undefined) return times(-1, Delta.trend(emptied))
    return times(-1, shares !== 0 ? shares : token === quote ? quote : 0)
  }
  return [...lists.map(ownHarm), ...[...pools].map(ofPool)]
}

const poolOf = (leaf: Delta.Leaf): string => leaf.path.slice(0, -1).join("/")

const isFromOrToNothing = (leaf: Delta.Leaf): boolean => Delta.isZero(leaf.before) || Delta.isZero(leaf.after)

// Relative to either side, so that the reverse change is as large.
const isLarge = (leaf: Delta.Leaf): boolean =>
  !Delta.isWithin(leaf, "relative", 0.1) || !Delta.isWithin(Delta.turned(leaf), "relative", 0.1)

interface Floor {
  readonly severity: Severity
  /** Where the severity depends on the member of the value that changed. */
  readonly members?: { readonly [name: string]: Severity }
}

/** Neutral claims: a change of one means that the target is not the same as in the earlier analysis. */
const floors: { readonly [checkId: string]: Floor } = {
  "address.kind": { severity: "high" },
  "allowance.outstanding": { severity: "low" },
  "control.controllers": { severity: "high" },
  "control.owner": { severity: "high" },
  "control.roles": { severity: "high" },
  "liquidity.pools": { severity: "low" },
  "proxy.admin": { severity: "high" },
  "proxy.kind": { severity: "high", members: { conflicts: "info" } },
  "safe.setup": { severity: "high", members: { version: "info" } },
  "token.metadata-readable": {
    severity: "medium",
    members: { decimals: "high", name: "medium", symbol: "medium", total_supply: "low" }
  },
  "token.standard": { severity: "high" }
}

const floorOf = (item: Evidence, leaves: ReadonlyArray<Delta.Leaf>): Severity => {
  const floor = floors[checkId(item.id)]
  if (floor === undefined) return "info"
  const found = leaves.map((leaf) => floor.members?.[leaf.path[0] ?? ""] ?? floor.severity)
  return found.length === 0 ? floor.severity : found.reduce(graver)
}

/** Whether the wallet's owner can undo the change; other changes depend on other accounts. */
const isReversible = (item: Evidence): boolean => item.category === "approvals" || item.category === "account"

const severityOf = (options: {
  readonly before: Evidence | null
  readonly after: Evidence | null
  readonly leaves: ReadonlyArray<Delta.Leaf>
  readonly harms: ReadonlyArray<Harm>
  readonly direction: Change["direction"]
}): Severity => {
  const { after, before, direction, harms, leaves } = options
  const item = (after !== null && harm(after) > 0 ? after : (before ?? after)) as Evidence
  const floor = floorOf(item, leaves)
  if (direction === "better") return harms.includes(0) ? graver("low", floor) : "low"
  if (direction === "worse" || harms.includes(1)) {
    if (isReversible(item) || (item.polarity === "risk" && item.severity === "info")) return item.severity
    return graver("high", item.severity)
  }
  const confirmed = [before, after].find((side) => side?.state === "confirmed")
  return graver(floor, confirmed?.severity ?? "info")
}
