import { Schema } from "effect"
import { Evidence } from "./Evidence.js"
import { RiskLevel } from "./Risk.js"

/**
 * A score and its band.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RiskPoint = Schema.Struct({ score: Schema.NullOr(Schema.Int), level: RiskLevel }).annotations({
  identifier: "RiskPoint"
})

/**
 * @since 0.1.0
 * @category models
 */
export interface RiskPoint extends Schema.Schema.Type<typeof RiskPoint> {}

/**
 * The last report about one thing that has moved since without a report.
 *
 * - `evidence`: the item as it was reported, null where the reader does not know that it is there.
 * - `fact`: the value as it was reported, null where there was none.
 * - `risk`: the movement that was not reported, as the comparisons since saw it. Scores of two comparisons are not on
 *   one scale, since each leaves out what it cannot see.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReportedValue = Schema.Union(
  Schema.Struct({ subject: Schema.Literal("evidence"), item: Schema.NullOr(Evidence) }),
  Schema.Struct({ subject: Schema.Literal("fact"), value: Schema.Unknown }),
  Schema.Struct({ subject: Schema.Literal("risk"), from: RiskPoint, to: RiskPoint })
).annotations({ identifier: "ReportedValue" })

/**
 * @since 0.1.0
 * @category models
 */
export type ReportedValue = typeof ReportedValue.Type

/**
 * What was last reported, where it differs from what is last known, by the id of the change that would report it.
 * Thresholds are compared with it, so that slow drift is reported once it has added up.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Reported = Schema.Record({ key: Schema.String, value: ReportedValue }).annotations({
  identifier: "Reported"
})

/**
 * @since 0.1.0
 * @category models
 */
export type Reported = typeof Reported.Type
