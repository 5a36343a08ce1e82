import type * as Id from "@assay/core/domain/Id"
import * as WatchRows from "@assay/core/storage/WatchRows"
import * as WatchStore from "@assay/core/storage/WatchStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import type * as Statement from "@effect/sql/Statement"
import { Array as Arr, Effect, Option, Schema } from "effect"
import type { SqlDatabase, Together } from "./SqlDatabase.js"

const TokenRow = Schema.Struct({ lease_token: Schema.String })
const CountRow = Schema.Struct({ watches: Schema.Int })
const DueRow = Schema.Struct({ due_at: Schema.OptionFromNullOr(Schema.Int) })

/**
 * Reads rows of watches.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decodeWatches = Schema.decodeUnknown(Schema.Array(WatchRows.WatchRow))
const decodeRuns = Schema.decodeUnknown(Schema.Array(WatchRows.RunRow))

/**
 * Reads rows of running runs with their watches.
 *
 * @since 0.1.0
 * @category combinators
 */
export const decodeClaims = Schema.decodeUnknown(Schema.Array(WatchRows.ClaimRow))
const decodeTokens = Schema.decodeUnknown(Schema.Array(TokenRow))
const decodePage = Schema.decodeUnknown(Schema.Array(WatchRows.PageRow))
const decodeEvents = Schema.decodeUnknown(Schema.Array(WatchRows.EventRow))
const decodeCount = Schema.decodeUnknown(Schema.NonEmptyArray(CountRow))
const decodeDue = Schema.decodeUnknown(Schema.NonEmptyArray(DueRow))

/**
 * What a kind of database does in its own way: how it keeps others from the watches of a key, also of one that has none yet,
 * and how it claims due watches and ends runs.
 *
 * @since 0.1.0
 * @category models
 */
export interface Claiming extends Pick<WatchStore.WatchStore["Type"], "claimDue" | "finishRun"> {
  readonly ofKey: (keyId: Id.KeyId) => Together
  readonly beginning: (keyId: Id.KeyId) => Together
}

/**
 * The watches of a database: what is remembered as JSON text, beside it what is searched by.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  database: SqlDatabase,
  { beginning, claimDue, finishRun, ofKey }: Claiming
): WatchStore.WatchStore["Type"] => {
  const { each, operation, reading, rows: read, sql, statement, transaction } = database
  const columns = watchColumns(sql)
  const { refresh, start, remember } = writes(database)

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
      (self, { keyId }) => operation("WatchStore.create")(beginning(keyId)(self))
    ),
    find: Effect.fn("WatchStore.find")(function* (keyId: Id.KeyId, id: Id.WatchId) {
      const rows = yield* decodeWatches(
        yield* read(sql`SELECT ${columns} FROM watch WHERE id = ${id} AND key_id = ${keyId}`)
      )
      return Option.map(Arr.head(rows), WatchRows.stored)
    }, reading("WatchStore.find")),
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
        yield* read(sql`
          SELECT ${columns} FROM watch
          WHERE ${sql.and([sql`key_id = ${keyId}`, ...Arr.getSomes(wanted)])}
          ORDER BY seq DESC LIMIT ${page.limit + 1}`)
      )
      const data = rows.slice(0, page.limit).map(WatchRows.stored)
      return { data, next_cursor: rows.length > page.limit ? (data.at(-1)?.id ?? null) : null }
    }, reading("WatchStore.list")),
    count: Effect.fn("WatchStore.count")(function* (keyId: Id.KeyId) {
      const rows = yield* read(sql`SELECT count(*) AS watches FROM watch WHERE key_id = ${keyId}`)
      return (yield* decodeCount(rows))[0].watches
    }, reading("WatchStore.count")),
    change: Effect.fn("WatchStore.change")(
      function* (
        keyId: Id.KeyId,
        id: Id.WatchId,
        decide: (watch: WatchStore.StoredWatch) => Option.Option<WatchStore.WatchContent>
      ) {
        const row = Arr.head(
          yield* decodeWatches(
            yield* sql`
            SELECT ${columns} FROM watch WHERE id = ${id} AND key_id = ${keyId}`
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
      (self, keyId) => operation("WatchStore.change")(ofKey(keyId)(self))
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
      (self, keyId) => operation("WatchStore.remove")(ofKey(keyId)(self))
    ),
    claimDue,
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
            SELECT ${columns} FROM watch WHERE id = ${id} AND key_id = ${keyId}`
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
        const claim = yield* start(watch, request.slot, request.begin(watch, request.slot), request.until)
        return Option.some<WatchStore.ManualClaim>({ _tag: "Started", claim })
      },
      (self, keyId) => operation("WatchStore.claimNow")(ofKey(keyId)(self))
    ),
    renew: Effect.fn("WatchStore.renew")(function* (
      runId: Id.RunId,
      lease: { readonly token: string; readonly until: number }
    ) {
      const renewed = yield* statement(sql`
        UPDATE watch_run SET lease_until = ${lease.until}
        WHERE id = ${runId} AND lease_token = ${lease.token} AND status = 'running'
        RETURNING id`)
      return renewed.length > 0
    }, operation("WatchStore.renew")),
    finishRun,
    expired: Effect.fn("WatchStore.expired")(function* (now: number, limit: number) {
      const rows = yield* decodeClaims(yield* read(selectExpired(sql, now, limit)))
      return rows.map((row) => WatchRows.claim(WatchRows.stored(row), row))
    }, reading("WatchStore.expired")),
    tokens: Effect.map(
      Effect.flatMap(read(sql`SELECT lease_token FROM watch_run WHERE status = 'running'`), decodeTokens),
      (rows) => rows.map((row) => row.lease_token)
    ).pipe(reading("WatchStore.tokens"), Effect.withSpan("WatchStore.tokens")),
    claims: Effect.fn("WatchStore.claims")(function* (tokens: ReadonlyArray<string>) {
      const rows = yield* decodeClaims(yield* read(selectRunning(sql, sql`lease_token IN (${each(tokens)})`)))
      return rows.map((row) => WatchRows.claim(WatchRows.stored(row), row))
    }, reading("WatchStore.claims")),
    runs: Effect.fn("WatchStore.runs")(function* (
      keyId: Id.KeyId,
      id: Id.WatchId,
      filter: { readonly changed: boolean },
      page: WatchStore.PageAfter<Id.RunId>
    ) {
      const rows = yield* decodePage(yield* read(selectRuns(sql, keyId, id, filter, page)))
      if (rows.length === 0) return Option.none()
      // A watch without runs is a row without one.
      const runs = rows.flatMap((row) => (row.run_id === null ? [] : [WatchRows.runOf(row)]))
      const data = runs.slice(0, page.limit)
      return Option.some({ data, next_cursor: runs.length > page.limit ? (data.at(-1)?.id ?? null) : null })
    }, reading("WatchStore.runs")),
    nextDueAt: Effect.gen(function* () {
      const rows = yield* read(sql`SELECT min(due_at) AS due_at FROM watch_queue WHERE due_at IS NOT NULL`)
      return (yield* decodeDue(rows))[0].due_at
    }).pipe(reading("WatchStore.nextDueAt"), Effect.withSpan("WatchStore.nextDueAt")),
    outbox: Effect.fn("WatchStore.outbox")(function* (limit: number) {
      const rows = yield* decodeEvents(yield* read(sql`SELECT event FROM outbox ORDER BY seq LIMIT ${limit}`))
      return rows.map((row) => row.event)
    }, reading("WatchStore.outbox")),
    relayed: Effect.fn("WatchStore.relayed")(function* (ids: ReadonlyArray<Id.EventId>) {
      yield* statement(sql`DELETE FROM outbox WHERE id IN (${each(ids)})`)
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
      (self) => operation("WatchStore.prune")(transaction()(self))
    )
  }
}

/**
 * The columns of a watch.
 *
 * @since 0.1.0
 * @category combinators
 */
export const watchColumns = (sql: SqlClient) => sql`
  watch.id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at, memory, revision, live,
  asked_at`

/**
 * The writes about a watch that are parts of others, in a transaction that keeps others from the watches of its key.
 *
 * @since 0.1.0
 * @category constructors
 */
export const writes = ({ sql }: SqlDatabase) => {
  /** Counts again how many watches of a key run and when the first of the others is due. */
  const refresh = (keyId: Id.KeyId) => sql`
    INSERT INTO watch_queue (key_id, running, due_at)
    VALUES (${keyId},
      (SELECT count(*) FROM watch WHERE key_id = ${keyId} AND live IS NOT NULL),
      (SELECT min(next_due_at) FROM watch WHERE key_id = ${keyId} AND live IS NULL AND next_due_at IS NOT NULL))
    ON CONFLICT (key_id) DO UPDATE SET running = excluded.running, due_at = excluded.due_at
    WHERE watch_queue.running <> excluded.running OR watch_queue.due_at IS DISTINCT FROM excluded.due_at`

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

  return { refresh, remember, start }
}

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
 * Running runs with an ended lease, with their watches, oldest first.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectExpired = (sql: SqlClient, now: number, limit: number) =>
  selectRunning(sql, sql`lease_until <= ${now} ORDER BY lease_until LIMIT ${limit}`)

/**
 * Running runs with their watches, and what else holds of them.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectRunning = (sql: SqlClient, rest: Statement.Fragment) => sql`
  SELECT ${watchColumns(sql)}, watch_run.id AS run_id, status, document, execution_id, lease_token
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
