import { readFileSync } from "node:fs"
import type { Risk } from "@assay/core"
import type { Targets } from "@assay/sandbox"

/** A row of the tables of decision 40, which were written before any score was looked at. */
export interface Row {
  readonly kind: string
  /** None where no honest analysis of bytecode decides, which has no place. */
  readonly rank: number | null
  readonly name: Targets.Name
  readonly level: Risk.RiskLevel
  readonly decision: "allow" | "review" | "block" | "unknown"
}

const record = new URL(
  "../../../../docs/decisions/0040-an-order-of-forty-targets-by-kind-comes-before-the-scores.md",
  import.meta.url
)

const rowsOf = (text: string): ReadonlyArray<Row> =>
  text.split("\n### ").flatMap((part) => {
    const [kind = ""] = part.split("\n")
    return [...part.matchAll(/^\| (\d*) ?\| `(\w+)` \| (\w+) \| (\w+) \|/gm)].map(
      ([, rank, name, level, decision]) => ({
        kind,
        rank: rank === "" ? null : Number(rank),
        name: name as Targets.Name,
        level: level as Risk.RiskLevel,
        decision: decision as Row["decision"]
      })
    )
  })

/** The forty rows, as the record has them. */
export const rows: ReadonlyArray<Row> = rowsOf(readFileSync(record, "utf8"))

/** The standard policy. */
export const decisionOf = (level: Risk.RiskLevel): Row["decision"] =>
  (
    ({
      minimal: "allow",
      low: "allow",
      medium: "review",
      high: "review",
      critical: "block",
      unknown: "unknown"
    }) as const
  )[level]

/** The levels that the engine gives instead, each explained in the record. */
export const misses: Readonly<Partial<Record<Targets.Name, Risk.RiskLevel>>> = {
  approver: "critical",
  narrowApproval: "critical",
  remotelyDriven: "critical",
  seededSafe: "unknown",
  strangeSafe: "critical",
  diamond: "unknown"
}

/** What is in no order with the others: traps of one range, and targets that miss their level. */
export const unplaced: ReadonlySet<Targets.Name> = new Set([
  ...(Object.keys(misses) as ReadonlyArray<Targets.Name>),
  "snare",
  "openlyDriven"
])
