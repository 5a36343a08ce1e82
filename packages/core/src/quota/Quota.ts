import { Context, type Effect, Schema } from "effect"
import type { Caller } from "../domain/Caller.js"
import type { ExecutionId } from "../domain/Id.js"
import { Timestamp } from "../domain/Timestamp.js"
import type { Usage } from "../domain/Usage.js"
import type { UnitKind } from "../storage/QuotaStore.js"
import type { StorageError } from "../storage/StorageError.js"

/**
 * Meters units: one an execution, by UTC day.
 *
 * @since 0.1.0
 * @category services
 */
export class Quota extends Context.Tag("@assay/core/Quota")<
  Quota,
  {
    /** Sets one unit aside in every bucket that applies to the caller, or in none. */
    readonly reserve: (request: {
      readonly id: ExecutionId
      readonly caller: Caller
      readonly kind: UnitKind
    }) => Effect.Effect<void, QuotaExceeded | StorageError>
    /** Final once; answers whether this call decided it. */
    readonly settle: (id: ExecutionId, state: "committed" | "released") => Effect.Effect<boolean, StorageError>
    readonly usage: (caller: Caller) => Effect.Effect<Usage, StorageError>
  }
>() {}

/**
 * No unit is left today in `bucket`.
 *
 * @since 0.1.0
 * @category errors
 */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>()("QuotaExceeded", {
  bucket: Schema.Literal("key", "source", "deployment"),
  limit: Schema.NonNegativeInt,
  resets_at: Timestamp
}) {}
