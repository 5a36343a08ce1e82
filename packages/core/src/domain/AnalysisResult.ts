import { Schema } from "effect"
import { Address } from "./Address.js"
import { BlockRef } from "./BlockRef.js"
import { ChangeReport } from "./ChangeReport.js"
import { Evidence } from "./Evidence.js"
import { Facts } from "./Facts.js"
import { ExecutionId } from "./Id.js"
import { Recipe } from "./Recipe.js"
import { Source } from "./Source.js"
import { ChainRef, TargetKind } from "./Target.js"
import { Timestamp } from "./Timestamp.js"
import { Warning } from "./Warning.js"

/**
 * @since 0.1.0
 * @category schemas
 */
export const ExecutionStatus = Schema.Literal("running", "complete", "partial", "failed").annotations({
  identifier: "ExecutionStatus"
})

/**
 * @since 0.1.0
 * @category models
 */
export type ExecutionStatus = typeof ExecutionStatus.Type

/**
 * Why an execution failed; its unit was given back. `internal_error` is a defect. `lease_lost`: its process did not come
 * back. `stopped`: its process had to stop, or nobody waited for it any more. `watch_removed`: its watch is gone.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ExecutionFailure = Schema.Struct({
  code: Schema.Literal(
    "upstream_unavailable",
    "deadline_exceeded",
    "internal_error",
    "lease_lost",
    "stopped",
    "target_mismatch",
    "watch_removed"
  ),
  detail: Schema.String
}).annotations({ identifier: "ExecutionFailure" })

/**
 * @since 0.1.0
 * @category models
 */
export interface ExecutionFailure extends Schema.Schema.Type<typeof ExecutionFailure> {}

/**
 * Whether the prose was written; `reason` of a skip is beside it in the result.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SummaryStatus = Schema.Literal("generated", "skipped", "never_configured").annotations({
  identifier: "SummaryStatus"
})

/**
 * Why there is no prose summary: none was requested, or only by a schedule; the model was not available, took too long,
 * or would have cost more than its limit; or its text was refused because the evidence does not support it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SummaryReason = Schema.Literal(
  "not_requested",
  "scheduled_check",
  "provider_error",
  "budget",
  "timeout",
  "rejected"
).annotations({ identifier: "SummaryReason" })

/**
 * @since 0.1.0
 * @category models
 */
export type SummaryReason = typeof SummaryReason.Type

/**
 * One execution as its caller sees it: the same shape for every kind of target and every status. While it runs, and
 * when it failed, `block`, `content_hash`, `facts.risk` and `change_report` are null and `evidence` is empty.
 *
 * @since 0.1.0
 * @category schemas
 */
export const AnalysisResult = Schema.Struct({
  execution_id: ExecutionId,
  target: TargetKind,
  address: Address,
  chain: ChainRef,
  status: ExecutionStatus,
  error: Schema.NullOr(ExecutionFailure),
  created_at: Timestamp,
  completed_at: Schema.NullOr(Timestamp),
  progress: Schema.NullOr(
    Schema.Struct({ step: Schema.String, done: Schema.NonNegativeInt, total: Schema.NonNegativeInt })
  ),
  block: Schema.NullOr(BlockRef),
  engine_version: Schema.String,
  ruleset_version: Schema.String,
  content_hash: Schema.NullOr(Schema.String),
  evidence: Schema.Array(Evidence),
  facts: Facts,
  recipes: Schema.Array(Recipe),
  summary: Schema.NullOr(Schema.String),
  summary_status: SummaryStatus,
  summary_reason: Schema.NullOr(SummaryReason),
  sources: Schema.Array(Source),
  change_report: Schema.NullOr(ChangeReport),
  units: Schema.NonNegativeInt,
  warnings: Schema.Array(Warning)
}).annotations({ identifier: "AnalysisResult" })

/**
 * @since 0.1.0
 * @category models
 */
export interface AnalysisResult extends Schema.Schema.Type<typeof AnalysisResult> {}

/**
 * The prose of an execution, or why there is none.
 *
 * @since 0.1.0
 * @category models
 */
export type Summary = Pick<AnalysisResult, "summary" | "summary_status" | "summary_reason">
