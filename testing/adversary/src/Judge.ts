import type { Composition } from "./Composition.js"
import { listed, stored } from "./Composition.js"
import type { Row, Truth } from "./Oracle.js"
import type { Claim, Said } from "./Product.js"

/** The claims that can say what a holder can suffer. */
export const claimsOf: Readonly<Record<Row, ReadonlyArray<string>>> = {
  stopped: [
    "token.pausable",
    "token.blacklistable",
    "token.whitelist-only",
    "token.limits-changeable",
    "token.tax-changeable",
    "trade.honeypot",
    "trade.holders-blocked",
    "proxy.upgradeable",
    "contract.delegatecall-mutable"
  ],
  stoppedInTime: ["trade.honeypot", "trade.holders-blocked", "trade.sell-limited", "trade.environment-dependent"],
  taxed: [
    "trade.taxed",
    "token.tax-changeable",
    "trade.environment-dependent",
    "proxy.upgradeable",
    "contract.delegatecall-mutable"
  ],
  inflated: ["token.mintable", "proxy.upgradeable", "contract.delegatecall-mutable"],
  unissued: ["token.mintable", "holders.concentrated", "holders.insiders"],
  seized: ["token.balances-seizable", "token.allowance-bypass", "proxy.upgradeable", "contract.delegatecall-mutable"]
}

/**
 * What came of a trap. `told`: the claim that names its part, or any of the row where no one claim does. `named
 * otherwise`: another of the row. `false safety`: see `reasons`.
 */
export type Verdict = "told" | "named otherwise" | "unknown" | "false safety" | "no deed"

/** The judgement of one composition. */
export interface Judgement {
  readonly verdict: Verdict
  readonly reasons: ReadonlyArray<string>
  readonly twin: "kept" | "thrown away"
  /** Claims of a twin of which no deed works. */
  readonly accusations: ReadonlyArray<string>
}

const harmless: ReadonlySet<string> = new Set(["minimal", "low"])

/** Two days: who has to wait for less gives nobody time to leave. */
const notice = 2 * 86_400

/** Whether a controller is credited for what is proven: a Safe, or a delay that holders can leave in (decision 12). */
const isCredited = ({ controller }: Claim): boolean =>
  controller !== null && (controller.kind === "safe" || (controller.delay_seconds ?? 0) >= notice)

/** The claim that names what the part does, where there is one. */
export const expected = (c: Composition): string | undefined => {
  switch (c.effect) {
    case "mint":
    case "rebaseUp":
    case "overdraw":
    case "twice":
    case "batch":
      return "token.mintable"
    case "seize":
    case "rebaseDown":
    case "wipe":
    case "drain":
    case "rename":
    case "forget":
    case "impersonate":
      return "token.balances-seizable"
    case "grant":
    case "bypass":
    case "vouch":
    case "given":
    case "also":
    case "trail":
    case "swapped":
      return "token.allowance-bypass"
  }
  if (!stored.has(c.condition)) return undefined
  if (c.effect === "take" || c.effect === "onTop" || c.effect === "cap") return "token.tax-changeable"
  if (listed.has(c.condition) || c.condition === "hash" || c.condition === "digest") return "token.blacklistable"
  if (c.condition === "root") return "token.whitelist-only"
  return c.condition === "limit" ? "token.limits-changeable" : "token.pausable"
}

const statesOf = (said: Said, ids: ReadonlyArray<string>): ReadonlyArray<Claim> =>
  said.claims.filter(({ id }) => ids.includes(id))

/**
 * Why what was said of a token of which a row was seen is false safety; nothing where it is not. Who only says that it waits
 * gets no credit for it.
 */
export const falseSafety = (row: Row, said: Said, state: Composition["state"] = "live"): ReadonlyArray<string> => {
  const items = statesOf(said, claimsOf[row])
  const told = items.filter(({ state }) => state === "confirmed")
  const unknown = items.filter(({ state }) => state === "unknown")
  const refuted = claimsOf[row].map((id) => `${id} ${items.find((item) => item.id === id)?.state ?? "not applicable"}`)
  return [
    ...(told.length === 0 && unknown.length === 0 ? [`${row}: nothing says so (${refuted.join(", ")})`] : []),
    ...(harmless.has(said.level) && (state === "fake" || !told.some(isCredited))
      ? [`${row}: the level is ${said.level}`]
      : [])
  ]
}

/** Judges what was said of a trap and of its twin by what was seen of both. */
export const judge = (
  composition: Composition,
  trap: { readonly truth: Truth; readonly said: Said },
  twin: { readonly truth: Truth; readonly said: Said }
): Judgement => {
  const rest = {
    twin: twin.truth.isControlled && twin.truth.rows.length === 0 ? ("kept" as const) : ("thrown away" as const),
    accusations: accusations(twin)
  }
  const { isControlled, rows } = trap.truth
  if (!isControlled || rows.length === 0) return { ...rest, verdict: "no deed", reasons: [] }
  const reasons = rows.flatMap((row) => falseSafety(row, trap.said, composition.state))
  if (reasons.length > 0) return { ...rest, verdict: "false safety", reasons }
  const told = rows.map((row) => statesOf(trap.said, claimsOf[row]).filter(({ state }) => state === "confirmed"))
  // A trap with two rows counts as named where both are.
  if (told.some((items) => items.length === 0)) return { ...rest, verdict: "unknown", reasons: [] }
  const name = expected(composition)
  const isNamed = name === undefined || told.some((items) => items.some(({ id }) => id === name))
  return { ...rest, verdict: isNamed ? "told" : "named otherwise", reasons: [] }
}

const accusations = ({ said, truth }: { readonly truth: Truth; readonly said: Said }): ReadonlyArray<string> =>
  truth.isControlled && truth.rows.length === 0
    ? [
        ...new Set(
          Object.values(claimsOf).flatMap((ids) =>
            statesOf(said, ids).flatMap(({ id, state }) => (state === "confirmed" ? [id] : []))
          )
        )
      ]
    : []

/** Whether a level is what an honest token should have. */
export const isHarmless = ({ level }: Said): boolean => harmless.has(level)
