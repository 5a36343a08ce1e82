import type * as Id from "@assay/core/domain/Id"
import * as WatchRows from "@assay/core/storage/WatchRows"
import * as WatchStore from "@assay/core/storage/WatchStore"
import { SqlClient } from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Array as Arr, Effect, Layer, Option, Schema } from "effect"
import { transaction } from "./GroupCommit.js"
import { operations, type SqliteHealth } from "./SqliteHealth.js"

const TokenRow = Schema.Struct({ lease_token: Schema.String })
const CountRow = Schema.Struct({ watches: Schema.Int })
const DueRow = Schema.Struct({ due_at: Schema.OptionFromNullOr(Schema.Int) })

const decodeWatches = Schema.decodeUnknown(Schema.Array(WatchRows.WatchRow))
const decodeRuns = Schema.decodeUnknown(Schema.Array(WatchRows.RunRow))
const decodeClaims = Schema.decodeUnknown(Schema.Array(WatchRows.ClaimRow))
const decodeTokens = Schema.decodeUnknown(Schema.Array(TokenRow))
const decodePage = Schema.decodeUnknown(Schema.Array(WatchRows.PageRow))
const decodeEvents = Schema.decodeUnknown(Schema.Array(WatchRows.EventRow))
const decodeCount = Schema.decodeUnknown(Schema.NonEmptyArray(CountRow))
const decodeDue = Schema.decodeUnknown(Schema.NonEmptyArray(DueRow))

/**
 * Watches in SQLite: what is remembered as JSON text, beside it what is searched by.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<WatchStore.WatchStore, never, SqlClient | SqliteHealth> = Layer.effect(
  WatchStore.WatchStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const operation = yield* operations

    const columns = sql`id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at, memory,
      revision, live, asked_at`

    /** Says again how many of a key's watches run and when the first of the others is due. */
    const refresh = (keyId: Id.KeyId) => sql`
      INSERT INTO watch_queue (key_id, running, due_at)
      VALUES (${keyId},
        (SELECT count(*) FROM watch WHERE key_id = ${keyId} AND live IS NOT NULL),
        (SELECT min(next_due_at) FROM watch
         WHERE key_id = ${keyId} AND live IS NULL AND next_due_at IS NOT NULL))
      ON CONFLICT (key_id) DO UPDATE SET running = excluded.running, due_at = excluded.due_at
      WHERE running <> excluded.running OR due_at IS NOT excluded.due_at`

    const remember = Effect.fnUntraced(function* (watch: WatchStore.StoredWatch) {
      const { memory } = watch
      yield* sql`
        UPDATE watch
        SET label = ${watch.label}, options = ${JSON.stringify(watch.options)}, updated_at = ${watch.updatedAt},
          memory = ${yield* WatchRows.encodeMemory(memory)}, state = ${WatchStore.stateOf(memory)},
          failing = ${WatchRows.failing(memory)}, next_due_at = ${Option.getOrNull(memory.nextDueAt)},
          revision = ${watch.revision}, live = ${Option.getOrNull(watch.live)}
        WHERE id = ${watch.id}`
      yield* refresh(watch.keyId)
      return watch
    })

    const start = Effect.fnUntraced(function* (
      watch: WatchStore.StoredWatch,
      slot: WatchStore.Slot,
      { memory, run }: WatchStore.Begun,
      until: number
    ) {
      const { executionId, runId, token } = slot
      yield* sql`
        INSERT INTO watch_run (id, watch_id, execution_id, lease_token, lease_until, status, changed, document)
        VALUES (${runId}, ${watch.id}, ${executionId}, ${token}, ${until}, 'running', 0, ${WatchRows.runText(run)})`
      const live = Option.some(runId)
      const claimed = yield* remember({ ...watch, memory, revision: watch.revision + 1, live })
      return { watch: claimed, run, executionId, token }
    })

    return {
      create: Effect.fn("WatchStore.create")(
        function* (watch: WatchStore.StoredWatch, limit: number) {
          const { chain, kind, address } = watch.target
          const inserted = yield* sql`
            INSERT INTO watch (id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at,
              memory, state, failing, next_due_at, revision)
            SELECT ${watch.id}, ${watch.keyId}, ${kind}, ${address}, ${chain.id}, ${chain.name}, ${watch.label},
              ${JSON.stringify(watch.options)}, ${watch.createdAt}, ${watch.updatedAt},
              ${yield* WatchRows.encodeMemory(watch.memory)}, ${WatchStore.stateOf(watch.memory)}, ${WatchRows.failing(watch.memory)},
              ${Option.getOrNull(watch.memory.nextDueAt)}, ${watch.revision}
            WHERE (SELECT count(*) FROM watch WHERE key_id = ${watch.keyId}) < ${limit}
            ON CONFLICT (id) DO NOTHING
            RETURNING id`
          if (inserted.length > 0) {
            yield* refresh(watch.keyId)
            return true
          }
          return (yield* sql`SELECT id FROM watch WHERE id = ${watch.id}`).length > 0
        },
        (self) => operation("WatchStore.create")(transaction(sql)(self))
      ),
      find: Effect.fn("WatchStore.find")(function* (keyId: Id.KeyId, id: Id.WatchId) {
        const rows = yield* decodeWatches(
          yield* sql`SELECT ${columns} FROM watch WHERE id = ${id} AND key_id = ${keyId}`
        )
        return Option.map(Arr.head(rows), WatchRows.stored)
      }, operation("WatchStore.find")),
      list: Effect.fn("WatchStore.list")(function* (
        keyId: Id.KeyId,
        filter: WatchStore.WatchFilter,
        page: WatchStore.PageAfter<Id.WatchId>
      ) {
        const wanted = [
          Option.map(filter.state, (state) => sql`state = ${state}`),
          Option.map(filter.kind, (kind) => sql`kind = ${kind}`),
          Option.map(filter.address, (address) => sql`address = ${address}`),
          Option.map(filter.failing, (failing) => sql`failing = ${failing ? 1 : 0}`),
          Option.map(
            page.before,
            (before) => sql`seq < (SELECT seq FROM watch WHERE id = ${before} AND key_id = ${keyId})`
          )
        ]
        const rows = yield* decodeWatches(
          yield* sql`
          SELECT ${columns} FROM watch
          WHERE ${sql.and([sql`key_id = ${keyId}`, ...Arr.getSomes(wanted)])}
          ORDER BY seq DESC LIMIT ${page.limit + 1}`
        )
        const data = rows.slice(0, page.limit).map(WatchRows.stored)
        return { data, next_cursor: rows.length > page.limit ? (data.at(-1)?.id ?? null) : null }
      }, operation("WatchStore.list")),
      count: Effect.fn("WatchStore.count")(function* (keyId: Id.KeyId) {
        const rows = yield* sql`SELECT count(*) AS watches FROM watch WHERE key_id = ${keyId}`
        return (yield* decodeCount(rows))[0].watches
      }, operation("WatchStore.count")),
      change: Effect.fn("WatchStore.change")(
        function* (
          keyId: Id.KeyId,
          id: Id.WatchId,
          decide: (watch: WatchStore.StoredWatch) => Option.Option<WatchStore.WatchContent>
        ) {
          const row = Arr.head(
            yield* decodeWatches(
              yield* sql`
            UPDATE watch SET id = id WHERE id = ${id} AND key_id = ${keyId} RETURNING ${columns}`
            )
          )
          if (Option.isNone(row)) return Option.none()
          const watch = WatchRows.stored(row.value)
          const content = decide(watch)
          if (Option.isNone(content)) return Option.some(watch)
          const { label, memory, options, updatedAt } = content.value
          const revision = watch.revision + 1
          return Option.some(yield* remember({ ...watch, label, memory, options, updatedAt, revision }))
        },
        (self) => operation("WatchStore.change")(transaction(sql)(self))
      ),
      remove: Effect.fn("WatchStore.remove")(
        function* (keyId: Id.KeyId, id: Id.WatchId) {
          const row = Arr.head(
            yield* decodeWatches(
              yield* sql`
            DELETE FROM watch WHERE id = ${id} AND key_id = ${keyId} RETURNING ${columns}`
            )
          )
          if (Option.isNone(row)) return Option.none()
          const watch = WatchRows.stored(row.value)
          const runs = yield* decodeRuns(
            yield* sql`
            SELECT id AS run_id, status, document, execution_id, lease_token FROM watch_run
            WHERE id = ${Option.getOrNull(watch.live)}`
          )
          yield* sql`DELETE FROM watch_run WHERE watch_id = ${id}`
          yield* refresh(keyId)
          yield* sql`
            DELETE FROM watch_queue
            WHERE key_id = ${keyId} AND NOT EXISTS (SELECT id FROM watch WHERE key_id = ${keyId})`
          return Option.some({ live: Option.map(Arr.head(runs), (run) => WatchRows.claim(watch, run)) })
        },
        (self) => operation("WatchStore.remove")(transaction(sql)(self))
      ),
      claimDue: Effect.fn("WatchStore.claimDue")(
        function* (request: WatchStore.ClaimRequest) {
          const claims: Array<WatchStore.Claim> = []
          if (request.slots.length === 0) return claims
          const ids = request.slots.map(({ runId }) => runId)
          const begunBefore = yield* decodeClaims(yield* selectRunning(sql, sql.in("watch_run.id", ids)))
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
            const row = Arr.head(yield* decodeWatches(rows))
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
        (self) => operation("WatchStore.claimDue")(transaction(sql)(self))
      ),
      claimNow: Effect.fn("WatchStore.claimNow")(
        function* (
          keyId: Id.KeyId,
          id: Id.WatchId,
          request: Pick<WatchStore.ClaimRequest, "now" | "until"> & {
            readonly slot: WatchStore.Slot
            readonly notAfter: number
            readonly begin: (watch: WatchStore.StoredWatch, slot: WatchStore.Slot) => WatchStore.Begun
          }
        ) {
          const row = Arr.head(
            yield* decodeWatches(
              yield* sql`
            UPDATE watch SET id = id WHERE id = ${id} AND key_id = ${keyId} RETURNING ${columns}`
            )
          )
          if (Option.isNone(row)) return Option.none<WatchStore.ManualClaim>()
          const watch = WatchRows.stored(row.value)
          const runs = yield* decodeRuns(
            yield* sql`
            SELECT id AS run_id, status, document, execution_id, lease_token FROM watch_run
            WHERE id = ${Option.getOrNull(watch.live)}`
          )
          const live = Option.map(Arr.head(runs), (run) => WatchRows.claim(watch, run))
          if (Option.isSome(live))
            return Option.some<WatchStore.ManualClaim>(
              live.value.token === request.slot.token
                ? { _tag: "Started", claim: live.value }
                : { _tag: "Joined", run: live.value.run }
            )
          const askedAt = row.value.asked_at
          if (Option.isSome(askedAt) && askedAt.value > request.notAfter)
            return Option.some<WatchStore.ManualClaim>({ _tag: "TooSoon", at: askedAt.value })
          yield* sql`UPDATE watch SET asked_at = ${request.now} WHERE id = ${id}`
          return Option.some<WatchStore.ManualClaim>({
            _tag: "Started",
            claim: yield* start(watch, request.slot, request.begin(watch, request.slot), request.until)
          })
        },
        (self) => operation("WatchStore.claimNow")(transaction(sql)(self))
      ),
      renew: Effect.fn("WatchStore.renew")(function* (
        runId: Id.RunId,
        lease: { readonly token: string; readonly until: number }
      ) {
        const renewed = yield* sql`
          UPDATE watch_run SET lease_until = ${lease.until}
          WHERE id = ${runId} AND lease_token = ${lease.token} AND status = 'running'
          RETURNING id`
        return renewed.length > 0
      }, operation("WatchStore.renew")),
      finishRun: Effect.fn("WatchStore.finishRun")(
        function* (runId: Id.RunId, token: string, decide: (watch: WatchStore.StoredWatch) => WatchStore.Finish) {
          const row = Arr.head(
            yield* decodeWatches(
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
        (self) => operation("WatchStore.finishRun")(transaction(sql)(self))
      ),
      expired: Effect.fn("WatchStore.expired")(function* (now: number, limit: number) {
        const rows = yield* decodeClaims(yield* selectExpired(sql, now, limit))
        return rows.map((row) => WatchRows.claim(WatchRows.stored(row), row))
      }, operation("WatchStore.expired")),
      tokens: Effect.map(
        Effect.flatMap(sql`SELECT lease_token FROM watch_run WHERE status = 'running'`, decodeTokens),
        (rows) => rows.map((row) => row.lease_token)
      ).pipe(operation("WatchStore.tokens"), Effect.withSpan("WatchStore.tokens")),
      claims: Effect.fn("WatchStore.claims")(function* (tokens: ReadonlyArray<string>) {
        const rows = yield* decodeClaims(
          yield* selectRunning(sql, sql`lease_token IN (SELECT value FROM json_each(${JSON.stringify(tokens)}))`)
        )
        return rows.map((row) => WatchRows.claim(WatchRows.stored(row), row))
      }, operation("WatchStore.claims")),
      runs: Effect.fn("WatchStore.runs")(function* (
        keyId: Id.KeyId,
        id: Id.WatchId,
        filter: { readonly changed: boolean },
        page: WatchStore.PageAfter<Id.RunId>
      ) {
        const rows = yield* decodePage(yield* selectRuns(sql, keyId, id, filter, page))
        if (rows.length === 0) return Option.none()
        // A watch without runs is a row without one.
        const runs = rows.flatMap((row) => (row.run_id === null ? [] : [WatchRows.runOf(row)]))
        const data = runs.slice(0, page.limit)
        return Option.some({ data, next_cursor: runs.length > page.limit ? (data.at(-1)?.id ?? null) : null })
      }, operation("WatchStore.runs")),
      nextDueAt: Effect.gen(function* () {
        const rows = yield* sql`SELECT min(due_at) AS due_at FROM watch_queue WHERE due_at IS NOT NULL`
        return (yield* decodeDue(rows))[0].due_at
      }).pipe(operation("WatchStore.nextDueAt"), Effect.withSpan("WatchStore.nextDueAt")),
      outbox: Effect.fn("WatchStore.outbox")(function* (limit: number) {
        const rows = yield* decodeEvents(yield* sql`SELECT event FROM outbox ORDER BY seq LIMIT ${limit}`)
        return rows.map((row) => row.event)
      }, operation("WatchStore.outbox")),
      relayed: Effect.fn("WatchStore.relayed")(function* (ids: ReadonlyArray<Id.EventId>) {
        yield* sql`DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
      }, operation("WatchStore.relayed")),
      prune: Effect.fn("WatchStore.prune")(
        function* (options: {
          readonly unchangedBefore: number
          readonly changedBefore: number
          readonly limit: number
        }) {
          const { changedBefore, limit, unchangedBefore } = options
          const unchanged = yield* deleteEnded(sql, { changed: 0, before: unchangedBefore, limit })
          const left = limit - unchanged.length
          const changed = yield* deleteEnded(sql, { changed: 1, before: changedBefore, limit: left })
          return unchanged.length + changed.length
        },
        (self) => operation("WatchStore.prune")(transaction(sql)(self))
      )
    }
  })
)

/**
 * The watch to claim next: of the key with the fewest running, the one that is due longest. Keys are asked for by how
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

/**
 * A page of the runs of a watch; one empty row where it has none, and no row where there is no such watch.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectRuns = (
  sql: SqlClient,
  keyId: Id.KeyId,
  id: Id.WatchId,
  filter: { readonly changed: boolean },
  page: WatchStore.PageAfter<Id.RunId>
) => sql`
  SELECT watch_run.id AS run_id, status, execution_id, document FROM watch
  LEFT JOIN watch_run ON ${sql.and([
    sql`watch_run.watch_id = ${id}`,
    ...(filter.changed ? [sql`watch_run.changed = 1`] : []),
    ...Option.toArray(
      Option.map(
        page.before,
        (before) => sql`watch_run.seq < (SELECT seq FROM watch_run WHERE id = ${before} AND watch_id = ${id})`
      )
    )
  ])}
  WHERE watch.id = ${id} AND watch.key_id = ${keyId}
  ORDER BY watch_run.seq DESC LIMIT ${page.limit + 1}`

/**
 * Running runs whose lease ended, with their watches, oldest first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectExpired = (sql: SqlClient, now: number, limit: number) =>
  selectRunning(sql, sql`lease_until <= ${now} ORDER BY lease_until LIMIT ${limit}`)

const selectRunning = (sql: SqlClient, rest: Statement.Fragment) => sql`
  SELECT watch.id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at, memory, revision,
    live, asked_at, watch_run.id AS run_id, status, document, execution_id, lease_token
  FROM watch_run JOIN watch ON watch.id = watch_run.watch_id
  WHERE status = 'running' AND ${rest}`

/**
 * Removes the oldest runs that ended, with a change or without. What runs has no end.
 *
 * @since 0.1.0
 * @category combinators
 */
export const deleteEnded = (
  sql: SqlClient,
  options: { readonly changed: 0 | 1; readonly before: number; readonly limit: number }
) => sql`
  DELETE FROM watch_run
  WHERE seq IN (
    SELECT seq FROM watch_run
    WHERE changed = ${options.changed} AND ended_at < ${options.before} AND ended_at IS NOT NULL
    ORDER BY ended_at LIMIT ${options.limit})
  RETURNING id`
