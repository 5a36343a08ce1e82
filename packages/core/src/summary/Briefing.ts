/** @internal */

import type { Controller } from "../domain/Controller.js"
import type { Evidence, Severity } from "../domain/Evidence.js"
import type { Risk } from "../domain/Risk.js"
import type { SummaryInput } from "./Summarizer.js"

/**
 * The whole input of a model about an analysis, and what its text is checked against. `data` is JSON of states, titles,
 * grades and our own numbers. What others wrote (a token's name and symbol) is in one marked member of it, short and
 * escaped; every other text of theirs (details, reverts, names of functions and sources) is left out.
 */
export interface Briefing {
  readonly data: string
  /** The items that a text may cite, by id. */
  readonly evidence: ReadonlyMap<string, Evidence>
  /** The numerals that a text may hold, as `Numerals.of` writes them. */
  readonly numerals: ReadonlySet<string>
  /** The addresses that a text may hold, in lower case. */
  readonly addresses: ReadonlySet<string>
  /** What others wrote and a text may quote. */
  readonly quotable: ReadonlyArray<string>
  readonly risk: Risk | null
}

/** Chooses what matters most where there is too much: at most 60 items and 24,000 characters. */
export const make = (input: SummaryInput): Briefing => {
  const ordered = input.evidence
    .map((item, place) => ({ item, rank: rankOf(item), place }))
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
    .map(({ item }) => item)
    .slice(0, mostItems)
  const quotable = [input.facts.token?.name, input.facts.token?.symbol].flatMap((text) =>
    typeof text === "string" && isShowable(text) ? [text] : []
  )
  const written = (items: ReadonlyArray<Evidence>): string =>
    JSON.stringify({
      target: { kind: input.target, address: input.address, chain: input.chain.name },
      risk: input.facts.risk === null ? null : riskOf(input.facts.risk),
      evidence: items.map(itemOf),
      items_left_out: input.evidence.length - items.length,
      untrusted_text_of_the_target: quotable
    })
  let chosen = ordered
  let data = written(chosen)
  while (data.length > mostCharacters && chosen.length > 0) {
    chosen = chosen.slice(0, Math.floor(chosen.length * 0.8))
    data = written(chosen)
  }
  return {
    data,
    evidence: new Map(chosen.map((item) => [item.id, item])),
    numerals: new Set(["0", "100", ...numeralsIn(data.replace(addressPattern, " "))]),
    addresses: new Set((data.match(addressPattern) ?? []).map((address) => address.toLowerCase())),
    quotable,
    risk: input.facts.risk
  }
}

const mostItems = 60
const mostCharacters = 24_000

/**
 * The numerals of a text in one spelling: `1,000` as `1000`, `5.50` as `5.5`. What is part of a word (`ERC-20`) is none.
 */
export const numeralsIn = (text: string): ReadonlyArray<string> =>
  (text.match(/(?<![\p{L}\p{N}_.-])\d[\d,]*(?:\.\d+)?/gu) ?? []).map((numeral) => {
    const plain = numeral.replaceAll(",", "")
    return plain.includes(".") ? plain.replace(/0+$/, "").replace(/\.$/, "") : plain
  })

/** Where an address stands in a text. */
export const addressPattern = /0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g

// Letters, digits and a few signs: what has more may be made to look like something else.
const isShowable = (text: string): boolean => text.length <= 32 && /^[\p{L}\p{N}][\p{L}\p{N} ._$+-]*$/u.test(text)

const severities: ReadonlyArray<Severity> = ["critical", "high", "medium", "low", "info"]

const rankOf = (item: Evidence): number => {
  const grade = severities.indexOf(item.severity)
  if (item.polarity === "risk") return grade + (item.state === "confirmed" ? 0 : item.state === "unknown" ? 5 : 10)
  return grade + (item.polarity === "protective" ? 12 : 20)
}

const riskOf = (risk: Risk) => ({
  score: risk.score,
  level: risk.level,
  level_at_best: risk.level_at_best,
  worst: risk.range.worst,
  best: risk.range.best,
  coverage_percent: Math.floor(risk.coverage * 100),
  points_lost: risk.signals.slice(0, 10).map(({ evidence_ids, points, state, title }) => ({
    points,
    state,
    title,
    evidence: evidence_ids.slice(0, 3)
  })),
  caps: risk.caps.map(({ because, limit }) => ({ limit, because }))
})

const itemOf = (item: Evidence) => ({
  id: item.id,
  state: item.state,
  claim: item.title,
  bad_if_confirmed: item.polarity === "risk",
  severity: item.severity,
  only_inferred: item.state !== "unknown" && !item.verified,
  why_unknown: item.reason,
  held_by: item.controller === null ? null : controllerOf(item.controller),
  value: figures(item.value, 3)
})

const day = 86_400

const controllerOf = ({ address, delay_seconds, kind, signers, threshold }: Controller) => ({
  kind,
  address,
  signers,
  threshold,
  delay_days: delay_seconds === null ? null : Math.floor(delay_seconds / day)
})

const mostMembers = 12

/** What of a value cannot be a sentence: numbers, truths, addresses, and single words as our own schemas have them. */
const figures = (value: unknown, depth: number): unknown => {
  if (typeof value === "number" || typeof value === "boolean") return value
  if (typeof value === "string")
    return /^(?:0x[0-9a-fA-F]{40}|-?\d{1,78}(?:\.\d{1,30})?|[a-z0-9_]{1,24})$/.test(value) ? value : undefined
  if (typeof value !== "object" || value === null || depth === 0) return undefined
  if (Array.isArray(value)) {
    const members = value.slice(0, mostMembers).flatMap((member) => figures(member, depth - 1) ?? [])
    return members.length === 0 ? undefined : members
  }
  const members = Object.entries(value)
    .slice(0, mostMembers)
    .flatMap(([name, member]): ReadonlyArray<readonly [string, unknown]> => {
      const figure = figures(member, depth - 1)
      if (figure === undefined) return []
      return typeof figure === "number" && name.endsWith("_bps")
        ? [[`${name.slice(0, -"_bps".length)}_percent`, figure / 100]]
        : [[name, figure]]
    })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}
