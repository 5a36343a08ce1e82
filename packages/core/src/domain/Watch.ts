import { Schema } from "effect"
import { Address } from "./Address.js"
import { Severity } from "./Evidence.js"
import { ExecutionId, RunId, WatchId } from "./Id.js"
import { ChainRef, TargetKind } from "./Target.js"
import { Timestamp } from "./Timestamp.js"
import { Warning } from "./Warning.js"

/**
 * What its owner calls a watch: 0 to 100 characters, no control characters.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WatchLabel = Schema.String.pipe(
  Schema.filter((text) => text.length <= 100 && !/\p{Cc}/u.test(text), {
    identifier: "WatchLabel",
    jsonSchema: { maxLength: 100 }
  })
)

/**
 * Seconds between two checks.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WatchInterval = Schema.Int.pipe(Schema.between(900, 2_592_000)).annotations({
  identifier: "WatchInterval"
})

/**
 * What a watch reports.
 *
 * - `min_severity`: the least grade of a change that is an event. `ignore`: ids of evidence, checks or facts that are
 *   not compared. `thresholds`: by check id, the change that is not reported, in the unit of the rule's tolerance.
 * - `verify`: a high or critical change is read again before it is reported. `notify_unchanged`: every check is an
 *   event.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WatchOptions = Schema.Struct({
  min_severity: Severity,
  ignore: Schema.Array(Schema.String.pipe(Schema.maxLength(200))).pipe(Schema.maxItems(100)),
  thresholds: Schema.Record({ key: Schema.String, value: Schema.NonNegative }),
  verify: Schema.Boolean,
  notify_unchanged: Schema.Boolean
}).annotations({ identifier: "WatchOptions" })

/**
 * @since 0.1.0
 * @category models
 */
export interface WatchOptions extends Schema.Schema.Type<typeof WatchOptions> {}

/**
 * @since 0.1.0
 * @category constructors
 */
export const defaultOptions: WatchOptions = {
  min_severity: "low",
  ignore: [],
  thresholds: {},
  verify: true,
  notify_unchanged: false
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const WatchState = Schema.Literal("active", "paused", "suspended").annotations({ identifier: "WatchState" })

/**
 * @since 0.1.0
 * @category models
 */
export type WatchState = typeof WatchState.Type

/**
 * Why a watch was suspended.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SuspensionReason = Schema.Literal(
  "consecutive_failures",
  "key_revoked",
  "key_expired",
  "key_disabled"
).annotations({ identifier: "SuspensionReason" })

/**
 * @since 0.1.0
 * @category models
 */
export type SuspensionReason = typeof SuspensionReason.Type

/**
 * A target that is checked again on a fixed grid of times. `next_due_at` is null unless it is active; `last_error` is null
 * after a check that succeeded.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Watch = Schema.Struct({
  id: WatchId,
  target: TargetKind,
  address: Address,
  label: WatchLabel,
  interval_seconds: WatchInterval,
  chain: ChainRef,
  state: WatchState,
  state_reason: Schema.NullOr(SuspensionReason),
  running: Schema.Boolean,
  created_at: Timestamp,
  updated_at: Timestamp,
  last_checked_at: Schema.NullOr(Timestamp),
  last_error: Schema.NullOr(Schema.String),
  last_error_code: Schema.NullOr(Schema.String),
  last_success_at: Schema.NullOr(Timestamp),
  last_changed_at: Schema.NullOr(Timestamp),
  next_due_at: Schema.NullOr(Timestamp),
  consecutive_failures: Schema.NonNegativeInt,
  units_per_check: Schema.NonNegativeInt,
  units_per_day: Schema.NonNegativeInt,
  counts: Schema.Struct({
    checks: Schema.NonNegativeInt,
    changes: Schema.NonNegativeInt,
    failures: Schema.NonNegativeInt
  }),
  skipped_runs: Schema.Struct({
    overlap: Schema.NonNegativeInt,
    downtime: Schema.NonNegativeInt,
    quota: Schema.NonNegativeInt
  }),
  options: WatchOptions,
  warnings: Schema.Array(Warning)
}).annotations({ identifier: "Watch" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Watch extends Schema.Schema.Type<typeof Watch> {}

/**
 * One check of a watch, or a time at which there was none (`skipped`). `abandoned`: its process did not come back.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WatchRun = Schema.Struct({
  id: RunId,
  scheduled_for: Timestamp,
  started_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp),
  trigger: Schema.Literal("schedule", "manual", "catch_up"),
  status: Schema.Literal("running", "succeeded", "failed", "skipped", "abandoned"),
  units: Schema.NonNegativeInt,
  execution_id: Schema.NullOr(ExecutionId),
  change_status: Schema.NullOr(Schema.Literal("baseline", "unchanged", "changed", "incomparable")),
  max_severity: Schema.NullOr(Severity),
  error_code: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String)
}).annotations({ identifier: "WatchRun" })

/**
 * @since 0.1.0
 * @category models
 */
export interface WatchRun extends Schema.Schema.Type<typeof WatchRun> {}
