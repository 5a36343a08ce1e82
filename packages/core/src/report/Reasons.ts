/** @internal */

import { checkId, type Evidence } from "../domain/Evidence.js"
import type { ReportReason, ReportSentence } from "../domain/RiskReport.js"
import * as Absence from "./Absence.js"
import * as Findings from "./Findings.js"
import * as Holders from "./Holders.js"
import * as Power from "./Power.js"
import * as Sentence from "./Sentence.js"

// Each power names the single key that holds it, so this is a reason only where it takes points: over what is no token.
const saidByPowers = "control.single-key"

/**
 * Every confirmed finding that is bad for a holder and every protection that is missing, if it takes points, one reason a
 * check, most points first. What another finding has taken all points for is no reason beside it; what is partly unknown has its
 * points there and stays.
 */
export const all = (findings: Findings.Findings): ReadonlyArray<ReportReason> =>
  inOrder([...groups(findings).filter(counts(findings)), ...lacks(findings)]).map(({ items, points }) => {
    const [first] = items
    return {
      ...sentence(items, findings),
      points,
      controlled_by: first === undefined || first.controller === null ? null : Power.holder(first.controller)
    }
  })

/** The items of the strongest reason. */
export const strongest = (findings: Findings.Findings): ReadonlyArray<Evidence> => groups(findings)[0]?.items ?? []

/** The items of the strongest reason that is not a power. */
export const strongestBesidePowers = (findings: Findings.Findings): ReadonlyArray<Evidence> =>
  groups(findings).find(({ items }) => items[0]?.controller === null)?.items ?? []

interface Group {
  readonly check: string
  readonly items: ReadonlyArray<Evidence>
  readonly points: number
}

const groups = (findings: Findings.Findings): ReadonlyArray<Group> => {
  const confirmed = findings.items.filter(
    ({ id, polarity, severity, state }) =>
      state === "confirmed" &&
      polarity === "risk" &&
      severity !== "info" &&
      (checkId(id) !== saidByPowers || findings.points.has(saidByPowers))
  )
  const found = Findings.byCheck(confirmed).map(([check, items]) => ({
    items: Findings.bySeverity(items),
    points: findings.undecided.has(check) ? 0 : (findings.points.get(check) ?? 0),
    check
  }))
  return inOrder(named(inOrder(together(found))))
}

/** A single key is a reason of its own only where none of its powers is: that names the power and the key. */
const named = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const key = groups.find(({ check }) => check === saidByPowers)
  const power = groups.find(({ check, items }) => check !== saidByPowers && items[0]?.controller?.kind === "eoa")
  return key === undefined || power === undefined
    ? groups
    : groups.flatMap((group) =>
        group === key ? [] : [group === power ? { ...power, points: power.points + key.points } : group]
      )
}

const counts =
  ({ undecided }: Findings.Findings) =>
  ({ check, points }: Group, place: number): boolean =>
    points > 0 || place === 0 || undecided.has(check)

/** Protections that are missing. None of them is the strongest reason: that would be a finding. */
const lacks = (findings: Findings.Findings): ReadonlyArray<Group> =>
  Findings.byCheck(findings.items.filter(isLacking)).flatMap(([check, items]) => {
    const points = findings.points.get(check) ?? 0
    return points > 0 ? [{ check, items, points }] : []
  })

const isLacking = ({ polarity, state }: Evidence): boolean => polarity === "protective" && state === "refuted"

const inOrder = (found: ReadonlyArray<Group>): ReadonlyArray<Group> =>
  [...found].sort(
    (a, b) =>
      Number(isFake(b)) - Number(isFake(a)) || b.points - a.points || rank(b) - rank(a) || (a.check < b.check ? -1 : 1)
  )

/** Of as many points, what traps comes first: it caps the score by itself. */
const rank = ({ check }: Group): number => Number(check === "trade.honeypot" || check === "wallet.sanctioned")

/** A fake is a fake before it is anything else: the other findings are about a token that the reader does not mean. */
const isFake = ({ check, items }: Group): boolean =>
  check === "token.impersonates" && items.some(({ severity }) => severity === "high" || severity === "critical")

/** Two claims about one power are one reason. */
const together = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const [whole, part] = ["proxy.upgradeable", "proxy.upgradeable-now"].map((id) =>
    groups.find(({ check }) => check === id)
  )
  return whole === undefined || part === undefined
    ? groups
    : [
        ...groups.filter((group) => group !== whole && group !== part),
        { ...whole, items: [...whole.items, ...part.items], points: whole.points + part.points }
      ]
}

/** Claims with a detail that already has all figures. */
const toldByDetail: ReadonlySet<string> = new Set([
  "holders.insiders",
  "liquidity.held-by-insiders",
  "trade.holders-blocked",
  "trade.taxed"
])

const mostOfDetail = 130

const sentence = (items: ReadonlyArray<Evidence>, findings: Findings.Findings): ReportSentence => {
  const [first, second] = items
  if (first === undefined) return Sentence.of("", [])
  if (isLacking(first)) return Sentence.of(Absence.of(first, findings), items)
  const inferred = first.verified ? "" : " (inferred from the bytecode)"
  if (second !== undefined && checkId(second.id) !== checkId(first.id))
    return Sentence.of(`${first.title}, with less than 2 days of notice${inferred}`, items)
  const more = items.length === 1 ? "" : ` (and ${items.length - 1} more)`
  const detail = first.controller === null ? Sentence.clip(Holders.gist(first), mostOfDetail) : ""
  const told = detail === "" ? first.title : toldByDetail.has(checkId(first.id)) ? detail : `${first.title}: ${detail}`
  return Sentence.of(`${told}${more}${inferred}`, items)
}
