/** @internal */

import { checkId, type Evidence, type Severity } from "../domain/Evidence.js"
import * as Standing from "./Standing.js"

/** Whether an item is about a risk, or about a protection of which the lack is scored. */
export const isScored = (item: Evidence): boolean => item.polarity === "risk" || isProtection(item)

/**
 * The checks of which the items take nothing among this evidence, because something else says the same. The powers over a
 * token are claims of their own, each with its controller, so that a single key is priced there; those over another
 * contract need not be. Who holds a power decides nothing here, or a mitigation could lower a score. A Safe with a published singleton runs other code only for its signers and modules, and modules are
 * a claim of their own.
 */
export const saidElsewhere = (evidence: ReadonlyArray<Evidence>): ReadonlySet<string> =>
  new Set([
    ...(evidence.some(({ id }) => id.startsWith("token.")) ? ["control.single-key"] : []),
    ...(evidence.some(({ id, state }) => id === "safe.unknown-singleton" && state === "refuted")
      ? ["contract.selfdestruct-reachable"]
      : [])
  ])

/**
 * Whether an item costs anything in a case: a present risk, or a missing protection. An unknown item costs as much as
 * its worst state in the worst reading, and nothing in the best.
 */
export const counts = (item: Evidence, { reading }: Standing.Case): boolean =>
  item.state === "unknown" ? reading === "worst" : (item.state === "confirmed") === (item.polarity === "risk")

/** The share of its dimension that an item takes by itself, 0 to 1. */
export const of = (item: Evidence, case_: Standing.Case): number =>
  counts(item, case_) ? atSeverity(item) * Standing.exposure(item, case_) : 0

/**
 * The same for a single key: critical 0.95, high 0.55, medium 0.25, low 0.08, info 0. High weighs 0.7 for a power to
 * replace the code, 0.85 for one to take what holders have, and 0.68 where one account can take what holders sell into:
 * as much, because a power takes at most 80 % of a score and an exit all of it.
 */
export const atSeverity = (item: Evidence): number => {
  if (isProtection(item)) return lackOfProtection
  if (item.severity !== "high") return severityWeight[item.severity]
  const harm = Standing.harmOf(item)
  if (checkId(item.id) === "liquidity.held-by-insiders") return 0.68
  return harm === "takes" ? 0.85 : harm === "replaces" ? 0.7 : severityWeight[item.severity]
}

/**
 * The cause that a claim belongs to, by its items. Claims of one cause say one thing in several ways and are counted once.
 */
export const causeOf = (items: ReadonlyArray<Evidence>): string => {
  const [first] = items
  if (first === undefined) return ""
  // Who could have the power is known by who replaces the code.
  if (items.every((item) => item.state === "unknown" && item.controller !== null)) return replacing
  const id = checkId(first.id)
  return causes.get(id) ?? id
}

const severityWeight: { readonly [severity in Severity]: number } = {
  critical: 0.95,
  high: 0.55,
  medium: 0.25,
  low: 0.08,
  info: 0
}

/** What a token costs that no list vouches for. */
const lackOfProtection = 0.03

const isProtection = (item: Evidence): boolean => item.polarity === "protective" && checkId(item.id) === "token.listed"

const replacing = "the code can be replaced"

const causes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [replacing]: ["proxy.upgradeable", "proxy.upgradeable-now", "control.single-key"],
    "somebody rules unseen": ["control.hidden", "control.reclaimable", "token.powers-survive-renouncing"],
    "a sale does not go through": [
      "trade.honeypot",
      "trade.taxed",
      "trade.holders-blocked",
      "trade.sell-limited",
      "trade.environment-dependent"
    ],
    "the liquidity can go": [
      "liquidity.held-by-insiders",
      "liquidity.lock-expiring",
      "liquidity.lock-ends",
      "liquidity.withdrawn"
    ],
    "few hold most": ["holders.concentrated", "holders.insiders"]
  }).flatMap(([cause, ids]) => ids.map((id) => [id, cause] as const))
)
