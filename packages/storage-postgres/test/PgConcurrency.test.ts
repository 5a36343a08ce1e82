import {
  type AnalysisResult,
  CanonicalJson,
  EventStore,
  type Evidence,
  ExecutionStore,
  Grid,
  Id,
  QuotaStore,
  Timestamp,
  Transition,
  Watch,
  WatchStore
} from "@assay/core"
import { Documents } from "@assay/core/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option, Redacted } from "effect"
import * as PgStorage from "../src/PgStorage.js"
import { lock, transaction } from "../src/PgStore.js"
import * as PgWatchStore from "../src/PgWatchStore.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const options = { url: Redacted.make(database?.url ?? ""), connections: 12 }
const over = Layer.merge(PgStorage.layer(options), PgStorage.layerClient(options))

const noon = Date.UTC(2026, 10, 21, 12)
const concurrently = { concurrency: "unbounded" } as const

/** Holds what these statements lock, for as long as an effect runs. */
const holding =
  (first: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [held, free] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.zipRight(Deferred.succeed(held, undefined), Deferred.await(free)).pipe(
        transaction(sql, first),
        Effect.fork
      )
      yield* Deferred.await(held)
      const answer = yield* self
      yield* Deferred.succeed(free, undefined)
      yield* Fiber.join(holder)
      return answer
    })

const begin = (keyId: Id.KeyId, watchId: Option.Option<Id.WatchId> = Option.none()) =>
  Effect.gen(function* () {
    const store = yield* ExecutionStore.ExecutionStore
    const id = yield* Id.make("exe")
    const running = Documents.running(id, Documents.token(7), noon)
    const lease = { token: id, until: noon }
    return { running, answer: yield* store.begin({ id, keyId, joinKey: id, slots: 9, lease, running, watchId }) }
  })

const watchOf = Effect.fnUntraced(function* (keyId: Id.KeyId) {
  const id = yield* Id.make("wat")
  const memory = Transition.created(Grid.make(id, { anchor: noon, intervalSeconds: 900 }), "Active")
  const watch: WatchStore.StoredWatch = {
    id,
    keyId,
    target: Documents.token(7),
    label: "",
    options: Watch.defaultOptions,
    createdAt: noon,
    updatedAt: noon,
    memory: { ...memory, nextDueAt: Option.some(noon) },
    revision: 1,
    live: Option.none()
  }
  const store = yield* WatchStore.WatchStore
  yield* store.create(watch, 1000)
  return watch
})

const claim = (slots: number) => Effect.map(claimed(slots), (claims) => claims.map(({ watch }) => watch.id))

const claimed = (slots: number) =>
  Effect.gen(function* () {
    const store = yield* WatchStore.WatchStore
    const made = yield* Effect.replicateEffect(
      Effect.gen(function* () {
        return { runId: yield* Id.make("run"), executionId: yield* Id.make("exe"), token: yield* Id.make("req") }
      }),
      slots
    )
    return yield* store.claimDue({
      now: noon,
      until: noon + 1000,
      slots: made,
      perKey: 9,
      begin: (watch, slot) => ({
        memory: Transition.apply(watch.memory, { _tag: "Claimed" }, noon).memory,
        run: {
          id: slot.runId,
          scheduled_for: Timestamp.fromMillis(noon),
          started_at: Timestamp.fromMillis(noon),
          finished_at: null,
          trigger: "schedule",
          status: "running",
          units: 0,
          execution_id: slot.executionId,
          change_status: null,
          max_severity: null,
          error_code: null,
          error: null
        }
      })
    })
  })

TestPostgres.describeOn(database)("many connections at once", () => {
  it.live(
    "of 400 units of 40 keys asked for over four pools, a bucket of the deployment with 50 grants exactly 50",
    () =>
      Effect.gen(function* () {
        const pools = yield* Effect.replicateEffect(Layer.build(Layer.fresh(PgStorage.layer(options))), 4)
        const keys = yield* Effect.replicateEffect(Id.make("key"), 40)
        const days = [noon, noon + 86_400_000]
        for (const now of days) {
          const answers = yield* Effect.forEach(
            Array.from({ length: 400 }, (_, index) => index),
            (index) =>
              Effect.gen(function* () {
                const keyId = keys[index % keys.length] ?? (yield* Id.make("key"))
                // In both orders, so that what is locked in the order of a request would end in a deadlock.
                const buckets = [
                  { name: `key:${keyId}`, limit: 4 },
                  { name: "deployment", limit: 50 }
                ]
                const store = Context.get(pools[index % 4] ?? Context.unsafeMake(new Map()), QuotaStore.QuotaStore)
                return yield* store.reserve({
                  id: yield* Id.make("exe"),
                  keyId,
                  kind: "token",
                  buckets: index % 2 === 0 ? buckets : buckets.toReversed(),
                  now
                })
              }),
            concurrently
          )
          assert.strictEqual(answers.filter(({ _tag }) => _tag === "Reserved").length, 50)
          const store = Context.get(pools[0] ?? Context.unsafeMake(new Map()), QuotaStore.QuotaStore)
          const counts = yield* Effect.forEach(keys, (key) => store.count(key, Timestamp.dayOf(now)))
          assert.strictEqual(
            counts.reduce((sum, { reserved }) => sum + reserved, 0),
            50
          )
        }
      }).pipe(Effect.scoped)
  )

  it.live("units that are returned while others are taken are neither lost nor doubled", () =>
    Effect.gen(function* () {
      const store = yield* QuotaStore.QuotaStore
      const keyId = yield* Id.make("key")
      const buckets = [
        { name: `key:${keyId}`, limit: 1000 },
        { name: `source:${keyId}`, limit: 60 }
      ]
      const reserve = Effect.flatMap(Id.make("exe"), (id) =>
        Effect.map(store.reserve({ id, keyId, kind: "watch", buckets, now: noon }), ({ _tag }) => ({ id, _tag }))
      )
      const first = yield* Effect.replicateEffect(reserve, 60, concurrently)
      assert.isTrue(first.every(({ _tag }) => _tag === "Reserved"))
      const [, again] = yield* Effect.all(
        [
          Effect.forEach(first.slice(0, 30), ({ id }) => store.settle(id, "released", noon), concurrently),
          Effect.replicateEffect(reserve, 100, concurrently)
        ],
        concurrently
      )
      const got = again.filter(({ _tag }) => _tag === "Reserved").length
      assert.isAtMost(got, 30)
      const rest = yield* Effect.replicateEffect(reserve, 40, concurrently)
      assert.strictEqual(got + rest.filter(({ _tag }) => _tag === "Reserved").length, 30)
    }).pipe(Effect.provide(over))
  )

  it.live(
    "an execution of one key begins while the transaction of another key is open, one of the same key after it",
    () =>
      Effect.gen(function* () {
        const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
        const waiting = yield* holding(lock([`executions of ${one}`]))(
          Effect.gen(function* () {
            const same = yield* Effect.fork(begin(one))
            assert.strictEqual((yield* begin(two)).answer._tag, "Started")
            yield* Effect.sleep("100 millis")
            assert.isTrue(Option.isNone(yield* Fiber.poll(same)))
            return same
          })
        )
        assert.strictEqual((yield* Fiber.join(waiting)).answer._tag, "Started")
      }).pipe(Effect.provide(over))
  )

  it.live("a claim takes what nobody holds without a wait, and waits only where nothing else is left for it", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* Id.make("key"), yield* Id.make("key")]
      const first = yield* watchOf(one)
      const others = yield* Effect.replicateEffect(watchOf(two), 2)
      const held = `SELECT FROM watch_queue WHERE key_id = '${one}' FOR UPDATE`
      const waiting = yield* holding(held)(
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* claim(1), [others[0]?.id])
          const all = yield* Effect.fork(claim(9))
          yield* Effect.sleep("200 millis")
          assert.isTrue(Option.isNone(yield* Fiber.poll(all)))
          return all
        })
      )
      assert.sameMembers([...(yield* Fiber.join(waiting))], [first.id, others[1]?.id ?? first.id])
      assert.deepStrictEqual(yield* claim(9), [])
    }).pipe(Effect.provide(over))
  )

  it.live("units are reserved and given back by an index, where 200 keys had theirs on each of 400 days", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const quota = yield* QuotaStore.QuotaStore
      yield* sql`
        INSERT INTO bucket_day (bucket, day, taken)
        SELECT 'key:' || n / 400, to_char(to_timestamp(n % 400 * 86400), 'YYYY-MM-DD'), 1 FROM generate_series(0, 79999) AS n`
      yield* sql`ANALYZE bucket_day`
      // What a session counted is published when it has rested for a second.
      const readWhole = Effect.zipRight(
        Effect.sleep("2500 millis"),
        sql`SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE relname = 'bucket_day'`
      )
      const [before] = yield* readWhole
      const key = yield* Id.make("key")
      const unit = (id: Id.ExecutionId) =>
        quota.reserve({ id, keyId: key, kind: "watch", buckets: [{ name: "key:new", limit: 2 }], now: noon })
      const ids = yield* Effect.replicateEffect(Id.make("exe"), 3)
      // The first of a day, a further one, and one too many, which are three ways.
      const answers = yield* Effect.forEach(ids, unit)
      assert.deepStrictEqual(
        answers.map(({ _tag }) => _tag),
        ["Reserved", "Reserved", "Refused"]
      )
      for (const id of ids.slice(0, 2)) assert.isTrue(yield* quota.settle(id, "released", noon))
      const [after] = yield* readWhole
      yield* sql`DELETE FROM bucket_day`
      assert.strictEqual(after?.seq_scan, before?.seq_scan)
      assert.notStrictEqual(after?.idx_scan, before?.idx_scan)
    }).pipe(Effect.provide(over))
  )

  it.live("a key with 100,000 due watches takes its turns and keeps nobody waiting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const [busy, quiet] = [yield* Id.make("key"), yield* Id.make("key")]
      const first = yield* watchOf(busy)
      // A store ends statements that take long, which that many rows may on a busy machine.
      const unbounded = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
        transaction(sql)(Effect.zipRight(sql`SET LOCAL statement_timeout = 0`, statement))
      yield* unbounded(sql`
        INSERT INTO watch (id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at,
          memory, state, failing, next_due_at, revision)
        SELECT 'wat_' || lpad(n::text, 26, '0'), key_id, kind, address, chain_id, chain_name, label, options, created_at,
          updated_at, memory, state, failing, next_due_at - n, revision
        FROM watch CROSS JOIN generate_series(1, 100000) AS n WHERE id = ${first.id}`)
      yield* sql`UPDATE watch_queue SET due_at = due_at - 100000 WHERE key_id = ${busy}`
      yield* unbounded(sql`ANALYZE watch`)
      const last = yield* watchOf(quiet)
      const asked = { now: noon, perKey: 9, limit: 3 }
      const plan = yield* transaction(sql)(
        Effect.zipRight(
          sql.unsafe(PgWatchStore.lockQueues({ ...asked, waits: false })),
          sql.unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN (ANALYZE) ${PgWatchStore.selectDue(asked)}`)
        )
      )
      const claims = yield* claim(3)
      yield* unbounded(sql`DELETE FROM watch WHERE key_id = ${busy}`)
      assert.deepStrictEqual(claims, [
        `wat_${"100000".padStart(26, "0")}` as Id.WatchId,
        last.id,
        `wat_${"99999".padStart(26, "0")}` as Id.WatchId
      ])
      const read = plan.flatMap((row) =>
        [...row["QUERY PLAN"].matchAll(/actual time=\S+ rows=(\d+)/g)].map(([, rows]) => rows)
      )
      assert.isAtLeast(read.length, 5)
      assert.isAtMost(Math.max(...read.map(Number)), 6)
    }).pipe(Effect.provide(over))
  )

  it.live("runs of many keys that end at once, some of which somebody holds, all end, each with its own count", () =>
    Effect.gen(function* () {
      const store = yield* WatchStore.WatchStore
      const sql = yield* SqlClient
      const keys = yield* Effect.replicateEffect(Id.make("key"), 6)
      yield* Effect.forEach(keys, (key) => Effect.replicateEffect(watchOf(key), 4))
      const claims = yield* claimed(24)
      assert.lengthOf(claims, 24)
      const held = `SELECT FROM watch_queue WHERE key_id = '${keys[0]}' FOR UPDATE`
      const waiting = yield* holding(held)(
        Effect.gen(function* () {
          const ends = yield* Effect.forEach(claims, (claim) =>
            Effect.fork(
              store.finishRun(claim.run.id, claim.token, (watch) => ({
                run: { ...claim.run, status: "succeeded", finished_at: Timestamp.fromMillis(noon) },
                memory: watch.memory,
                events: []
              }))
            )
          )
          const others = ends.filter((_, index) => claims[index]?.watch.keyId !== keys[0])
          assert.isTrue((yield* Effect.forEach(others, Fiber.join)).every(Boolean))
          return ends
        })
      )
      assert.isTrue((yield* Effect.forEach(waiting, Fiber.join)).every(Boolean))
      const rows = yield* sql<{ readonly wrong: number }>`
        SELECT count(*) AS wrong FROM watch_queue
        WHERE key_id IN (SELECT jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb))
          AND (running <> 0 OR due_at IS DISTINCT FROM (
            SELECT min(next_due_at) FROM watch WHERE key_id = watch_queue.key_id))`
      assert.strictEqual(rows[0]?.wrong, 0)
      assert.deepStrictEqual(
        (yield* Effect.forEach(claims, ({ watch }) => store.find(watch.keyId, watch.id))).map((found) =>
          Option.map(found, ({ live, revision }) => [live, revision])
        ),
        claims.map(() => Option.some([Option.none(), 3]))
      )
    }).pipe(Effect.provide(over))
  )

  it.live("the log of a key has no gap and no event twice, whoever appends, and its order is that of the commits", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      const keys = yield* Effect.replicateEffect(Id.make("key"), 3)
      const events = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, index) => keys[index % 3] ?? keys[0]),
        (keyId) =>
          Effect.map(Id.make("evt"), (id) => ({
            id,
            keyId: keyId ?? (`key_${"0".repeat(26)}` as Id.KeyId),
            timestamp: Timestamp.fromMillis(noon),
            body: { type: "quota.threshold" as const, data: { day: "2026-11-21", daily_quota: 50, used: 40 } },
            only: null
          }))
      )
      const batches = Array.from({ length: 20 }, (_, index) => events.slice(index * 2, index * 2 + 22))
      yield* Effect.forEach(batches, (batch) => store.append(batch.toReversed(), noon), concurrently)
      for (const key of keys) {
        const page = yield* store.read(key, { after: 0, types: [], watchId: Option.none(), limit: 99 })
        assert.deepStrictEqual(
          page._tag === "Events" ? page.events.map(({ sequence }) => sequence) : page,
          Array.from({ length: 20 }, (_, index) => index + 1)
        )
      }
    }).pipe(Effect.provide(over))
  )

  it.live("a base that is removed with its last check at the moment another one uses it is never missing", () =>
    Effect.gen(function* () {
      const store = yield* ExecutionStore.ExecutionStore
      const keyId = yield* Id.make("key")
      const watchId = Option.some(yield* Id.make("wat"))
      const hash = (text: string) => CanonicalJson.hash(text)
      const check = Effect.gen(function* () {
        const { running } = yield* begin(keyId, watchId)
        const evidence = Array.from(
          { length: 40 },
          (_, index): Evidence.Evidence => ({
            ...Documents.evidence(`token.claim-${index}`, "confirmed"),
            observation: {
              method: "eth_call",
              params_hash: hash(`parameters ${index}`),
              block_hash: hash(running.execution_id),
              answer_hash: hash(`answer ${index}`)
            }
          })
        )
        const result: AnalysisResult.AnalysisResult = { ...Documents.completed(running, noon + 5), evidence }
        assert.isTrue(yield* store.complete(running.execution_id, result, { known: {}, reported: {} }))
        return result
      })
      let before = [yield* check]
      for (let round = 0; round < 30; round++) {
        const ids = before.map(({ execution_id }) => execution_id)
        const [, ...after] = yield* Effect.all([store.remove(ids, noon), check, check, check], concurrently)
        for (const result of after)
          assert.deepStrictEqual(
            Option.map(yield* store.find(keyId, result.execution_id), (found) => found.result),
            Option.some(result)
          )
        before = after
      }
      const sql = yield* SqlClient
      const rows = yield* sql<{ readonly unused: number }>`
        SELECT count(*) AS unused FROM document
        WHERE NOT EXISTS (SELECT FROM execution WHERE document_id = document.id)`
      assert.isAtMost(rows[0]?.unused ?? 99, 1)
    }).pipe(Effect.provide(over))
  )
})
