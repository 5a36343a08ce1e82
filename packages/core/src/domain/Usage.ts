import { Schema } from "effect"
import { ExecutionFailure } from "./AnalysisResult.js"
import { ExecutionId, WatchId } from "./Id.js"
import { Timestamp } from "./Timestamp.js"

/**
 * A key's units of one UTC day; `remaining` is never negative, also when the quota was lowered below what is used.
 *
 * The forecast is of what its active watches are going to need: on a whole day, and from now to midnight.
 * `exhausts_at` is when the first of these checks would find no unit, if nothing else used one; null where none would.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Usage = Schema.Struct({
  day: Schema.String,
  daily_quota: Schema.NonNegativeInt,
  used: Schema.NonNegativeInt,
  reserved: Schema.NonNegativeInt,
  remaining: Schema.NonNegativeInt,
  resets_at: Timestamp,
  by_kind: Schema.Struct({
    token: Schema.NonNegativeInt,
    wallet: Schema.NonNegativeInt,
    contract: Schema.NonNegativeInt,
    watch: Schema.NonNegativeInt
  }),
  forecast: Schema.Struct({
    watch_units_per_day: Schema.NonNegativeInt,
    watch_units_left_today: Schema.NonNegativeInt,
    exhausts_at: Schema.NullOr(Timestamp),
    over_quota: Schema.Boolean
  })
}).annotations({ identifier: "Usage" })

/**
 * @since 0.1.0
 * @category models
 */
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

/**
 * A unit of a day, or the sum of such units once single ones are past their retention: then `at`, `execution_id`, `watch_id`
 * and `reason` are null, and `units` is 1 or more. `state` is what became of it: `released` gave it back. `reason` is why, null
 * otherwise. `reason` and `watch_id` are null too where the execution is past its own retention.
 *
 * @since 0.1.0
 * @category schemas
 */
export const LedgerEntry = Schema.Struct({
  at: Schema.NullOr(Timestamp),
  kind: Schema.Literal("token", "wallet", "contract", "watch"),
  units: Schema.NonNegativeInt,
  state: Schema.Literal("reserved", "committed", "released"),
  reason: Schema.NullOr(ExecutionFailure.fields.code),
  execution_id: Schema.NullOr(ExecutionId),
  watch_id: Schema.NullOr(WatchId)
}).annotations({ identifier: "LedgerEntry" })

/**
 * @since 0.1.0
 * @category models
 */
export interface LedgerEntry extends Schema.Schema.Type<typeof LedgerEntry> {}
