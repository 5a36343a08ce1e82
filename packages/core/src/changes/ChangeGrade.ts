/** @internal */

import type { Change, ChangeKind } from "../domain/ChangeReport.js"
import { checkId, type Evidence, type Severity, severityRank } from "../domain/Evidence.js"
import * as Delta from "./Delta.js"
import * as Measure from "./Measure.js"

/**
 * What a change means for a holder, and how much it matters.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChangeGrade extends Pick<Change, "direction" | "severity"> {}

/**
 * The grade of a change of evidence, by its rule and its direction and not by how much of the document differs.
 *
 * What makes a holder less safe and is not the holder's to undo is at least high; what makes one safer is low, unless
 * something else of weight moved with it. Of a neutral claim it matters which of its members changed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofEvidence = (kind: ChangeKind, before: Evidence | null, after: Evidence | null): ChangeGrade => {
  if (kind === "visibility_lost") return { direction: "neutral", severity: "info" }
  if (kind === "visibility_gained") {
    // A risk that is seen for the first time is news, although nothing is known to have moved.
    const isNews = before === null && after !== null && harm(after) > 0
    const moved = before === null ? "info" : severityOf({ before, after, leaves: [], harms: [], direction: "neutral" })
    return { direction: "neutral", severity: isNews ? after.severity : moved }
  }
  const leaves = before === null || after === null ? [] : Delta.leaves(before.value, after.value)
  const harms = after === null ? [] : harmsOf(after, leaves)
  const direction = directionOf(before, after, harms)
  return { direction, severity: severityOf({ before, after, leaves, harms, direction }) }
}

/**
 * The grade of a change of a fact, which has no claim: `severity` is that of a change that is neither good nor bad.
 *
 * @since 0.1.0
 * @category constructors
 */
export const ofFact = (name: string, before: unknown, after: unknown, severity: Severity): ChangeGrade => {
  const harm = sum(Delta.leaves({ [name]: before }, { [name]: after }).map((leaf) => ownHarm(leaf)))
  const direction = directed(harm)
  return { direction, severity: harm > 0 ? graver("high", severity) : harm < 0 ? "low" : severity }
}

/**
 * What became of the claim itself, whatever its value: above 0 where it is worse for a holder in state or grade, below
 * where it is better.
 *
 * @since 0.1.0
 * @category combinators
 */
export const harmOfMove = (before: Evidence, after: Evidence): number =>
  harm(after) - harm(before) || harm(after) * (severityRank(after.severity) - severityRank(before.severity))

/**
 * The more severe of two.
 *
 * @since 0.1.0
 * @category combinators
 */
export const graver = (a: Severity, b: Severity): Severity => (severityRank(a) < severityRank(b) ? b : a)

/**
 * 1 is for the worse.
 *
 * @since 0.1.0
 * @category constructors
 */
export const directed = (harm: number): Change["direction"] => (harm > 0 ? "worse" : harm < 0 ? "better" : "neutral")

type Harm = -1 | 0 | 1

/** 1 where the item makes a holder less safe, -1 where it makes one safer. */
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

// What is worse and better at once is neither, or the way back would not be the opposite of the way there.
const sum = (harms: ReadonlyArray<Harm>): Harm =>
  harms.includes(1) && harms.includes(-1) ? 0 : harms.includes(1) ? 1 : harms.includes(-1) ? -1 : 0

const harmsOf = (item: Evidence, leaves: ReadonlyArray<Delta.Leaf>): ReadonlyArray<Harm> => {
  if (checkId(item.id) === "liquidity.pools") return poolHarms(leaves)
  // Where the risk is not there, less or more of it is not either.
  if (item.polarity === "risk" && item.state !== "confirmed") return []
  return leaves.map((leaf) => ownHarm(leaf) || times(harm(item), Delta.trend(leaf)))
}

const times = (a: Harm, b: Harm): Harm => (a === 0 || b === 0 ? 0 : a === b ? 1 : -1)

// What is not there is nothing to wait for.
const ownHarm = (leaf: Delta.Leaf): Harm => {
  const name = Delta.nameOf(leaf)
  const whole = (value: unknown) => (name === "delay_seconds" && value === null ? 0 : value)
  const seen = { ...leaf, before: whole(leaf.before), after: whole(leaf.after) }
  return times(Measure.harmOfRising(name), Delta.trend(seen))
}

/**
 * Of each pool: liquidity that is taken out takes both sides with it, and shares of the pool; a trade moves one side in
 * and the other one out. So falling reserves are worse only together, or down to nothing.
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

// By either side, so that the way back is as large as the way there.
const isLarge = (leaf: Delta.Leaf): boolean =>
  !Delta.isWithin(leaf, "relative", 0.1) || !Delta.isWithin(Delta.turned(leaf), "relative", 0.1)

interface Floor {
  readonly severity: Severity
  /** Where the severity depends on the member of the value that changed. */
  readonly members?: { readonly [name: string]: Severity }
}

/** Neutral claims whose change says that the target is no longer the thing that was judged. */
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

/** What a wallet's holder can take back; all else is in someone else's hands. */
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
