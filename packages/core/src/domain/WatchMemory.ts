/** @internal */

import { Schema } from "effect"
import { ExecutionId } from "./Id.js"
import { SuspensionReason } from "./Watch.js"

/** The times at which a watch is due: `anchor + n × interval + phase`, in milliseconds. */
export const WatchGrid = Schema.Struct({
  anchor: Schema.Int,
  interval: Schema.Positive,
  phase: Schema.NonNegativeInt
}).annotations({ identifier: "WatchGrid" })

export interface WatchGrid extends Schema.Schema.Type<typeof WatchGrid> {}

/** Why a check gave no result: a stable code, and words for a person. */
export const CheckError = Schema.Struct({ code: Schema.String, detail: Schema.String }).annotations({
  identifier: "CheckError"
})

export interface CheckError extends Schema.Schema.Type<typeof CheckError> {}

/** Whether a watch is checked, and if not, why. */
export const WatchStatus = Schema.Union(
  Schema.TaggedStruct("Active", {}),
  Schema.TaggedStruct("Paused", {}),
  Schema.TaggedStruct("Suspended", { reason: SuspensionReason })
).annotations({ identifier: "WatchStatus" })

export type WatchStatus = typeof WatchStatus.Type

/**
 * What a watch remembers between its checks; times in epoch milliseconds. `n` is the number of the last grid time that
 * was claimed or passed over, so that none comes twice. `since` is when the first of `failures` in a row happened, `base`
 * the check that the next one is compared with. `lost` is how many checks in a row ended with their process. `nextDueAt` is
 * there while it is active, and only then.
 */
export const WatchMemory = Schema.Struct({
  grid: WatchGrid,
  n: Schema.Int,
  status: WatchStatus,
  nextDueAt: Schema.OptionFromNullOr(Schema.Int),
  lastCheckedAt: Schema.OptionFromNullOr(Schema.Int),
  lastError: Schema.OptionFromNullOr(CheckError),
  lastSuccessAt: Schema.OptionFromNullOr(Schema.Int),
  lastChangedAt: Schema.OptionFromNullOr(Schema.Int),
  base: Schema.OptionFromNullOr(ExecutionId),
  failures: Schema.NonNegativeInt,
  since: Schema.OptionFromNullOr(Schema.Int),
  lost: Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 }),
  counts: Schema.Struct({
    checks: Schema.NonNegativeInt,
    changes: Schema.NonNegativeInt,
    failures: Schema.NonNegativeInt
  }),
  skipped: Schema.Struct({
    overlap: Schema.NonNegativeInt,
    downtime: Schema.NonNegativeInt,
    quota: Schema.NonNegativeInt
  })
}).annotations({ identifier: "WatchMemory" })

export interface WatchMemory extends Schema.Schema.Type<typeof WatchMemory> {}
