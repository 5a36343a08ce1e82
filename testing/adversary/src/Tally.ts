import { type Composition, dimensions } from "./Composition.js"
import type { Verdict } from "./Judge.js"
import * as Judge from "./Judge.js"
import type { Trial } from "./Trial.js"

/** How many of each verdict. */
export interface Counts {
  readonly deeds: number
  readonly told: number
  readonly otherwise: number
  readonly unknown: number
  readonly falseSafety: number
}

/** What a run adds up to. */
export interface Tally {
  readonly tokens: number
  readonly noDeed: number
  readonly counts: Counts
  /** False safety that is minimal or low. */
  readonly harmless: number
  readonly seeds: ReadonlyArray<number>
  readonly twins: {
    readonly kept: number
    readonly thrownAway: number
    readonly accused: ReadonlyArray<{ readonly seed: number; readonly claims: ReadonlyArray<string> }>
    /** Of those kept where exchanges are known, how many are minimal or low, by books. */
    readonly levels: Readonly<Record<string, { readonly kept: number; readonly harmless: number }>>
  }
  /** By part: `condition list`. */
  readonly parts: Readonly<Record<string, Counts>>
}

const none: Counts = { deeds: 0, told: 0, otherwise: 0, unknown: 0, falseSafety: 0 }

const key: Readonly<Record<Exclude<Verdict, "no deed">, keyof Counts>> = {
  told: "told",
  "named otherwise": "otherwise",
  unknown: "unknown",
  "false safety": "falseSafety"
}

const counted = (counts: Counts, { judgement: { verdict } }: Trial): Counts =>
  verdict === "no deed" ? counts : { ...counts, deeds: counts.deeds + 1, [key[verdict]]: counts[key[verdict]] + 1 }

const every = (c: Composition): ReadonlyArray<string> => dimensions.map((dimension) => `${dimension} ${c[dimension]}`)

/** Adds trials up. */
export const of = (trials: ReadonlyArray<Trial>): Tally => {
  const kept = trials.filter(({ judgement }) => judgement.twin === "kept")
  const safe = trials.filter(({ judgement }) => judgement.verdict === "false safety")
  const parts: Record<string, Counts> = {}
  for (const trial of trials)
    for (const part of every(trial.composition)) parts[part] = counted(parts[part] ?? none, trial)
  const levels: Record<string, { kept: number; harmless: number }> = {}
  for (const { composition, said } of kept.filter((trial) => trial.composition.venues === "known")) {
    const level = levels[composition.books] ?? { kept: 0, harmless: 0 }
    levels[composition.books] = level
    level.kept++
    if (Judge.isHarmless(said.twin)) level.harmless++
  }
  return {
    tokens: trials.length,
    noDeed: trials.filter(({ judgement }) => judgement.verdict === "no deed").length,
    counts: trials.reduce(counted, none),
    harmless: safe.filter(({ said }) => Judge.isHarmless(said.trap)).length,
    seeds: safe.map(({ composition }) => composition.seed),
    twins: {
      kept: kept.length,
      thrownAway: trials.length - kept.length,
      accused: kept
        .filter(({ judgement }) => judgement.accusations.length > 0)
        .map(({ composition, judgement }) => ({ seed: composition.seed, claims: judgement.accusations })),
      levels
    },
    parts
  }
}

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`)

/** The summary, in lines. */
export const lines = ({ counts, harmless, noDeed, parts, seeds, tokens, twins }: Tally): ReadonlyArray<string> => {
  const row = (name: string, count: number, whole: number): string =>
    `  ${name.padEnd(22)}${String(count).padStart(6)}  ${percent(count, whole)}`
  const levels = Object.entries(twins.levels).sort(([a], [b]) => (a < b ? -1 : 1))
  const safe = levels.reduce((sum, [, level]) => sum + level.harmless, 0)
  const known = levels.reduce((sum, [, level]) => sum + level.kept, 0)
  return [
    `${tokens} tokens: ${counts.deeds} deeds proven on the chain, ${noDeed} without a deed (${percent(noDeed, tokens)})`,
    row("told", counts.told, counts.deeds),
    row("named otherwise", counts.otherwise, counts.deeds),
    row("unknown", counts.unknown, counts.deeds),
    row("false safety", counts.falseSafety, counts.deeds),
    row("  minimal or low", harmless, counts.deeds),
    ...(seeds.length > 0 ? [`  seeds of false safety: ${seeds.join(" ")}`] : []),
    `${tokens} twins: ${twins.thrownAway} thrown away, ${twins.kept} kept`,
    row("accused", twins.accused.length, twins.kept),
    ...twins.accused.map(({ claims, seed }) => `    seed ${seed}: ${claims.join(", ")}`),
    row("minimal or low", safe, known),
    ...levels.map(([books, level]) => row(`  ${books}`, level.harmless, level.kept)),
    "",
    `${"part".padEnd(28)}${["deeds", "told", "otherwise", "unknown", "false"].map((name) => name.padStart(10)).join("")}`,
    ...Object.entries(parts)
      .filter(([, { deeds }]) => deeds > 0)
      .sort(([a], [b]) => order(a) - order(b) || (a < b ? -1 : 1))
      .map(
        ([part, { deeds, falseSafety, otherwise, told, unknown }]) =>
          `${part.padEnd(28)}${[deeds, told, otherwise, unknown, falseSafety].map((count, i) => (i === 0 ? String(count) : percent(count, deeds)).padStart(10)).join("")}`
      )
  ]
}

const order = (part: string): number => dimensions.findIndex((dimension) => part.startsWith(`${dimension} `))
