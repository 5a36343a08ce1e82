import { Context, type Effect } from "effect"
import type { ExecutionId, KeyId } from "../domain/Id.js"
import type { StorageError } from "./StorageError.js"

/**
 * A counter with a limit, e.g. `key:<id>`, `source:<network>`, `deployment`. It counts a UTC day on its own.
 *
 * @since 0.1.0
 * @category models
 */
export interface Bucket {
  readonly name: string
  readonly limit: number
}

/**
 * What a unit is spent on.
 *
 * @since 0.1.0
 * @category models
 */
export type UnitKind = "token" | "wallet" | "contract" | "watch"

/**
 * A unit set aside for an execution, until it is settled. `day` is the UTC day on which it was reserved and stays so.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reservation {
  readonly id: ExecutionId
  readonly keyId: KeyId
  readonly day: string
  readonly kind: UnitKind
  readonly state: "reserved" | "committed" | "released"
  readonly reservedAt: number
}

/**
 * Whether a unit was granted; a refusal names the first bucket, in the order given, that has none left.
 *
 * @since 0.1.0
 * @category models
 */
export type ReserveAnswer = { readonly _tag: "Reserved" } | { readonly _tag: "Refused"; readonly bucket: string }

/**
 * A key's counts of one UTC day; `byKind` counts committed units.
 *
 * @since 0.1.0
 * @category models
 */
export interface DayCount {
  readonly used: number
  readonly reserved: number
  readonly byKind: { readonly [K in UnitKind]: number }
}

/**
 * Where units are counted. Every method is atomic and idempotent by the execution's id.
 *
 * @since 0.1.0
 * @category services
 */
export class QuotaStore extends Context.Tag("@assay/core/QuotaStore")<
  QuotaStore,
  {
    /**
     * Takes one unit from every bucket, or from none: `used + reserved + 1 <= limit` is decided and done in one step.
     * Reserving the same id again changes nothing and answers as the first time did, if that was granted.
     */
    readonly reserve: (request: {
      readonly id: ExecutionId
      readonly keyId: KeyId
      readonly kind: UnitKind
      readonly buckets: ReadonlyArray<Bucket>
      readonly now: number
    }) => Effect.Effect<ReserveAnswer, StorageError>
    /**
     * Gives a reservation its final state, once: the first call wins and answers true, later ones answer false.
     * A release gives the unit back to the day on which it was reserved. An unknown id answers false.
     */
    readonly settle: (
      id: ExecutionId,
      state: "committed" | "released",
      now: number
    ) => Effect.Effect<boolean, StorageError>
    readonly count: (keyId: KeyId, day: string) => Effect.Effect<DayCount, StorageError>
    /** Reservations that are not settled and were made before a moment, oldest first. */
    readonly unsettled: (before: number, limit: number) => Effect.Effect<ReadonlyArray<Reservation>, StorageError>
  }
>() {}
