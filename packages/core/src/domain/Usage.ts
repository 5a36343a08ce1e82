import { Schema } from "effect"
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
