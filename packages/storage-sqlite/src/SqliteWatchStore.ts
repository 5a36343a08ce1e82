import type * as Id from "@assay/core/domain/Id"
import * as WatchRows from "@assay/core/storage/WatchRows"
import * as WatchStore from "@assay/core/storage/WatchStore"
import * as SqlWatchStore from "@assay/storage-sql/SqlWatchStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Layer, Option } from "effect"
import { database } from "./SqliteDatabase.js"
import type { SqliteHealth } from "./SqliteHealth.js"
import type { SqliteReads } from "./SqliteReads.js"

/**
 * Watches in SQLite.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<WatchStore.WatchStore, never, SqlClient | SqliteHealth | SqliteReads> = Layer.effect(
  WatchStore.WatchStore,
  Effect.map(database, (database) => {
    const { operation, sql, transaction } = database
    const columns = SqlWatchStore.watchColumns(sql)
    const { remember, start } = SqlWatchStore.writes(database)

    return SqlWatchStore.make(database, {
      ofKey: () => transaction(),
      beginning: () => transaction(),
      claimDue: Effect.fn("WatchStore.claimDue")(
        function* (request: WatchStore.ClaimRequest) {
          const claims: Array<WatchStore.Claim> = []
          if (request.slots.length === 0) return claims
          const ids = request.slots.map(({ runId }) => runId)
          const begunBefore = yield* SqlWatchStore.decodeClaims(
            yield* SqlWatchStore.selectRunning(sql, sql.in("watch_run.id", ids))
          )
          if (begunBefore.length > 0) return begunBefore.map((row) => WatchRows.claim(WatchRows.stored(row), row))
          const postponed: { [key: Id.KeyId]: number } = {}
          for (const slot of request.slots) {
            const due =
              Object.keys(postponed).length === 0
                ? selectDue(sql, request.now, request.perKey)
                : selectDueBeside(sql, postponed, request.now, request.perKey)
            const rows = yield* sql`
              UPDATE watch SET live = ${slot.runId}
              WHERE seq = (${due})
              RETURNING ${columns}`
            const row = Arr.head(yield* SqlWatchStore.decodeWatches(rows))
            if (Option.isNone(row)) break
            const watch = { ...WatchRows.stored(row.value), live: Option.none() }
            const begun = request.begin(watch, slot)
            if (WatchStore.isBegun(begun)) claims.push(yield* start(watch, slot, begun, request.until))
            else {
              postponed[watch.keyId] = (postponed[watch.keyId] ?? 0) + 1
              yield* remember({ ...watch, memory: begun.memory, revision: watch.revision + 1 })
            }
          }
          return claims
        },
        (self) => operation("WatchStore.claimDue")(transaction()(self))
      ),
      finishRun: Effect.fn("WatchStore.finishRun")(
        function* (runId: Id.RunId, token: string, decide: (watch: WatchStore.StoredWatch) => WatchStore.Finish) {
          const row = Arr.head(
            yield* SqlWatchStore.decodeWatches(
              yield* sql`
            UPDATE watch SET live = NULL
            WHERE id = (
              SELECT watch_id FROM watch_run
              WHERE id = ${runId} AND lease_token = ${token} AND status = 'running')
            RETURNING ${columns}`
            )
          )
          if (Option.isNone(row))
            return (yield* sql`SELECT id FROM watch_run WHERE id = ${runId} AND lease_token = ${token}`).length > 0
          const watch = WatchRows.stored(row.value)
          const { events, memory, run } = decide({ ...watch, live: Option.some(runId) })
          yield* sql`
            UPDATE watch_run
            SET status = ${run.status}, changed = ${WatchStore.hasChanged(run) ? 1 : 0},
              ended_at = ${WatchStore.endOf(run)}, document = ${WatchRows.runText(run)}
            WHERE id = ${runId}`
          yield* remember({ ...watch, memory, revision: watch.revision + 1 })
          for (const event of events)
            yield* sql`
              INSERT INTO outbox (id, event) VALUES (${event.id}, ${JSON.stringify(event)})
              ON CONFLICT (id) DO NOTHING`
          return true
        },
        (self) => operation("WatchStore.finishRun")(transaction()(self))
      )
    })
  })
)

/**
 * The watch to claim next: of the key with the fewest running, the one that is due longest. Keys are searched by how
 * many of theirs run, from the fewest on, and only the first that is due of each such number is looked at: a number that
 * occurs takes as many runs, so there are few, however many keys and watches there are.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectDue = (sql: SqlClient, now: number, perKey: number) => sql`
  WITH RECURSIVE level (running) AS (
    SELECT min(running) FROM watch_queue WHERE due_at IS NOT NULL
    UNION ALL
    SELECT (SELECT min(running) FROM watch_queue WHERE due_at IS NOT NULL AND running > level.running)
    FROM level WHERE running IS NOT NULL
  ), first (key_id) AS (
    SELECT (
      SELECT key_id FROM watch_queue
      WHERE running = level.running AND due_at <= ${now} AND due_at IS NOT NULL
      ORDER BY due_at LIMIT 1)
    FROM level WHERE running < ${perKey}
  )
  SELECT seq FROM watch
  WHERE key_id = (SELECT key_id FROM first WHERE key_id IS NOT NULL LIMIT 1)
    AND live IS NULL AND next_due_at IS NOT NULL
  ORDER BY next_due_at, seq LIMIT 1`

/** As `selectDue`, where so many of each key were postponed, which count as running. */
const selectDueBeside = (
  sql: SqlClient,
  postponed: { readonly [key: Id.KeyId]: number },
  now: number,
  perKey: number
) => sql`
  SELECT seq FROM watch
  WHERE key_id = (
      SELECT key_id FROM watch_queue LEFT JOIN json_each(${JSON.stringify(postponed)}) AS postponed ON key = key_id
      WHERE due_at <= ${now} AND running + coalesce(value, 0) < ${perKey}
      ORDER BY running + coalesce(value, 0), due_at LIMIT 1)
    AND live IS NULL AND next_due_at IS NOT NULL
  ORDER BY next_due_at, seq LIMIT 1`
