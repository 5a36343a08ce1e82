import { Schema } from "effect"
import { Dimension, EvidenceState } from "./Evidence.js"

/**
 * How much risk was shown; `unknown` where what is unknown could move it to another band.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskLevel = Schema.Literal("minimal", "low", "medium", "high", "critical", "unknown").annotations({
  identifier: "RiskLevel"
})

/**
 * @since 0.1.0
 * @category models
 */
export type RiskLevel = typeof RiskLevel.Type

/**
 * The levels from the gravest to the least, each with the highest score that has it.
 *
 * @since 0.1.0
 * @category models
 */
export const bands: ReadonlyArray<{ readonly level: Exclude<RiskLevel, "unknown">; readonly upTo: number }> = [
  { level: "critical", upTo: 15 },
  { level: "high", upTo: 40 },
  { level: "medium", upTo: 70 },
  { level: "low", upTo: 90 },
  { level: "minimal", upTo: 100 }
]

const Score = Schema.Int.pipe(Schema.between(0, 100))

/**
 * A check that takes points, and the evidence that it takes them for.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskSignal = Schema.Struct({
  id: Schema.String,
  state: EvidenceState,
  dimension: Dimension,
  points: Schema.NonNegativeInt,
  evidence_ids: Schema.Array(Schema.String),
  title: Schema.String
}).annotations({ identifier: "RiskSignal" })

/**
 * @since 0.1.0
 * @category models
 */
export interface RiskSignal extends Schema.Schema.Type<typeof RiskSignal> {}

/**
 * An upper bound that certain findings put on the score.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskCap = Schema.Struct({
  limit: Score,
  because: Schema.String,
  evidence_ids: Schema.Array(Schema.String)
}).annotations({ identifier: "RiskCap" })

/**
 * @since 0.1.0
 * @category models
 */
export interface RiskCap extends Schema.Schema.Type<typeof RiskCap> {}

/**
 * What the evidence adds up to. `score` is 0 to 100, higher is safer, and is what is proven: the worst reading of
 * whatever is unknown; null when nothing was decided. The points of `signals` add up to `100 - score`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Risk = Schema.Struct({
  score: Schema.NullOr(Score),
  level: RiskLevel,
  level_at_best: RiskLevel,
  range: Schema.Struct({ worst: Score, best: Score }),
  coverage: Schema.Number.pipe(Schema.between(0, 1)),
  dimensions: Schema.Record({ key: Schema.String, value: Score }),
  signals: Schema.Array(RiskSignal),
  caps: Schema.Array(RiskCap),
  methodology_version: Schema.String
}).annotations({ identifier: "Risk" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Risk extends Schema.Schema.Type<typeof Risk> {}
