/** @internal */

import * as ClaimSentences from "../domain/ClaimSentences.js"
import { checkId, type Evidence, severityRank } from "../domain/Evidence.js"
import type { EvidenceRule } from "../domain/EvidenceRule.js"
import type { Facts } from "../domain/Facts.js"

/**
 * The evidence of an analysis in a fixed order: a report does not depend on the order of the items. `points` are the
 * points that each check takes.
 */
export interface Findings {
  readonly items: ReadonlyArray<Evidence>
  readonly points: ReadonlyMap<string, number>
  /** Checks with unknown items that decide the points of their signal. */
  readonly undecided: ReadonlySet<string>
  /** What is said of the checks of others, by their ids. */
  readonly said?: ReadonlyMap<string, Said> | undefined
}

/** What a rule says beside its claim. */
export type Said = Pick<EvidenceRule, "absent" | "recommendation">

export const make = (
  evidence: ReadonlyArray<Evidence>,
  { risk }: Pick<Facts, "risk">,
  rules: ReadonlyArray<Said & Pick<EvidenceRule, "id">> = []
): Findings => {
  const signals = risk?.signals ?? []
  return {
    said: new Map(rules.map((rule) => [rule.id, rule])),
    items: [...evidence].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
    points: new Map(signals.map(({ id, points }) => [id, points])),
    undecided: new Set(signals.filter(({ state }) => state === "unknown").map(({ id }) => id))
  }
}

/** What is said of a check beside its claim: of those of this library by its own words, of another one by its rule. */
export const saidOf = ({ said }: Pick<Findings, "said">, check: string): Partial<Said> =>
  ClaimSentences.all[check] ?? said?.get(check) ?? {}

/** The items of a check, in the order of their ids. */
export const all = ({ items }: Findings, check: string): ReadonlyArray<Evidence> =>
  items.filter(({ id }) => checkId(id) === check)

/** The one item of a check that has a single item. */
export const one = (findings: Findings, check: string): Evidence | undefined => all(findings, check)[0]

/** The one item of a check, where it is in a state. */
export const inState = (findings: Findings, check: string, state: Evidence["state"]): Evidence | undefined =>
  all(findings, check).find((item) => item.state === state)

/** The checks with an item that is unknown, by their ids. */
export const unknown = ({ items }: Findings): ReadonlyArray<string> => [
  ...new Set(items.flatMap(({ id, state }) => (state === "unknown" ? [checkId(id)] : [])))
]

/** The items of the same check together. */
export const byCheck = (items: ReadonlyArray<Evidence>): ReadonlyArray<readonly [string, ReadonlyArray<Evidence>]> => {
  const groups = new Map<string, Array<Evidence>>()
  for (const item of items) {
    const group = groups.get(checkId(item.id))
    if (group === undefined) groups.set(checkId(item.id), [item])
    else group.push(item)
  }
  return [...groups]
}

/** Most severe first. */
export const bySeverity = (items: ReadonlyArray<Evidence>): ReadonlyArray<Evidence> =>
  [...items].sort((a, b) => severityRank(b.severity) - severityRank(a.severity))

/**
 * What a refuted `trade.honeypot` shows: that accounts sold in simulation, or, by the code alone, that no rule of the token
 * stops a sale.
 */
export const saleShown = ({ observation }: Evidence): string =>
  observation?.method === "eth_getCode" ? "by its code, whoever buys it can sell it" : "fresh accounts can sell it"
