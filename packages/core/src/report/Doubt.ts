/** @internal */

import { checkId, type Evidence, type UnknownReason } from "../domain/Evidence.js"
import type { ReportSentence, ReportUnknown } from "../domain/RiskReport.js"
import * as Findings from "./Findings.js"
import * as Sentence from "./Sentence.js"

/**
 * What could not be checked, grouped by its cause, with the most points first: "We could not check X because Y; treat as
 * unsafe until Z".
 */
export const groups = (findings: Findings.Findings): ReadonlyArray<ReportUnknown> => {
  const causes = new Map<string, Array<Evidence>>()
  for (const item of findings.items.filter(({ state }) => state === "unknown")) {
    const key = causeKey(item)
    const group = causes.get(key)
    if (group === undefined) causes.set(key, [item])
    else group.push(item)
  }
  return [...causes.values()]
    .map((items) => ({ items: strongest(items, findings), points: pointsOf(items, findings) }))
    .sort(
      (a, b) => b.points - a.points || weightOf(b.items) - weightOf(a.items) || (idOf(a.items) < idOf(b.items) ? -1 : 1)
    )
    .map(({ items, points }) => ({ ...sentence(items), claims: items.length, points }))
}

/** The sentence for items that could not be checked for one cause, by the first of them. */
export const sentence = (items: ReadonlyArray<Evidence>): ReportSentence => {
  const [first] = items
  if (first === undefined) return Sentence.of("", [])
  const others = items.length - 1
  const more = others === 0 ? "" : ` (and ${others} more ${others === 1 ? "claim" : "claims"})`
  return Sentence.of(
    `we could not check whether ${questionOf(first)}${more} because ${causeOf(first)}; treat as unsafe until ${settling(first)}`,
    items
  )
}

/** The same as an open question: "whether X (Y). Treat as unsafe until Z". */
export const question = (item: Evidence): string =>
  `whether ${questionOf(item)} (${causeOf(item)}). Treat as unsafe until ${settling(item)}`

/** The claim of an item as it follows "whether" or "that". */
export const claimOf = ({ title }: Pick<Evidence, "title">): string => Sentence.lower(title)

/** The claim of an item after "could not check whether": one that denies is put the other way round. */
export const questionOf = (item: Pick<Evidence, "id" | "title">): string => affirmed[checkId(item.id)] ?? claimOf(item)

const affirmed: { readonly [check: string]: string } = {
  "trade.buy-blocked": "fresh accounts can buy the token",
  "trade.holders-blocked": "its holders can freely sell or transfer it",
  "trade.sell-limited": "all tokens that were bought can be sold",
  "wallet.frozen": "all its tokens let the wallet move its balance"
}

/** Whether two items are unknown for one cause. */
export const isOneCause = (one: Evidence, other: Evidence): boolean => causeKey(one) === causeKey(other)

const causeKey = (item: Evidence): string => `${item.reason} ${causeOf(item)}`

const mostOfCause = 110

/** Why an item is unknown: its detail without what to do, of which {@link settling} has its own words. */
const causeOf = ({ detail }: Evidence): string => {
  const undecided = /^could not decide [^:]+: (.+)$/.exec(detail)?.[1] ?? detail
  const first = Sentence.gist(undecided)
  const cause = first
    .replace(/, so .*$/, "")
    .replace(/: tax on a .*$/, "")
    .replace(/^no (pool|pool with liquidity) found\b/, "no $1 was found")
    .replace(/^no tokens to sell$/, "there were no tokens to sell")
    .replace(/^not read: /, "this was not read: ")
    .replace(
      /^the accounts in (the mapping at slot \S+), which may call it, cannot be listed$/,
      "the accounts that may call it are in $1, which cannot be listed"
    )
    .replace(/^(0x[0-9a-f]{8}|fallback) may$/, "function $1 may do so")
    .replace(/^the holder of function:/, "the account that can call function ")
  return Sentence.clip(cause, mostOfCause)
}

/** What would settle it, after "until". */
const settling = (item: Evidence): string =>
  /\bno exchange is known on this chain$/.test(causeOf(item))
    ? "a small amount is sold on an exchange of this chain"
    : item.reason === "inconclusive" && /\bpool\b/.test(causeOf(item)) && item.category !== "control"
      ? "a pool with liquidity can be analysed"
      : until[item.reason ?? "inconclusive"]

const until: { readonly [reason in UnknownReason]: string } = {
  rpc_error: "another analysis or another endpoint can read it",
  source_unavailable: "the service answers and the analysis is repeated",
  source_disabled: "the service is enabled and the analysis is repeated",
  rate_limited: "the analysis is repeated later",
  method_unsupported: "an endpoint that supports the method is used",
  archive_required: "an archive endpoint is used",
  log_range_limited: "an endpoint that serves logs of all blocks is used",
  budget_exhausted: "the analysis is repeated with more calls or time",
  inconclusive: "it is reviewed by hand",
  conflicting_sources: "the sources are compared by hand",
  dependency_unknown: "that account or block is analysed",
  internal_error: "the error is reported with the execution id and fixed"
}

const polarities: ReadonlyArray<Evidence["polarity"]> = ["neutral", "protective", "risk"]

const grade = (item: Evidence, findings: Findings.Findings): number =>
  1_000 * polarities.indexOf(item.polarity) + (findings.points.get(checkId(item.id)) ?? 0)

const strongest = (items: ReadonlyArray<Evidence>, findings: Findings.Findings): ReadonlyArray<Evidence> =>
  [...Findings.bySeverity(items)].sort((a, b) => grade(b, findings) - grade(a, findings))

const weightOf = ([first]: ReadonlyArray<Evidence>): number =>
  first === undefined ? 0 : polarities.indexOf(first.polarity)

const idOf = ([first]: ReadonlyArray<Evidence>): string => first?.id ?? ""

// A signal is of one check: where its items are unknown for two causes, the group of the first item has the points.
const pointsOf = (items: ReadonlyArray<Evidence>, findings: Findings.Findings): number =>
  [...findings.undecided]
    .filter((check) => items.some((item) => item === Findings.inState(findings, check, "unknown")))
    .reduce((sum, check) => sum + (findings.points.get(check) ?? 0), 0)
