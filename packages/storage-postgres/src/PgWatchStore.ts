import * as Id from "@assay/core/domain/Id"
import * as WatchRows from "@assay/core/storage/WatchRows"
import * as WatchStore from "@assay/core/storage/WatchStore"
import { Uncertain } from "@assay/storage-sql/SqlDatabase"
import * as SqlWatchStore from "@assay/storage-sql/SqlWatchStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Array as Arr, Effect, Layer, Option, Schema } from "effect"
import * as Claiming from "./Claiming.js"
import * as GroupWrite from "./GroupWrite.js"
import { database } from "./PgDatabase.js"
import { exchange, literal, type Rows, transaction } from "./PgStore.js"

const decodeFinished = Schema.decodeUnknown(Schema.Array(Schema.Struct({ run_id: Id.RunId })))

/**
 * Watches in Postgres.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<WatchStore.WatchStore, never, SqlClient> = Layer.effect(
  WatchStore.WatchStore,
  Effect.map(database, (database) => {
    const { operation, sql, statement } = database

    /**
     * Claims that this process made, by their runs: whoever ends one of them decides on the watch as it was claimed, and
     * reads it only where another process changed it since. Those that others end are dropped when there are too many.
     */
    const claimed = new Map<Id.RunId, WatchStore.Claim>()
    const note = (claims: ReadonlyArray<WatchStore.Claim>) => {
      for (const claim of claims) claimed.set(claim.run.id, claim)
      for (const runId of claimed.keys()) if (claimed.size > mostClaims) claimed.delete(runId)
      return claims
    }

    const claimFrom = (request: WatchStore.ClaimRequest, waits: boolean) => {
      const { now, perKey, slots, until } = request
      const ids = slots.map(({ runId }) => runId)
      return exchange(sql, [
        `SELECT id FROM watch_run WHERE id IN (${ids.map(literal).join(", ")}) AND status = 'running' LIMIT 1`,
        lockQueues({ now, perKey, limit: slots.length, waits }),
        selectDue({ now, perKey, limit: slots.length })
      ])(([begunBefore = [], , found = []]) =>
        Effect.gen(function* () {
          if (begunBefore.length > 0)
            return {
              write: [],
              read: () =>
                Effect.map(
                  Effect.flatMap(
                    SqlWatchStore.selectRunning(sql, sql.in("watch_run.id", ids)),
                    SqlWatchStore.decodeClaims
                  ),
                  (rows) => ({
                    claims: rows.map((row) => WatchRows.claim(WatchRows.stored(row), row)),
                    used: slots.length,
                    isMore: false
                  })
                )
            }
          const due = yield* SqlWatchStore.decodeWatches(found)
          const decided = yield* Effect.forEach(Arr.zip(due.map(WatchRows.stored), slots), ([watch, slot]) => {
            const answer = request.begin(watch, slot)
            const live = WatchStore.isBegun(answer) ? Option.some(slot.runId) : Option.none()
            const after = { ...watch, memory: answer.memory, revision: watch.revision + 1, live }
            return Effect.map(WatchRows.encodeMemory(answer.memory), (memory) => ({ after, answer, memory, slot }))
          })
          const claims = decided.flatMap(
            ({ after, answer, slot }): ReadonlyArray<WatchStore.Claim> =>
              WatchStore.isBegun(answer)
                ? [{ watch: after, run: answer.run, executionId: slot.executionId, token: slot.token }]
                : []
          )
          return {
            write: [
              ...(decided.length === 0 ? [] : [updateClaimed(decided), insertRuns(claims, until), refreshLocked]),
              decided.length < slots.length
                ? `SELECT FROM watch_queue WHERE due_at <= ${now} AND due_at IS NOT NULL AND running < ${perKey} LIMIT 1`
                : "SELECT WHERE false"
            ],
            read: (rows: Rows) =>
              Effect.succeed({
                claims: note(claims),
                used: decided.length,
                isMore: (rows.at(-1) ?? []).length > 0
              })
          }
        })
      )
    }

    const finishAll = Effect.fnUntraced(function* (
      finishes: ReadonlyArray<Ending>,
      options: { readonly waits: boolean }
    ) {
      const rows = yield* Effect.forEach(finishes, ({ finish, watch, runId }) =>
        Effect.map(WatchRows.encodeMemory(finish.memory), (memory) => ({
          run_id: runId,
          watch_id: watch.id,
          key_id: watch.keyId,
          revision: watch.revision,
          memory,
          state: WatchStore.stateOf(finish.memory),
          failing: WatchRows.failing(finish.memory),
          next_due_at: Option.getOrNull(finish.memory.nextDueAt),
          status: finish.run.status,
          changed: WatchStore.hasChanged(finish.run) ? 1 : 0,
          ended_at: WatchStore.endOf(finish.run),
          document: WatchRows.runText(finish.run),
          events: finish.events.map((event) => ({ id: event.id, event: JSON.stringify(event) }))
        }))
      )
      const finished = yield* decodeFinished(yield* statement(updateFinished(sql, rows, options)))
      const ids = new Set(finished.map((row) => row.run_id))
      return ({ runId }: Ending) => ids.has(runId)
    })

    /**
     * Ends runs that are ended at the same time in one statement, which leaves out those with a locked key: these are
     * then waited for, beside those that come next.
     */
    const finishFree = GroupWrite.make((finishes: ReadonlyArray<Ending>) =>
      Effect.catchIf(
        finishAll(finishes, { waits: false }),
        (error) => !(error instanceof Uncertain),
        // One of them may be the reason.
        () => Effect.succeed(() => false)
      )
    )

    const finishOne = (ending: Ending) =>
      Effect.flatMap(finishFree(ending), (isFinished) =>
        isFinished
          ? Effect.succeed(true)
          : Effect.map(finishAll([ending], { waits: true }), (hasFinished) => hasFinished(ending))
      )

    return SqlWatchStore.make(database, {
      ofKey: (keyId) => transaction(sql, lockKey(keyId)),
      beginning: (keyId) => transaction(sql, lockOrBegin(keyId)),
      claimDue: Effect.fn("WatchStore.claimDue")(function* (request: WatchStore.ClaimRequest) {
        if (request.slots.length === 0) return []
        return yield* Claiming.all(request.slots, (slots, { waits }) => claimFrom({ ...request, slots }, waits))
      }, operation("WatchStore.claimDue")),
      finishRun: Effect.fn("WatchStore.finishRun")(function* (
        runId: Id.RunId,
        token: string,
        decide: (watch: WatchStore.StoredWatch) => WatchStore.Finish
      ) {
        const known = Option.filter(Option.fromNullable(claimed.get(runId)), (claim) => claim.token === token)
        claimed.delete(runId)
        if (Option.isSome(known)) {
          const { watch } = known.value
          if (yield* finishOne({ runId, watch, finish: decide(watch) })) return true
        }
        // Each time that this goes on, another process changed the watch.
        while (true) {
          const found = yield* SqlWatchStore.decodeClaims(
            yield* SqlWatchStore.selectRunning(sql, sql`watch_run.id = ${runId} AND lease_token = ${token}`)
          )
          const watch = Option.map(Arr.head(found), WatchRows.stored)
          if (Option.isNone(watch))
            return (yield* sql`SELECT id FROM watch_run WHERE id = ${runId} AND lease_token = ${token}`).length > 0
          if (yield* finishOne({ runId, watch: watch.value, finish: decide(watch.value) })) return true
        }
      }, operation("WatchStore.finishRun"))
    })
  })
)

/**
 * Every write about the watches of a key locks the row of its queue first: what runs and what is due next is counted there.
 * A claim takes the rows that nobody holds, and waits for none.
 */
const lockKey = (keyId: Id.KeyId) => `SELECT FROM watch_queue WHERE key_id = ${literal(keyId)} FOR UPDATE`

const lockOrBegin = (keyId: Id.KeyId) => `
  INSERT INTO watch_queue (key_id, running) VALUES (${literal(keyId)}, 0)
  ON CONFLICT (key_id) DO UPDATE SET key_id = excluded.key_id`

/** A run that ends, with its watch as it was when that was decided. */
interface Ending {
  readonly runId: Id.RunId
  readonly watch: WatchStore.StoredWatch
  readonly finish: WatchStore.Finish
}

/** More claims of one process are not remembered: it has fewer checks at once. */
const mostClaims = 1000

/**
 * Locks the queues to claim from: of the keys with the fewest running, those with the watch that is due longest. As many as
 * there are slots are enough, because each of them has a watch that comes before any of another key. Keys are searched by
 * how many of theirs run, from the fewest on: a number that occurs takes as many runs, so there are few, however many keys
 * and watches there are. One that waits takes the first alone, so that none waits for another while it holds what that
 * one waits for.
 *
 * Which they are is a setting of the transaction, for the statements after this one, which see what the earlier holders of
 * these rows committed.
 *
 * @since 0.1.0
 * @category combinators
 */
export const lockQueues = (options: {
  readonly now: number
  readonly perKey: number
  readonly limit: number
  readonly waits: boolean
}): string => `
  WITH RECURSIVE level (running) AS (
    SELECT min(running) FROM watch_queue WHERE due_at IS NOT NULL
    UNION ALL
    SELECT (SELECT min(running) FROM watch_queue WHERE due_at IS NOT NULL AND running > level.running)
    FROM level WHERE running IS NOT NULL
  ), locked AS (
    SELECT queue.key_id, queue.running
    FROM level CROSS JOIN LATERAL (
      SELECT key_id, running FROM watch_queue
      WHERE running = level.running AND due_at <= ${options.now} AND due_at IS NOT NULL
      ORDER BY due_at LIMIT ${options.waits ? 1 : options.limit}
      FOR UPDATE ${options.waits ? "" : "SKIP LOCKED"}
    ) AS queue
    WHERE level.running < ${options.perKey}
    LIMIT ${options.waits ? 1 : options.limit}
  )
  SELECT set_config('assay.queues', coalesce(json_agg(locked), '[]')::text, true) FROM locked`

/** The queues that this transaction has locked. */
const queues = "json_to_recordset(current_setting('assay.queues')::json) AS queue (key_id TEXT, running BIGINT)"

/**
 * The watches to claim from the locked queues, in the order in which one after another would be: of the key that has the
 * fewest running then, the one that is due longest. The planner gets a number of how many of each key are looked at: for
 * one that it cannot know it expects a tenth of them, and reads the whole table for keys with many.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectDue = (options: {
  readonly now: number
  readonly perKey: number
  readonly limit: number
}): string => `
  SELECT watch.id, watch.key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at, memory,
    revision, live, asked_at
  FROM ${queues}
  CROSS JOIN LATERAL (
    SELECT seq, queue.running + row_number() OVER (ORDER BY next_due_at, seq) AS place FROM (
      SELECT seq, next_due_at FROM watch
      WHERE key_id = queue.key_id AND live IS NULL AND next_due_at <= ${options.now} AND next_due_at IS NOT NULL
      ORDER BY next_due_at, seq LIMIT ${Math.min(options.limit, options.perKey)}
    ) AS waiting
  ) AS next
  JOIN watch ON watch.seq = next.seq
  WHERE next.place <= ${options.perKey}
  ORDER BY next.place, watch.next_due_at, watch.seq LIMIT ${options.limit}`

/** Says again how many watches of the locked queues run, and when the first of the others is due. */
const refreshLocked = `
  UPDATE watch_queue SET running = now.running, due_at = now.due_at
  FROM (
    SELECT key_id,
      (SELECT count(*) FROM watch WHERE watch.key_id = queue.key_id AND live IS NOT NULL) AS running,
      (SELECT min(next_due_at) FROM watch
       WHERE watch.key_id = queue.key_id AND live IS NULL AND next_due_at IS NOT NULL) AS due_at
    FROM ${queues}
  ) AS now
  WHERE watch_queue.key_id = now.key_id
    AND (watch_queue.running <> now.running OR watch_queue.due_at IS DISTINCT FROM now.due_at)`

const updateClaimed = (
  decided: ReadonlyArray<{ readonly after: WatchStore.StoredWatch; readonly memory: string }>
): string => `
  UPDATE watch
  SET memory = claimed.memory, state = claimed.state, failing = claimed.failing, next_due_at = claimed.next_due_at,
    revision = claimed.revision, live = claimed.live
  FROM json_to_recordset(${literal(
    JSON.stringify(
      decided.map(({ after, memory }) => ({
        id: after.id,
        memory,
        state: WatchStore.stateOf(after.memory),
        failing: WatchRows.failing(after.memory),
        next_due_at: Option.getOrNull(after.memory.nextDueAt),
        revision: after.revision,
        live: Option.getOrNull(after.live)
      }))
    )
  )}::json) AS claimed
    (id TEXT, memory TEXT, state TEXT, failing BIGINT, next_due_at BIGINT, revision BIGINT, live TEXT)
  WHERE watch.id = claimed.id`

const insertRuns = (claims: ReadonlyArray<WatchStore.Claim>, until: number): string => `
  INSERT INTO watch_run (id, watch_id, execution_id, lease_token, lease_until, status, changed, document)
  SELECT id, watch_id, execution_id, lease_token, ${until}, 'running', 0, document
  FROM json_to_recordset(${literal(
    JSON.stringify(
      claims.map(({ executionId, run, token, watch }) => ({
        id: run.id,
        watch_id: watch.id,
        execution_id: executionId,
        lease_token: token,
        document: WatchRows.runText(run)
      }))
    )
  )}::json) AS run (id TEXT, watch_id TEXT, execution_id TEXT, lease_token TEXT, document TEXT)`

/**
 * Ends runs with watches that are still as they were when that was decided, and answers which. What the queues count
 * changes by what is ended here, so that nothing is counted that an earlier holder of their locks may have changed meanwhile.
 */
const updateFinished = (sql: SqlClient, rows: ReadonlyArray<object>, options: { readonly waits: boolean }) => sql`
  WITH given AS MATERIALIZED (
    SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS given (run_id TEXT, watch_id TEXT, key_id TEXT,
      revision BIGINT, memory TEXT, state TEXT, failing BIGINT, next_due_at BIGINT, status TEXT, changed BIGINT,
      ended_at BIGINT, document TEXT, events JSON)
  ), queue AS MATERIALIZED (
    SELECT key_id FROM watch_queue WHERE key_id IN (SELECT key_id FROM given)
    ORDER BY key_id FOR UPDATE ${options.waits ? sql`` : sql`SKIP LOCKED`}
  ), finished AS (
    UPDATE watch
    SET memory = given.memory, state = given.state, failing = given.failing, next_due_at = given.next_due_at,
      revision = given.revision + 1, live = NULL
    FROM given JOIN queue USING (key_id)
    WHERE watch.id = given.watch_id AND watch.revision = given.revision AND watch.live = given.run_id
    RETURNING given.run_id, watch.key_id, watch.next_due_at
  ), ended AS (
    UPDATE watch_run
    SET status = given.status, changed = given.changed, ended_at = given.ended_at, document = given.document
    FROM given JOIN finished USING (run_id)
    WHERE watch_run.id = given.run_id
  ), counted AS (
    UPDATE watch_queue SET running = watch_queue.running - freed.runs, due_at = least(watch_queue.due_at, freed.due_at)
    FROM (SELECT key_id, count(*) AS runs, min(next_due_at) AS due_at FROM finished GROUP BY key_id) AS freed
    WHERE watch_queue.key_id = freed.key_id
  ), told AS (
    INSERT INTO outbox (id, event)
    SELECT told.id, told.event
    FROM finished JOIN given USING (run_id)
    CROSS JOIN LATERAL ROWS FROM (json_to_recordset(given.events) AS (id TEXT, event TEXT))
      WITH ORDINALITY AS told (id, event, place)
    ORDER BY run_id, place
    ON CONFLICT (id) DO NOTHING
  )
  SELECT run_id FROM finished`
