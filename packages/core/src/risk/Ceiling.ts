/** @internal */

import { checkId, type Evidence, type Severity } from "../domain/Evidence.js"
import * as Standing from "./Standing.js"

/**
 * The highest score that a finding leaves, why, and the lowest that it can be pushed to by other findings of its kind
 * and weaker ones. Each trap has its own range, and only traps lead below 16.
 */
export interface Ceiling {
  readonly limit: number
  readonly floor: number
  readonly because: string
}

/** No finding: up to 100. */
export const none: Ceiling = { limit: 100, floor: 16, because: "no finding limits the score" }

/** Nothing was decided, so that nothing is proven. */
export const undecided: Ceiling = { limit: 0, floor: 0, because: "no claim was decided" }

/** The ceiling that an item sets, counted as confirmed. */
export const of = (item: Evidence, case_: Standing.Case): Ceiling => {
  const id = checkId(item.id)
  if (closed.has(id)) return traps.closed
  if (id === "liquidity.withdrawn") return traps.withdrawn
  const harm = Standing.harmOf(item)
  if (harm !== null) return ofPower(harm, item.severity, Standing.of(item, case_))
  if (item.severity === "critical") return item.category === "exit" ? traps.exit : traps.other
  if (id === "wallet.frozen" && item.severity === "high") return traps.frozen
  if (id === "liquidity.lock-ends") return untilThen
  if (id === "wallet.unknown-code") return unnamed
  if (id === "safe.single-signature" && item.severity === "medium") return anyOwner
  // Other code that acts for a wallet is a finding, whoever uses it.
  if (item.category === "account" && item.severity !== "low" && item.severity !== "info") return otherCode
  if (item.severity !== "high") return none
  if (id === "liquidity.thin") return hard("nowhere to sell")
  if (id === "holders.concentrated" || id.startsWith("liquidity.")) return oneAccount
  if (item.category === "exit") return hard("high-severity finding about selling")
  // Whoever imitates another token, or holds a large part of one, needs no power to harm.
  return item.category === "identity" || item.category === "market" ? grave : none
}

const closed: ReadonlySet<string> = new Set(["trade.honeypot", "wallet.sanctioned"])

const traps = {
  closed: { limit: 3, floor: 0, because: "honeypot or sanctioned address" },
  withdrawn: { limit: 6, floor: 4, because: "the liquidity was withdrawn" },
  taken: { limit: 9, floor: 7, because: "one account can take balances" },
  exit: { limit: 12, floor: 10, because: "critical finding about selling" },
  frozen: { limit: 15, floor: 13, because: "a token's issuer froze the wallet" },
  other: { limit: 15, floor: 13, because: "critical finding" }
} as const satisfies Readonly<Record<string, Ceiling>>

const oneAccount: Ceiling = { limit: 32, floor: 16, because: "one account can turn it into a trap today" }
const hard = (because: string): Ceiling => ({ limit: 40, floor: 16, because })
const atOnce: Ceiling = {
  limit: 70,
  floor: 16,
  because: "a power that can be used without notice, or replaces the code"
}
const grave: Ceiling = { limit: 70, floor: 16, because: "high-severity finding about what it is or who holds it" }
const otherCode: Ceiling = {
  limit: 70,
  floor: 16,
  because: "code that no known publisher wrote, or a module, acts for the wallet"
}
const anyOwner: Ceiling = { limit: 70, floor: 16, because: "each of several keys alone moves the assets of the wallet" }
const untilThen: Ceiling = { limit: 90, floor: 16, because: "the liquidity can go at a time that everybody can read" }
const unnamed: Ceiling = { limit: 90, floor: 16, because: "no known publisher wrote the code of the wallet" }
const withNotice: Ceiling = {
  limit: 90,
  floor: 16,
  because: "a power that is used after notice, or is of little weight"
}

const ofPower = (harm: Standing.Harm, severity: Severity, standing: Standing.Standing): Ceiling => {
  if (standing === "nobody" || severity === "info") return none
  if (severity === "low") return withNotice
  // An account that replaces the code can do everything.
  const isTotal = severity === "critical" || (harm === "replaces" && severity === "high")
  switch (standing) {
    case "late":
      return isTotal ? atOnce : withNotice
    case "issuer":
      return atOnce
    case "several":
      return severity === "critical" ? hard("several accounts together can take balances") : atOnce
    case "one":
      return severity === "critical"
        ? harm === "takes"
          ? traps.taken
          : traps.other
        : severity === "high"
          ? oneAccount
          : atOnce
  }
}
