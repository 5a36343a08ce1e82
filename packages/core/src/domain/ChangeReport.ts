import { Schema } from "effect"
import { BlockRef } from "./BlockRef.js"
import { Severity } from "./Evidence.js"
import { ExecutionId } from "./Id.js"
import { RiskLevel } from "./Risk.js"
import { Timestamp } from "./Timestamp.js"

/**
 * One side of a comparison.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChangeSide = Schema.Struct({
  execution_id: ExecutionId,
  completed_at: Timestamp,
  block: BlockRef,
  ruleset_version: Schema.String
}).annotations({ identifier: "ChangeSide" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ChangeSide extends Schema.Schema.Type<typeof ChangeSide> {}

/**
 * @since 0.1.0
 * @category schemas
 */
export const ChangeKind = Schema.Literal(
  "added",
  "removed",
  "state_changed",
  "value_changed",
  "visibility_lost",
  "visibility_gained"
).annotations({ identifier: "ChangeKind" })

/**
 * @since 0.1.0
 * @category models
 */
export type ChangeKind = typeof ChangeKind.Type

/**
 * One difference. `before` and `after` are `{state, value}` for evidence, the bare value else; null where the item was
 * not there. `before` is the last reported value. After slow drift it can be older than the execution compared with.
 * `delta` is null where there is no number, or no earlier one. Set values list `added` and `removed` there. `verified`
 * is false where a side was inferred and not read or simulated; a high or critical change of a watch is verified where
 * a second reading showed it too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Change = Schema.Struct({
  id: Schema.String,
  subject: Schema.Literal("evidence", "risk", "fact"),
  kind: ChangeKind,
  path: Schema.String,
  before: Schema.Unknown,
  after: Schema.Unknown,
  delta: Schema.NullOr(
    Schema.Union(
      Schema.Struct({ absolute: Schema.String, relative: Schema.NullOr(Schema.String) }),
      Schema.Struct({ added: Schema.Array(Schema.Unknown), removed: Schema.Array(Schema.Unknown) })
    )
  ),
  severity: Severity,
  direction: Schema.Literal("worse", "better", "neutral"),
  verified: Schema.Boolean,
  title: Schema.String,
  source_url: Schema.String
}).annotations({ identifier: "Change" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Change extends Schema.Schema.Type<typeof Change> {}

/**
 * Whether a change is about what was readable, and not about the target.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOfReading = ({ kind }: Pick<Change, "kind">): boolean =>
  kind === "visibility_lost" || kind === "visibility_gained"

/**
 * What is different between two executions of one target.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ChangeReport = Schema.Struct({
  format_version: Schema.String,
  status: Schema.Literal("baseline", "unchanged", "changed", "incomparable"),
  reason: Schema.NullOr(Schema.Literal("block_regressed", "base_expired", "base_failed")),
  base: Schema.NullOr(ChangeSide),
  head: ChangeSide,
  max_severity: Schema.NullOr(Severity),
  counts: Schema.Struct({
    critical: Schema.NonNegativeInt,
    high: Schema.NonNegativeInt,
    medium: Schema.NonNegativeInt,
    low: Schema.NonNegativeInt,
    info: Schema.NonNegativeInt,
    suppressed: Schema.NonNegativeInt
  }),
  risk: Schema.NullOr(
    Schema.Struct({
      score_before: Schema.NullOr(Schema.Int),
      score_after: Schema.NullOr(Schema.Int),
      score_delta: Schema.NullOr(Schema.Int),
      level_before: RiskLevel,
      level_after: RiskLevel
    })
  ),
  changes: Schema.Array(Change),
  ruleset_changes: Schema.Array(Change),
  suppressed: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      why: Schema.Literal("below_threshold", "ignored", "volatile", "not_reproduced", "explained")
    })
  ),
  text: Schema.String
}).annotations({ identifier: "ChangeReport" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ChangeReport extends Schema.Schema.Type<typeof ChangeReport> {}
