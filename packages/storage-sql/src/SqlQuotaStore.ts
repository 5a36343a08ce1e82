import * as Id from "@assay/core/domain/Id"
import type * as QuotaStore from "@assay/core/storage/QuotaStore"
import { Effect, Schema } from "effect"
import type { SqlDatabase } from "./SqlDatabase.js"

const UnitKind = Schema.Literal("token", "wallet", "contract", "watch")
const State = Schema.Literal("reserved", "committed", "released")

const ReservationRow = Schema.Struct({
  id: Id.ExecutionId,
  keyId: Schema.propertySignature(Id.KeyId).pipe(Schema.fromKey("key_id")),
  day: Schema.String,
  kind: UnitKind,
  state: State,
  reservedAt: Schema.propertySignature(Schema.Int).pipe(Schema.fromKey("reserved_at"))
})
const CountRow = Schema.Struct({ state: State, kind: UnitKind, units: Schema.Int })

const decodeReservations = Schema.decodeUnknown(Schema.Array(ReservationRow))
const decodeCounts = Schema.decodeUnknown(Schema.Array(CountRow))

/**
 * What is read of the units of a database. They are taken and returned by statements of its own.
 *
 * @since 0.1.0
 * @category constructors
 */
export const reads = ({
  reading,
  rows,
  sql
}: SqlDatabase): Pick<QuotaStore.QuotaStore["Type"], "count" | "unsettled"> => ({
  count: Effect.fn("QuotaStore.count")(function* (keyId: Id.KeyId, day: string) {
    const found = yield* decodeCounts(
      yield* rows(sql`
        SELECT state, kind, count(*) AS units FROM reservation
        WHERE key_id = ${keyId} AND day = ${day} AND state <> 'released'
        GROUP BY state, kind`)
    )
    const units = (holds: (row: typeof CountRow.Type) => boolean) =>
      found.filter(holds).reduce((sum, row) => sum + row.units, 0)
    const of = (kind: QuotaStore.UnitKind) => units((row) => row.state === "committed" && row.kind === kind)
    return {
      used: units((row) => row.state === "committed"),
      reserved: units((row) => row.state === "reserved"),
      byKind: { token: of("token"), wallet: of("wallet"), contract: of("contract"), watch: of("watch") }
    }
  }, reading("QuotaStore.count")),
  unsettled: Effect.fn("QuotaStore.unsettled")(function* (before: number, limit: number) {
    return yield* decodeReservations(
      yield* rows(sql`
        SELECT id, key_id, day, kind, state, reserved_at FROM reservation
        WHERE state = 'reserved' AND reserved_at < ${before}
        ORDER BY reserved_at LIMIT ${limit}`)
    )
  }, reading("QuotaStore.unsettled"))
})
