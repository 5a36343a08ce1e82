import * as Address from "@assay/core/domain/Address"
import * as AnalysisResult from "@assay/core/domain/AnalysisResult"
import * as Evidence from "@assay/core/domain/Evidence"
import type * as Execution from "@assay/core/domain/Execution"
import * as Id from "@assay/core/domain/Id"
import * as Reported from "@assay/core/domain/Reported"
import * as Risk from "@assay/core/domain/Risk"
import * as Target from "@assay/core/domain/Target"
import * as Timestamp from "@assay/core/domain/Timestamp"
import type * as ExecutionStore from "@assay/core/storage/ExecutionStore"
import * as PackedDocument from "@assay/core/storage/PackedDocument"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Array as Arr, Effect, Option, type ParseResult, Schema } from "effect"
import type { SqlDatabase } from "./SqlDatabase.js"
import * as SqlDocuments from "./SqlDocuments.js"

const Known = Schema.parseJson(Schema.Record({ key: Schema.String, value: Evidence.Evidence }))
const ReportedText = Schema.parseJson(Reported.Reported)
const Document = Schema.parseJson(AnalysisResult.AnalysisResult)

const Owner = Schema.Struct({
  keyId: Schema.propertySignature(Id.KeyId).pipe(Schema.fromKey("key_id")),
  watchId: Schema.propertySignature(Schema.OptionFromNullOr(Id.WatchId)).pipe(Schema.fromKey("watch_id"))
})
const Texts = Schema.Struct({
  result: Schema.propertySignature(Document).pipe(Schema.fromKey("document")),
  known: Known,
  reported: ReportedText
})
const StubRow = Schema.Struct({
  id: Id.ExecutionId,
  kind: Target.TargetKind,
  address: Address.Address,
  chain_id: Schema.Int,
  chain_name: Schema.String,
  status: AnalysisResult.ExecutionStatus,
  created_at: Schema.Int,
  completed_at: Schema.NullOr(Schema.Int),
  score: Schema.NullOr(Schema.Int),
  level: Schema.NullOr(Risk.RiskLevel),
  watch_id: Schema.NullOr(Id.WatchId),
  content_hash: Schema.NullOr(Schema.String)
})
const HeadRow = Schema.Struct({
  status: AnalysisResult.ExecutionStatus,
  contentHash: Schema.propertySignature(Schema.NullOr(Schema.String)).pipe(Schema.fromKey("content_hash"))
})
const HashRow = Schema.Struct({ content_hash: Schema.NullOr(Schema.String) })
const IdRow = Schema.Struct({ id: Id.ExecutionId })
const StatusRow = Schema.Struct({ status: AnalysisResult.ExecutionStatus })
const LeaseRow = Schema.Struct({ id: Id.ExecutionId, lease_token: Schema.String, lease_until: Schema.Int })
// Of the things that `bind` is given; the column has the name of the first kind.
const StandingRow = Schema.Struct({ id: Schema.String, fingerprint: Schema.String })
const BoundRow = Schema.Struct({
  id: Id.ExecutionId,
  status: AnalysisResult.ExecutionStatus,
  fingerprint: Schema.String
})
const CountRow = Schema.Struct({ running: Schema.Int })

const decodeOwner = Schema.decodeUnknown(Owner)
const decodeTexts = Schema.decodeUnknown(Schema.compose(SqlDocuments.TextsOfColumns, Texts))
const decodeExecution = (row: unknown) =>
  Effect.zipWith(
    decodeOwner(row),
    decodeTexts(row),
    (owner, texts): ExecutionStore.StoredExecution => ({
      ...owner,
      ...texts
    })
  )
const decodeStored = (rows: ReadonlyArray<unknown>) => Effect.forEach(rows, decodeExecution)
const decodeStubs = Schema.decodeUnknown(Schema.Array(StubRow))
const EndedRow = Schema.Struct({ id: Id.ExecutionId, key_id: Id.KeyId, watch_id: Schema.NullOr(Id.WatchId) })
const EndRow = Schema.Struct({
  id: Id.ExecutionId,
  watch_id: Schema.NullOr(Id.WatchId),
  document: Schema.NullOr(Schema.parseJson(Schema.Struct({ error: Schema.NullOr(AnalysisResult.ExecutionFailure) })))
})
const decodeEnds = Schema.decodeUnknown(Schema.Array(EndRow))
const decodeEnded = Schema.decodeUnknown(Schema.Array(EndedRow))
const decodeHashes = Schema.decodeUnknown(Schema.Array(HashRow))
const decodeHead = Schema.decodeUnknown(HeadRow)
const decodeText = Schema.decodeUnknown(SqlDocuments.DocumentOfColumns)
const decodeDocument = (row: unknown) =>
  Effect.zipWith(decodeHead(row), decodeText(row), (head, text): ExecutionStore.StoredDocument => ({ ...head, text }))
const decodeDocuments = (rows: ReadonlyArray<unknown>) => Effect.forEach(rows, decodeDocument)
const decodeBases = Schema.decodeUnknown(Schema.Array(SqlDocuments.Base))
const RemovedRow = Schema.Struct({ id: Id.ExecutionId, key_id: Id.KeyId, document_id: Schema.NullOr(Schema.Int) })
const decodeRemoved = Schema.decodeUnknown(Schema.Array(RemovedRow))
const decodeIds = Schema.decodeUnknown(Schema.Array(IdRow))
const decodeStatus = Schema.decodeUnknown(Schema.Array(StatusRow))
const decodeLeases = Schema.decodeUnknown(Schema.Array(LeaseRow))
const decodeBound = Schema.decodeUnknown(Schema.Array(BoundRow))
const decodeStanding = Schema.decodeUnknown(Schema.Array(StandingRow))
const decodeBinding = Schema.decodeUnknown(Schema.NonEmptyArray(StandingRow))
const decodeCount = Schema.decodeUnknown(Schema.NonEmptyArray(CountRow))

/**
 * How a kind of database ends executions that run, in a transaction: it changes a document as `ExecutionStore.failed` does.
 *
 * @since 0.1.0
 * @category models
 */
export interface Failing {
  /** Fails the one that has this lease, and answers whether there is one. */
  readonly fail: (
    id: Id.ExecutionId,
    token: string,
    failure: AnalysisResult.ExecutionFailure,
    now: number
  ) => Effect.Effect<boolean, SqlError | ParseResult.ParseError>
  /** Fails those that are past their lease, with none, and answers which. */
  readonly expire: (
    now: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Id.ExecutionId>, SqlError | ParseResult.ParseError>
}

/**
 * The executions of a database: the document as JSON text, beside it what is searched by and listed.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (database: SqlDatabase, { expire, fail }: Failing): ExecutionStore.ExecutionStore["Type"] => {
  const { operation, reading, rows: read, sql, statement, transaction } = database

  /**
   * What completes a check of a watch. Checks are many and much alike, so they are packed, before the database is
   * locked.
   */
  const packedWrite = Effect.fnUntraced(function* (
    result: AnalysisResult.AnalysisResult,
    texts: PackedDocument.Texts,
    complete: Effect.Effect<boolean, SqlError>
  ) {
    const subject = SqlDocuments.subjectOf({ ...result, kind: result.target })
    const bases = yield* decodeBases(yield* read(SqlDocuments.selectBase(sql, subject)))
    const packed = yield* PackedDocument.packInTurns(texts, Arr.head(bases))
    const write = (packed: SqlDocuments.Packed) => SqlDocuments.write(database, result.execution_id, subject, packed)
    return Effect.gen(function* () {
      if (!(yield* complete)) return false
      // The base may have been removed meanwhile.
      return (yield* write(packed)) || (yield* write(yield* PackedDocument.pack<number>(texts, Option.none())))
    })
  })

  const hasEnded = (id: Id.ExecutionId, token: string, status: AnalysisResult.ExecutionStatus) =>
    Effect.map(
      sql`SELECT id FROM execution WHERE id = ${id} AND lease_token = ${token} AND status = ${status}`,
      (rows) => rows.length > 0
    )

  return {
    begin: Effect.fn("ExecutionStore.begin")(function* (request: ExecutionStore.BeginRequest) {
      const { id, joinKey, keyId, lease, running, slots } = request
      const watchId = Option.getOrNull(request.watchId ?? Option.none())
      const idempotency = request.idempotency ?? Option.none()
      const bound = Option.match(idempotency, {
        onNone: () => sql`SELECT 1 WHERE FALSE`,
        onSome: ({ after, name }) => sql`
          SELECT execution.id, execution.status, fingerprint
          FROM idempotency_key JOIN execution ON execution.id = execution_id
          WHERE idempotency_key.key_id = ${keyId} AND name = ${name} AND bound_at > ${after}
            AND execution.key_id = ${keyId} AND status <> 'failed'`
      })
      const bind = (id: Id.ExecutionId) =>
        Effect.forEach(
          Option.toArray(idempotency),
          ({ fingerprint, name, now }) => sql`
            INSERT INTO idempotency_key (key_id, name, fingerprint, execution_id, bound_at)
            VALUES (${keyId}, ${name}, ${fingerprint}, ${id}, ${now})
            ON CONFLICT (key_id, name) DO UPDATE
            SET fingerprint = excluded.fingerprint, execution_id = excluded.execution_id, bound_at = excluded.bound_at`
        )
      const interactive = sql`
        SELECT count(*) AS running FROM execution
        WHERE key_id = ${keyId} AND status = 'running' AND watch_id IS NULL`
      const same = sql`
        SELECT id FROM execution WHERE key_id = ${keyId} AND join_key = ${joinKey} AND status = 'running'`
      return yield* Effect.gen(function* () {
        const inserted = yield* sql`
          INSERT INTO execution (id, key_id, watch_id, join_key, lease_token, lease_until, kind, address, chain_id,
            chain_name, status, created_at, document, known, reported)
          SELECT ${id}, ${keyId}, ${watchId}, ${joinKey}, ${lease.token}, ${lease.until}, ${running.target},
            ${running.address}, ${running.chain.id}, ${running.chain.name}, 'running',
            ${Timestamp.toMillis(running.created_at)}, ${JSON.stringify(running)}, '{}', '{}'
          WHERE NOT EXISTS (${bound}) AND NOT EXISTS (${same})
            AND ${watchId === null ? sql`(${interactive}) < ${slots}` : sql`TRUE`}
          ON CONFLICT (id) DO NOTHING
          RETURNING id`
        if (inserted.length > 0) {
          yield* bind(id)
          return { _tag: "Started" } as ExecutionStore.BeginAnswer
        }
        const known = yield* sql`SELECT id FROM execution WHERE id = ${id}`
        if (known.length > 0) return { _tag: "Started" } as const
        const replayed = Arr.head(yield* decodeBound(yield* bound))
        if (Option.isSome(replayed)) {
          const { fingerprint, id, status } = replayed.value
          if (Option.exists(idempotency, (wanted) => wanted.fingerprint !== fingerprint))
            return { _tag: "Reused" } as const
          return { _tag: status === "running" ? "Joined" : "Replayed", id } as const
        }
        const joined = Arr.head(yield* decodeIds(yield* same))
        if (Option.isSome(joined)) {
          yield* bind(joined.value.id)
          return { _tag: "Joined", id: joined.value.id } as const
        }
        return { _tag: "Busy", running: (yield* decodeCount(yield* interactive))[0].running } as const
      }).pipe(transaction(`executions of ${keyId}`))
    }, operation("ExecutionStore.begin")),
    renew: Effect.fn("ExecutionStore.renew")(
      function* (id: Id.ExecutionId, lease: ExecutionStore.Lease) {
        const renewed = yield* sql`
          UPDATE execution SET lease_until = ${lease.until}
          WHERE id = ${id} AND lease_token = ${lease.token} AND status = 'running'
          RETURNING id`
        return renewed.length > 0
      },
      (self) => operation("ExecutionStore.renew")(statement(self))
    ),
    complete: Effect.fn("ExecutionStore.complete")(function* (
      token: string,
      result: AnalysisResult.AnalysisResult,
      memory: ExecutionStore.ExecutionMemory
    ) {
      const { execution_id: id } = result
      const completedAt = result.completed_at === null ? null : Timestamp.toMillis(result.completed_at)
      const texts = {
        document: JSON.stringify(result),
        known: JSON.stringify(memory.known),
        reported: JSON.stringify(memory.reported)
      }
      const complete = ({ document, known, reported }: typeof texts) =>
        Effect.map(
          sql`
          UPDATE execution
          SET status = ${result.status}, completed_at = ${completedAt}, score = ${result.facts.risk?.score ?? null},
            level = ${result.facts.risk?.level ?? null}, content_hash = ${result.content_hash},
            document = ${document}, known = ${known}, reported = ${reported}
          WHERE id = ${id} AND lease_token = ${token} AND status = 'running'
          RETURNING id`,
          (rows) => rows.length > 0
        )
      const ofWatch = yield* read(sql`SELECT id FROM execution WHERE id = ${id} AND watch_id IS NOT NULL`)
      const write =
        ofWatch.length === 0 ? complete(texts) : yield* packedWrite(result, texts, complete(SqlDocuments.noTexts))
      return yield* Effect.flatMap(write, (completed) =>
        completed ? Effect.succeed(true) : hasEnded(id, token, result.status)
      ).pipe(transaction())
    }, operation("ExecutionStore.complete")),
    fail: Effect.fn("ExecutionStore.fail")(
      function* (id: Id.ExecutionId, token: string, failure: AnalysisResult.ExecutionFailure, now: number) {
        return (yield* fail(id, token, failure, now)) || (yield* hasEnded(id, token, "failed"))
      },
      (self) => operation("ExecutionStore.fail")(transaction()(self))
    ),
    discard: Effect.fn("ExecutionStore.discard")(
      function* (id: Id.ExecutionId, token: string) {
        yield* sql`DELETE FROM execution WHERE id = ${id} AND lease_token = ${token} AND status = 'running'`
      },
      (self) => operation("ExecutionStore.discard")(statement(self))
    ),
    find: Effect.fn("ExecutionStore.find")(function* (keyId: Id.KeyId, id: Id.ExecutionId) {
      return Arr.head(
        yield* decodeStored(
          yield* read(sql`
            SELECT key_id, watch_id, ${packed(sql)} WHERE execution.id = ${id} AND key_id = ${keyId}`)
        )
      )
    }, reading("ExecutionStore.find")),
    document: Effect.fn("ExecutionStore.document")(function* (keyId: Id.KeyId, id: Id.ExecutionId) {
      const rows = yield* decodeDocuments(
        yield* read(sql`
          SELECT status, content_hash, ${packed(sql)} WHERE execution.id = ${id} AND key_id = ${keyId}`)
      )
      return Arr.head(rows)
    }, reading("ExecutionStore.document")),
    contentHash: Effect.fn("ExecutionStore.contentHash")(function* (keyId: Id.KeyId, id: Id.ExecutionId) {
      const rows = yield* decodeHashes(
        yield* read(sql`SELECT content_hash FROM execution WHERE id = ${id} AND key_id = ${keyId}`)
      )
      return Option.map(Arr.head(rows), (row) => row.content_hash)
    }, reading("ExecutionStore.contentHash")),
    previous: Effect.fn("ExecutionStore.previous")(function* (
      keyId: Id.KeyId,
      target: Target.Target,
      before?: Id.ExecutionId | undefined
    ) {
      return Arr.head(yield* decodeStored(yield* read(selectPrevious(sql, keyId, target, before))))
    }, reading("ExecutionStore.previous")),
    list: Effect.fn("ExecutionStore.list")(function* (
      keyId: Id.KeyId,
      filter: ExecutionStore.ExecutionFilter,
      page: ExecutionStore.PageRequest
    ) {
      const wanted = [
        Option.map(filter.kind, (kind) => sql`kind = ${kind}`),
        Option.map(filter.address, (address) => sql`address = ${address}`),
        Option.map(filter.chainId, (chainId) => sql`chain_id = ${chainId}`),
        Option.map(filter.watchId, (watchId) => sql`watch_id = ${watchId}`),
        Option.map(filter.since, (since) => sql`created_at >= ${since}`),
        Option.map(page.before, (before) => startedBefore(sql, keyId, before))
      ]
      const rows = yield* decodeStubs(
        yield* read(sql`
          SELECT id, kind, address, chain_id, chain_name, status, created_at, completed_at, score, level, watch_id,
            content_hash
          FROM execution
          WHERE ${sql.and([sql`key_id = ${keyId}`, ...Arr.getSomes(wanted)])}
          ORDER BY seq DESC LIMIT ${page.limit + 1}`)
      )
      const data = rows.slice(0, page.limit).map(stub)
      return { data, next_cursor: rows.length > page.limit ? (data.at(-1)?.execution_id ?? null) : null }
    }, reading("ExecutionStore.list")),
    expireLeases: Effect.fn("ExecutionStore.expireLeases")(expire, (self) =>
      operation("ExecutionStore.expireLeases")(transaction()(self))
    ),
    running: Effect.map(
      Effect.flatMap(
        read(sql`
          SELECT id, lease_token, lease_until FROM execution
          WHERE status = 'running' ORDER BY lease_until`),
        decodeLeases
      ),
      (rows) => rows.map((row) => ({ id: row.id, lease: lease(row) }))
    ).pipe(reading("ExecutionStore.running"), Effect.withSpan("ExecutionStore.running")),
    lease: Effect.fn("ExecutionStore.lease")(function* (id: Id.ExecutionId) {
      const rows = yield* decodeLeases(
        yield* read(sql`
          SELECT id, lease_token, lease_until FROM execution WHERE id = ${id} AND lease_token IS NOT NULL`)
      )
      return Option.map(Arr.head(rows), lease)
    }, reading("ExecutionStore.lease")),
    status: Effect.fn("ExecutionStore.status")(function* (id: Id.ExecutionId) {
      const rows = yield* decodeStatus(yield* read(sql`SELECT status FROM execution WHERE id = ${id}`))
      return Option.map(Arr.head(rows), (row) => row.status)
    }, reading("ExecutionStore.status")),
    endedBefore: Effect.fn("ExecutionStore.endedBefore")(function* (before: number, limit: number) {
      const rows = yield* decodeEnded(
        yield* read(sql`
          SELECT id, key_id, watch_id FROM execution
          WHERE completed_at < ${before} AND status <> 'running'
          ORDER BY completed_at, seq LIMIT ${limit}`)
      )
      return rows.map(({ id, key_id, watch_id }) => ({ id, keyId: key_id, watchId: Option.fromNullable(watch_id) }))
    }, reading("ExecutionStore.endedBefore")),
    remove: Effect.fn("ExecutionStore.remove")(function* (ids: ReadonlyArray<Id.ExecutionId>, now: number) {
      if (ids.length === 0) return
      yield* Effect.gen(function* () {
        const removed = yield* decodeRemoved(
          yield* sql`
            DELETE FROM execution WHERE ${sql.in("id", ids)} AND status <> 'running'
            RETURNING id, key_id, document_id`
        )
        if (removed.length === 0) return
        yield* sql`
          INSERT INTO execution_removed ${sql.insert(removed.map(({ id, key_id }) => ({ id, key_id, removed_at: now })))}
          ON CONFLICT (id) DO UPDATE SET removed_at = excluded.removed_at`
        yield* SqlDocuments.removeUnused(
          database,
          removed.flatMap((row) => row.document_id ?? [])
        )
      }).pipe(transaction())
    }, operation("ExecutionStore.remove")),
    ends: Effect.fn("ExecutionStore.ends")(function* (keyId: Id.KeyId, ids: ReadonlyArray<Id.ExecutionId>) {
      // What failed has no document of results, and its text is never packed.
      const rows = yield* decodeEnds(
        yield* read(sql`
          SELECT id, watch_id, CASE WHEN status = 'failed' THEN document END AS document FROM execution
          WHERE key_id = ${keyId} AND id IN (${database.each(ids)})`)
      )
      return rows.map(({ document, id, watch_id }) => ({
        id,
        watchId: Option.fromNullable(watch_id),
        failure: Option.map(Option.fromNullable(document?.error), ({ code }) => code)
      }))
    }, reading("ExecutionStore.ends")),
    isRemoved: Effect.fn("ExecutionStore.isRemoved")(function* (keyId: Id.KeyId, id: Id.ExecutionId) {
      const removed = yield* read(sql`SELECT id FROM execution_removed WHERE id = ${id} AND key_id = ${keyId}`)
      return removed.length > 0
    }, reading("ExecutionStore.isRemoved")),
    bind: Effect.fn("ExecutionStore.bind")(
      function* ({ after, fingerprint, id, keyId, name, now }: ExecutionStore.Binding) {
        const isFree = sql`idempotency_key.bound_at <= ${after}`
        const rows = yield* sql`
          INSERT INTO idempotency_key (key_id, name, fingerprint, execution_id, bound_at)
          VALUES (${keyId}, ${name}, ${fingerprint}, ${id}, ${now})
          ON CONFLICT (key_id, name) DO UPDATE SET
            fingerprint = CASE WHEN ${isFree} THEN excluded.fingerprint ELSE idempotency_key.fingerprint END,
            execution_id = CASE WHEN ${isFree} THEN excluded.execution_id ELSE idempotency_key.execution_id END,
            bound_at = CASE WHEN ${isFree} THEN excluded.bound_at ELSE idempotency_key.bound_at END
          RETURNING execution_id AS id, fingerprint`
        return (yield* decodeBinding(rows))[0]
      },
      (self) => operation("ExecutionStore.bind")(statement(self))
    ),
    bound: Effect.fn("ExecutionStore.bound")(function* ({ after, keyId, name }: ExecutionStore.Lookup) {
      const rows = yield* read(sql`
        SELECT execution_id AS id, fingerprint FROM idempotency_key
        WHERE key_id = ${keyId} AND name = ${name} AND bound_at > ${after}`)
      return Arr.head(yield* decodeStanding(rows))
    }, reading("ExecutionStore.bound")),
    forgetIdempotencyKeys: Effect.fn("ExecutionStore.forgetIdempotencyKeys")(function* (before: number, limit: number) {
      // Judged again on the row itself, as another process may have bound it anew meanwhile.
      const forgotten = yield* statement(sql`
        DELETE FROM idempotency_key
        WHERE bound_at < ${before} AND (key_id, name) IN (
          SELECT key_id, name FROM idempotency_key WHERE bound_at < ${before} ORDER BY bound_at LIMIT ${limit})
        RETURNING name`)
      return forgotten.length
    }, operation("ExecutionStore.forgetIdempotencyKeys")),
    forget: Effect.fn("ExecutionStore.forget")(function* (before: number, limit: number) {
      const forgotten = yield* statement(sql`
        DELETE FROM execution_removed
        WHERE removed_at < ${before} AND id IN (
          SELECT id FROM execution_removed WHERE removed_at < ${before} ORDER BY removed_at LIMIT ${limit})
        RETURNING id`)
      return forgotten.length
    }, operation("ExecutionStore.forget"))
  }
}

/**
 * The newest result of a target, by one look-up in its index.
 *
 * @since 0.1.0
 * @category combinators
 */
export const selectPrevious = (
  sql: SqlClient,
  keyId: Id.KeyId,
  target: Target.Target,
  before: Id.ExecutionId | undefined
) => sql`
  SELECT key_id, watch_id, ${packed(sql)}
  WHERE key_id = ${keyId} AND chain_id = ${target.chain.id} AND kind = ${target.kind} AND address = ${target.address}
    AND status IN ('complete', 'partial') AND watch_id IS NULL
    AND ${before === undefined ? sql`TRUE` : startedBefore(sql, keyId, before)}
  ORDER BY seq DESC LIMIT 1`

/** The columns that an execution is unpacked from, and the tables that they are in. */
const packed = (sql: SqlClient) => sql`
  execution.document, known, reported, patch, body
  FROM execution LEFT JOIN document ON document.id = execution.document_id`

// An id that this key does not have compares with NULL, which nothing is before.
const startedBefore = (sql: SqlClient, keyId: Id.KeyId, before: Id.ExecutionId) =>
  sql`seq < (SELECT seq FROM execution WHERE id = ${before} AND key_id = ${keyId})`

const lease = (row: typeof LeaseRow.Type): ExecutionStore.Lease => ({ token: row.lease_token, until: row.lease_until })

const stub = (row: typeof StubRow.Type): Execution.ExecutionStub => ({
  execution_id: row.id,
  target: row.kind,
  address: row.address,
  chain: { id: row.chain_id, name: row.chain_name },
  status: row.status,
  created_at: Timestamp.fromMillis(row.created_at),
  completed_at: row.completed_at === null ? null : Timestamp.fromMillis(row.completed_at),
  score: row.score,
  level: row.level,
  watch_id: row.watch_id,
  content_hash: row.content_hash
})
