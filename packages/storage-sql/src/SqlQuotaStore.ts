import * as Id from "@assay/core/domain/Id"
import type * as QuotaStore from "@assay/core/storage/QuotaStore"
import { Effect, Option, Schema } from "effect"
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

const LineRow = Schema.Struct({
  place: Schema.String,
  id: Schema.NullOr(Id.ExecutionId),
  kind: UnitKind,
  state: State,
  units: Schema.Int,
  reserved_at: Schema.NullOr(Schema.Int)
})

const IdRow = Schema.Struct({ id: Id.ExecutionId })

const decodeLines = Schema.decodeUnknown(Schema.Array(LineRow))
const decodeIds = Schema.decodeUnknown(Schema.Array(IdRow))
const decodeReservations = Schema.decodeUnknown(Schema.Array(ReservationRow))
const decodeCounts = Schema.decodeUnknown(Schema.Array(CountRow))

/**
 * What all databases do alike with units: read them, and remove those of the past. They are taken and returned by statements
 * of each kind.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({
  each,
  forUpdate,
  operation,
  reading,
  rows,
  sql,
  transaction
}: SqlDatabase): Pick<QuotaStore.QuotaStore["Type"], "count" | "ledger" | "prune" | "unsettled"> => ({
  count: Effect.fn("QuotaStore.count")(function* (keyId: Id.KeyId, day: string) {
    const found = yield* decodeCounts(
      yield* rows(sql`
        SELECT state, kind, count(*) AS units FROM reservation
        WHERE key_id = ${keyId} AND day = ${day} AND state <> 'released'
        GROUP BY state, kind
        UNION ALL
        SELECT state, kind, units FROM reservation_sum
        WHERE key_id = ${keyId} AND day = ${day} AND state <> 'released'`)
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
  ledger: Effect.fn("QuotaStore.ledger")(function* ({ before, day, keyId, limit }: QuotaStore.LedgerQuery) {
    // In one statement, so that nothing is missed or there twice where units become a sum meanwhile. After every place: "2".
    const found = yield* decodeLines(
      yield* rows(sql`
        SELECT * FROM (
          SELECT '1' || id AS place, id, kind, state, 1 AS units, reserved_at FROM reservation
          WHERE key_id = ${keyId} AND day = ${day}
          UNION ALL
          SELECT '0' || kind || ' ' || state, NULL, kind, state, units, NULL FROM reservation_sum
          WHERE key_id = ${keyId} AND day = ${day}) AS line
        WHERE place < ${Option.getOrElse(before, () => "2")} ORDER BY place DESC LIMIT ${limit}`)
    )
    return found.map(({ id, kind, place, reserved_at, state, units }) => ({
      place,
      kind,
      state,
      units,
      reservation: Option.all({ id: Option.fromNullable(id), reservedAt: Option.fromNullable(reserved_at) })
    }))
  }, reading("QuotaStore.ledger")),
  unsettled: Effect.fn("QuotaStore.unsettled")(function* (before: number, limit: number) {
    return yield* decodeReservations(
      yield* rows(sql`
        SELECT id, key_id, day, kind, state, reserved_at FROM reservation
        WHERE state = 'reserved' AND reserved_at < ${before}
        ORDER BY reserved_at LIMIT ${limit}`)
    )
  }, reading("QuotaStore.unsettled")),
  prune: Effect.fn("QuotaStore.prune")(
    function* ({ limit, settledBefore, sumsBefore }: QuotaStore.LedgerBounds) {
      const settled = yield* decodeIds(
        yield* sql`
          SELECT id FROM reservation WHERE day < ${settledBefore} AND state <> 'reserved'
          ORDER BY day LIMIT ${limit} ${forUpdate}`
      )
      if (settled.length > 0) {
        const these = sql`id IN (${each(settled.map(({ id }) => id))})`
        // In one order, so that of two that do this neither waits for the other in a circle.
        yield* sql`
          INSERT INTO reservation_sum (key_id, day, kind, state, units)
          SELECT key_id, day, kind, state, count(*) FROM reservation WHERE ${these}
          GROUP BY key_id, day, kind, state ORDER BY key_id, day, kind, state
          ON CONFLICT (key_id, day, kind, state) DO UPDATE SET units = reservation_sum.units + excluded.units`
        yield* sql`DELETE FROM reservation WHERE ${these}`
      }
      // A release gives its unit back to the counters of its day.
      const counters = yield* sql`
        DELETE FROM bucket_day WHERE (bucket, day) IN (
          SELECT bucket, day FROM bucket_day
          WHERE day < ${settledBefore} AND day NOT IN (SELECT day FROM reservation WHERE state = 'reserved')
          ORDER BY day LIMIT ${limit - settled.length})
        RETURNING day`
      const sums = yield* sql`
        DELETE FROM reservation_sum WHERE (key_id, day, kind, state) IN (
          SELECT key_id, day, kind, state FROM reservation_sum WHERE day < ${sumsBefore}
          ORDER BY day LIMIT ${limit - settled.length - counters.length})
        RETURNING day`
      return settled.length + counters.length + sums.length
    },
    (self) => operation("QuotaStore.prune")(transaction()(self))
  )
})
