/** @internal */

import * as Controller from "../domain/Controller.js"
import { checkId, type Evidence, severityRank } from "../domain/Evidence.js"

/**
 * How what is unknown is read: at its worst, or at its best. `established` says whether the token counts as one of a
 * known issuer, see {@link isEstablished}.
 */
export interface Case {
  readonly reading: "worst" | "best"
  readonly established: boolean
}

/** What a power does to holders: `binds` them (mint, pause, block), `replaces` the code, or `takes` what they have. */
export type Harm = "binds" | "replaces" | "takes"

/** What the power of an item does to holders; null where its claim is no power over the holders of a token. */
export const harmOf = (item: Evidence): Harm | null =>
  harms.get(checkId(item.id)) ??
  (item.controller !== null && (item.category === "control" || item.category === "code") ? "binds" : null)

/**
 * Who can use a power, as far as it matters to holders: nobody; an account with a delay of at least {@link
 * Controller.notice}; a known issuer; several signers; or one key, which also stands for unknown controllers.
 */
export type Standing = "nobody" | "late" | "issuer" | "several" | "one"

/** The standing of the controller of an item. An unknown item without a controller is read as one key. */
export const of = (item: Evidence, { established, reading }: Case): Standing => {
  const { controller } = item
  if (controller === null) return "one"
  if (controller.kind === "dead" || (reading === "best" && Controller.isUnresolved(controller))) return "nobody"
  if (Controller.isLate(controller)) return "late"
  if (established && !Controller.isUnresolved(controller)) return "issuer"
  return Controller.exposure(controller) < 1 ? "several" : "one"
}

/** The share of a power's weight that is left with its controller, 0 to 1. A known issuer leaves at most 0.35. */
export const exposure = (item: Evidence, case_: Case): number => {
  const { controller } = item
  if (controller === null) return 1
  const own = case_.reading === "worst" ? Controller.exposure(controller) : Controller.exposureAtBest(controller)
  const isIssuers = case_.established && harmOf(item) !== null && !Controller.isUnresolved(controller)
  return isIssuers ? Math.min(own, exposureOfIssuer) : own
}

/**
 * Whether a token is on a token list, and has pools that are deep and that neither insiders nor one account can empty.
 * Nothing of that can be had for a fee or by many accounts of one person: a list is curated. What is unknown is read as the
 * case says.
 */
export const isEstablished = (evidence: ReadonlyArray<Evidence>, reading: Case["reading"]): boolean => {
  const every = (id: string, isGood: (item: Evidence) => boolean): boolean => {
    const items = evidence.filter((item) => checkId(item.id) === id)
    return items.length > 0 && items.every((item) => isGood(item) || (reading === "best" && item.state === "unknown"))
  }
  return (
    every("token.listed", ({ state }) => state === "confirmed") &&
    every("liquidity.thin", ({ state }) => state === "refuted") &&
    every(
      "liquidity.held-by-insiders",
      ({ severity, state }) => state === "refuted" || (state === "confirmed" && severityRank(severity) <= lowRank)
    )
  )
}

const exposureOfIssuer = 0.35

const lowRank = severityRank("low")

const harms: ReadonlyMap<string, Harm> = new Map<string, Harm>([
  ["control.single-key", "binds"],
  ...["mintable", "pausable", "blacklistable", "whitelist-only", "limits-changeable", "powers-survive-renouncing"].map(
    (name) => [`token.${name}`, "binds"] as const
  ),
  ...[
    "proxy.upgradeable",
    "proxy.upgradeable-now",
    "contract.delegatecall-mutable",
    "contract.selfdestruct-reachable"
  ].map((id) => [id, "replaces"] as const),
  ...["token.tax-changeable", "token.balances-seizable", "token.allowance-bypass"].map((id) => [id, "takes"] as const)
])
