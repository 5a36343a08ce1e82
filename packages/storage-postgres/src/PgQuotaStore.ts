import * as Id from "@assay/core/domain/Id"
import * as Timestamp from "@assay/core/domain/Timestamp"
import * as QuotaStore from "@assay/core/storage/QuotaStore"
import { Uncertain } from "@assay/storage-sql/SqlDatabase"
import * as SqlQuotaStore from "@assay/storage-sql/SqlQuotaStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Schema } from "effect"
import * as GroupWrite from "./GroupWrite.js"
import { database } from "./PgDatabase.js"

const GrantedRow = Schema.Struct({ id: Id.ExecutionId })
const JudgementRow = Schema.Struct({ exhausted: Schema.NullOr(Schema.String), missing: Schema.Boolean })

const decodeGranted = Schema.decodeUnknown(Schema.Array(GrantedRow))
const decodeJudgements = Schema.decodeUnknown(Schema.NonEmptyArray(JudgementRow))

/**
 * Units in Postgres: one row per reservation, the units taken from each bucket per day, and the sums of days long past.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<QuotaStore.QuotaStore, never, SqlClient> = Layer.effect(
  QuotaStore.QuotaStore,
  Effect.map(database, (database) => {
    const { operation, sql, statement } = database

    // Postgres takes the rows of JSON for a hundred, and would rather read all of a table of some size than look them up.
    const named = (buckets: ReadonlyArray<QuotaStore.Bucket>) =>
      sql.in(
        "bucket",
        buckets.map(({ name }) => name)
      )

    /**
     * One statement decides on all buckets and writes: it locks their rows in the order of their names, judges what these
     * hold then, and takes from all of them or none. A row that is not there cannot be locked, so nothing is granted then.
     */
    const take = ({ buckets, id, keyId, kind, now }: QuotaStore.ReserveRequest, day: string) => sql`
      WITH wanted AS (
        SELECT bucket, "limit", place
        FROM jsonb_to_recordset(${JSON.stringify(buckets.map(({ limit, name }, place) => ({ bucket: name, limit, place })))}::jsonb)
          AS wanted (bucket TEXT, "limit" BIGINT, place INTEGER)
      ), held AS MATERIALIZED (
        SELECT bucket, taken FROM bucket_day
        WHERE day = ${day} AND ${named(buckets)}
        ORDER BY bucket FOR UPDATE
      ), judged AS (
        SELECT bucket, place, taken IS NULL AS missing, coalesce(taken, 0) + 1 > "limit" AS exhausted
        FROM wanted LEFT JOIN held USING (bucket)
      ), granted AS (
        INSERT INTO reservation (id, key_id, day, kind, state, reserved_at, buckets)
        SELECT ${id}::text, ${keyId}::text, ${day}::text, ${kind}::text, 'reserved', ${now}::bigint,
          ${JSON.stringify(buckets.map(({ name }) => name))}::text
        WHERE NOT EXISTS (SELECT FROM judged WHERE missing OR exhausted)
        ON CONFLICT (id) DO NOTHING
        RETURNING id
      ), counted AS (
        UPDATE bucket_day SET taken = taken + 1
        WHERE day = ${day} AND ${named(buckets)} AND EXISTS (SELECT FROM granted)
      )
      SELECT (SELECT bucket FROM judged WHERE exhausted ORDER BY place LIMIT 1) AS exhausted,
        EXISTS (SELECT FROM judged WHERE missing) AS missing`

    /**
     * Units that are requested at the same time, in one statement: it grants those with buckets that have room for all of them.
     * The others are judged alone, and so is what was requested before.
     */
    const takeFree = GroupWrite.make((requests: ReadonlyArray<QuotaStore.ReserveRequest>) =>
      Effect.gen(function* () {
        const asked = new Map(requests.map((request) => [request.id, request]))
        const rows = yield* decodeGranted(yield* statement(takeAll(sql, [...asked.values()])))
        const granted = new Set(rows.map(({ id }) => id))
        return (request: QuotaStore.ReserveRequest) => granted.has(request.id) && asked.get(request.id) === request
      }).pipe(
        Effect.catchIf(
          (error) => !(error instanceof Uncertain),
          // One of them may be the reason.
          () => Effect.succeed(() => false)
        )
      )
    )

    const begin = (buckets: ReadonlyArray<QuotaStore.Bucket>, day: string) => sql`
      INSERT INTO bucket_day (bucket, day, taken)
      SELECT bucket, ${day}::text, 0
      FROM jsonb_array_elements_text(${JSON.stringify(buckets.map(({ name }) => name))}::jsonb) AS bucket
      ORDER BY bucket
      ON CONFLICT (bucket, day) DO NOTHING`

    const isReserved = (id: Id.ExecutionId) =>
      Effect.map(sql`SELECT id FROM reservation WHERE id = ${id}`, (rows) => rows.length > 0)

    return {
      ...SqlQuotaStore.make(database),
      reserve: Effect.fn("QuotaStore.reserve")(function* (request: QuotaStore.ReserveRequest) {
        if (yield* takeFree(request)) return { _tag: "Reserved" } as QuotaStore.ReserveAnswer
        const day = Timestamp.dayOf(request.now)
        const [first] = yield* decodeJudgements(yield* statement(take(request, day)))
        let judgement = first
        if (judgement.missing && judgement.exhausted === null) {
          yield* statement(begin(request.buckets, day))
          judgement = (yield* decodeJudgements(yield* statement(take(request, day))))[0]
          if (judgement.missing) return yield* Effect.dieMessage("a bucket of today was removed")
        }
        // Granted now or before: an id that is there conflicts with itself.
        if (judgement.exhausted === null || (yield* isReserved(request.id)))
          return { _tag: "Reserved" } as QuotaStore.ReserveAnswer
        return { _tag: "Refused", bucket: judgement.exhausted } as const
      }, operation("QuotaStore.reserve")),
      settle: Effect.fn("QuotaStore.settle")(
        function* (id: Id.ExecutionId, state: "committed" | "released", now: number) {
          const settled =
            state === "committed"
              ? yield* sql`
                UPDATE reservation SET state = 'committed', settled_at = ${now}
                WHERE id = ${id} AND state = 'reserved'
                RETURNING id`
              : yield* sql`
                WITH settled AS (
                  UPDATE reservation SET state = 'released', settled_at = ${now}
                  WHERE id = ${id} AND state = 'reserved'
                  RETURNING id, day, buckets
                ), held AS MATERIALIZED (
                  SELECT bucket_day.bucket, bucket_day.day
                  FROM settled CROSS JOIN jsonb_array_elements_text(settled.buckets::jsonb) AS taken_from (bucket)
                  JOIN bucket_day ON bucket_day.bucket = taken_from.bucket AND bucket_day.day = settled.day
                  ORDER BY bucket_day.bucket FOR UPDATE OF bucket_day
                ), returned AS (
                  UPDATE bucket_day SET taken = taken - 1 FROM held
                  WHERE bucket_day.bucket = held.bucket AND bucket_day.day = held.day
                )
                SELECT id FROM settled`
          return settled.length > 0
        },
        (self) => operation("QuotaStore.settle")(statement(self))
      ),
      redate: Effect.fn("QuotaStore.redate")(
        function* (keyId: Id.KeyId, now: number) {
          const day = Timestamp.dayOf(now)
          const moved = yield* sql`
            WITH late AS MATERIALIZED (
              SELECT id, day, state, buckets FROM reservation WHERE key_id = ${keyId} AND day > ${day} FOR UPDATE
            ), moving AS MATERIALIZED (
              SELECT bucket, day, count(*) AS units
              FROM late CROSS JOIN jsonb_array_elements_text(late.buckets::jsonb) AS bucket
              WHERE state <> 'released' GROUP BY bucket, day
            ), held AS MATERIALIZED (
              SELECT bucket, day FROM bucket_day
              WHERE bucket IN (SELECT bucket FROM moving) AND (day = ${day} OR day IN (SELECT day FROM moving))
              ORDER BY bucket, day FOR UPDATE
            ), taken_back AS (
              UPDATE bucket_day SET taken = bucket_day.taken - moving.units FROM moving JOIN held USING (bucket, day)
              WHERE bucket_day.bucket = moving.bucket AND bucket_day.day = moving.day
            ), given AS (
              INSERT INTO bucket_day (bucket, day, taken)
              SELECT bucket, ${day}::text, sum(units) FROM moving GROUP BY bucket ORDER BY bucket
              ON CONFLICT (bucket, day) DO UPDATE SET taken = bucket_day.taken + excluded.taken
            )
            UPDATE reservation SET day = ${day} FROM late WHERE reservation.id = late.id RETURNING reservation.id`
          return moved.length
        },
        (self) => operation("QuotaStore.redate")(statement(self))
      )
    }
  })
)

const takeAll = (sql: SqlClient, requests: ReadonlyArray<QuotaStore.ReserveRequest>) => {
  const rows = requests.map(({ buckets, id, keyId, kind, now }) => ({
    id,
    key_id: keyId,
    day: Timestamp.dayOf(now),
    kind,
    reserved_at: now,
    names: JSON.stringify(buckets.map(({ name }) => name)),
    buckets: buckets.map(({ limit, name }) => ({ bucket: name, limit }))
  }))
  // As `named`: here it expects ten thousand rows.
  const few = sql.and([
    sql.in("bucket_day.bucket", [...new Set(rows.flatMap(({ buckets }) => buckets.map(({ bucket }) => bucket)))]),
    sql.in("bucket_day.day", [...new Set(rows.map(({ day }) => day))])
  ])
  return sql`
    WITH asked AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json)
        AS asked (id TEXT, key_id TEXT, day TEXT, kind TEXT, reserved_at BIGINT, names TEXT, buckets JSON)
    ), wanted AS MATERIALIZED (
      SELECT id, day, bucket, "limit"
      FROM asked CROSS JOIN json_to_recordset(asked.buckets) AS wanted (bucket TEXT, "limit" BIGINT)
    ), needed AS MATERIALIZED (
      SELECT bucket, day, count(*) AS units, min("limit") AS "limit" FROM wanted GROUP BY bucket, day
    ), held AS MATERIALIZED (
      SELECT bucket_day.bucket, bucket_day.day, taken FROM bucket_day JOIN needed USING (bucket, day)
      WHERE ${few}
      ORDER BY bucket, day FOR UPDATE OF bucket_day
    ), full_or_missing AS MATERIALIZED (
      SELECT bucket, day FROM needed LEFT JOIN held USING (bucket, day)
      WHERE taken IS NULL OR taken + units > "limit"
    ), granted AS (
      INSERT INTO reservation (id, key_id, day, kind, state, reserved_at, buckets)
      SELECT id, key_id, day, kind, 'reserved', reserved_at, names FROM asked
      WHERE id NOT IN (SELECT id FROM wanted JOIN full_or_missing USING (bucket, day))
      ON CONFLICT (id) DO NOTHING
      RETURNING id
    ), counted AS (
      UPDATE bucket_day SET taken = bucket_day.taken + given.units
      FROM (
        SELECT bucket, day, count(*) AS units FROM wanted JOIN granted USING (id) GROUP BY bucket, day
      ) AS given
      WHERE bucket_day.bucket = given.bucket AND bucket_day.day = given.day AND ${few}
    )
    SELECT id FROM granted`
}
