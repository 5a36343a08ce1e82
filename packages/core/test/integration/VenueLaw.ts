import { type Analysis, Evidence } from "@assay/core"

// The law of places that only look like a market of a token. Nobody but their maker says what they are, so that they may take
// certainty from a verdict, and never give it any.

/** What of an analysis a place could change: its level and score, and what it says of trades and of liquidity. */
export interface Verdict {
  readonly level: string | undefined
  readonly score: number
  readonly states: ReadonlyMap<string, string>
}

const isOfMarkets = (id: string): boolean => /^(trade|liquidity)\./.test(id)

export const of = ({ evidence, facts }: Pick<Analysis.Analysis, "evidence" | "facts">): Verdict => ({
  level: facts.risk?.level,
  score: facts.risk?.score ?? 0,
  states: new Map(evidence.filter(({ id }) => isOfMarkets(id)).map(({ id, state }) => [id, state]))
})

/** Claims that say nothing bad where they are confirmed. */
const isGood = (id: string): boolean =>
  ["trade.route", "liquidity.pools", "liquidity.burned", "liquidity.locked"].includes(Evidence.checkId(id))

/** Of what has been decided alone, what differs beside the place. */
export const differences = (alone: Verdict, beside: Verdict): ReadonlyArray<string> => [
  ...[...new Set([...alone.states.keys(), ...beside.states.keys()])].flatMap((id) => {
    const [before = "absent", after = "absent"] = [alone.states.get(id), beside.states.get(id)]
    return before === after ? [] : [`${id}: ${before} is ${after}`]
  }),
  ...(alone.level === beside.level && alone.score === beside.score
    ? []
    : [`${alone.level} ${alone.score} is ${beside.level} ${beside.score}`])
]

/**
 * What a place did that none may do, each in one line: a decided claim turned into another decided one; a claim that was not
 * decided is refuted, or confirmed where that is no harm; an honest token is accused, a trap has a better level, or there is
 * nothing said of a claim any more. `proved` are pools that are what they seem, of which more may be said.
 */
export const violations = (
  kind: "honest" | "trap",
  alone: Verdict,
  beside: Verdict,
  proved: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const said = new Set([...beside.states.keys()].map(Evidence.checkId))
  return [
    ...contradictions(kind, alone, beside, proved),
    ...[...new Set([...alone.states.keys()].map(Evidence.checkId))].flatMap((id) =>
      said.has(id) ? [] : [`nothing is said of ${id} any more`]
    )
  ]
}

/** The same, but for claims of which nothing is said any more. */
export const contradictions = (
  kind: "honest" | "trap",
  alone: Verdict,
  beside: Verdict,
  proved: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const found = [...beside.states].flatMap(([id, after]) => {
    const before = alone.states.get(id) ?? "absent"
    if (after === "unknown" || after === before || proved.some((pool) => id.includes(pool))) return []
    const isGraver = (after === "confirmed") !== isGood(id)
    if (kind === "trap" && before === "unknown" && isGraver) return []
    return [`${id}: ${before} is ${after}`]
  })
  const isSame = alone.level === beside.level || beside.level === "unknown"
  const isWorse = kind === "trap" && grave.indexOf(beside.level ?? "") > grave.indexOf(alone.level ?? "")
  if (!isSame && !isWorse) found.push(`the level ${alone.level} is ${beside.level}`)
  if (beside.score > alone.score) found.push(`the score ${alone.score} is ${beside.score}`)
  return found
}

// Unknown stands before the grave ones: what was unknown may turn out to be any of these, and never a good one.
const grave = ["minimal", "low", "unknown", "medium", "high", "critical"]
