import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ExecutionStore, Hex, Id, KeyStore } from "@assay/core"
import { Documents } from "@assay/core/testing"
import * as SqlEventStore from "@assay/storage-sql/SqlEventStore"
import * as SqlExecutionStore from "@assay/storage-sql/SqlExecutionStore"
import { selectByHash } from "@assay/storage-sql/SqlKeyStore"
import * as SqlWatchStore from "@assay/storage-sql/SqlWatchStore"
import { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import { afterAll, assert, describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import * as Migrations from "../src/Migrations.js"
import * as SqliteEventStore from "../src/SqliteEventStore.js"
import * as SqliteStorage from "../src/SqliteStorage.js"
import * as SqliteWatchStore from "../src/SqliteWatchStore.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-schema-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const client = (name: string) => SqliteStorage.layerClient({ filename: join(directory, `${name}.db`) })
const one = (rows: ReadonlyArray<object>) => Object.values(rows[0] ?? {})[0]

const plan = (statement: Statement<object>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [text, params] = statement.compile()
    const rows = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
    return rows.map(({ detail }) => detail)
  })

describe("the schema", () => {
  it.scoped("is what the snapshot says, after every migration", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const rows = yield* sql<{ readonly sql: string }>`
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY name`
      const text = rows.map((row) => `${row.sql.replace(/^ {4}/gm, "")};\n`).join("\n")
      yield* Effect.promise(() => expect(text).toMatchFileSnapshot("./schema.sql"))
    }).pipe(Effect.provide(client("snapshot")))
  )

  it.scoped("is made once: running the migrations again does nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const before = yield* sql`SELECT * FROM effect_sql_migrations`
      assert.lengthOf(before, Object.keys(Migrations.all).length)
      yield* Migrations.run
      assert.deepStrictEqual(yield* sql`SELECT * FROM effect_sql_migrations`, before)
    }).pipe(Effect.provide(client("again")))
  )

  it.scoped("survives a loss of power, lets readers beside a writer, and says whose file it is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      assert.strictEqual(one(yield* sql`PRAGMA synchronous`), 2)
      assert.strictEqual(one(yield* sql`PRAGMA journal_mode`), "wal")
      assert.strictEqual(one(yield* sql`PRAGMA foreign_keys`), 1)
      assert.strictEqual(one(yield* sql`PRAGMA busy_timeout`), 5)
      assert.strictEqual(one(yield* sql`PRAGMA application_id`), Buffer.from("ASSY").readUInt32BE())
    }).pipe(Effect.provide(client("pragmas")))
  )

  it.scoped("answers an authentication by one look-up in an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      assert.deepStrictEqual(yield* plan(selectByHash(sql, "0x00")), [
        "SEARCH api_key USING INDEX api_key_by_hash (hash=?)"
      ])
    }).pipe(Effect.provide(client("authentication")))
  )

  it.scoped("finds the previous execution, lists, expiries and unsettled units by an index, without sorting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const key = yield* Id.make("key")
      const before = yield* Id.make("exe")
      const plans = {
        previous: yield* plan(SqlExecutionStore.selectPrevious(sql, key, Documents.token(1), undefined)),
        earlier: yield* plan(SqlExecutionStore.selectPrevious(sql, key, Documents.token(1), before)),
        list: yield* plan(sql`SELECT id FROM execution WHERE key_id = ${key} ORDER BY seq DESC LIMIT 20`),
        expired: yield* plan(
          sql`SELECT seq FROM execution WHERE status = 'running' AND lease_until <= 1 ORDER BY lease_until LIMIT 9`
        ),
        bound: yield* plan(sql`SELECT key_id, name FROM idempotency_key WHERE bound_at < 1 ORDER BY bound_at LIMIT 9`),
        removed: yield* plan(sql`SELECT id FROM execution_removed WHERE removed_at < 1 ORDER BY removed_at LIMIT 9`),
        unsettled: yield* plan(
          sql`SELECT id FROM reservation WHERE state = 'reserved' AND reserved_at < 1 ORDER BY reserved_at LIMIT 9`
        )
      }
      assert.match(plans.previous.join(), /USING INDEX execution_previous \(key_id=\? AND chain_id=\? AND kind=\?/)
      assert.match(plans.earlier.join(), /USING INDEX execution_previous .* AND seq<\?\)/)
      assert.match(plans.list.join(), /USING INDEX execution_by_key|USING COVERING INDEX execution_by_key/)
      assert.match(plans.expired.join(), /INDEX execution_lease \(lease_until<\?\)/)
      assert.match(plans.bound.join(), /INDEX idempotency_key_age \(bound_at<\?\)/)
      assert.match(plans.removed.join(), /INDEX execution_removed_age \(removed_at<\?\)/)
      assert.match(plans.unsettled.join(), /INDEX reservation_unsettled \(reserved_at<\?\)/)
      assert.notMatch(JSON.stringify(plans), /SCAN|TEMP B-TREE/)
    }).pipe(Effect.provide(client("plans")))
  )

  it.scoped("finds the watch to claim next by indexes alone, whatever else waits", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const due = yield* plan(SqliteWatchStore.selectDue(sql, 1, 2))
      // A level is a number of running runs that occurs: as many rows as there are such numbers, none of a table.
      assert.deepStrictEqual(
        [...new Set(due)],
        [
          "SEARCH watch USING INDEX watch_waiting (key_id=? AND next_due_at>?)",
          "SCALAR SUBQUERY 6",
          "CO-ROUTINE level",
          "SETUP",
          "SEARCH watch_queue USING COVERING INDEX watch_queue_next",
          "RECURSIVE STEP",
          "SCAN level",
          "CORRELATED SCALAR SUBQUERY 2",
          "SEARCH watch_queue USING COVERING INDEX watch_queue_next (running>?)",
          "CORRELATED SCALAR SUBQUERY 4",
          "SEARCH watch_queue USING COVERING INDEX watch_queue_next (running=? AND due_at>? AND due_at<?)"
        ]
      )
    }).pipe(Effect.provide(client("due")))
  )

  it.scoped("finds runs, events and deliveries, and what is due or old of them, by an index, without sorting", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const key = yield* Id.make("key")
      const watch = yield* Id.make("wat")
      const webhook = yield* Id.make("whk")
      const page = { limit: 9, before: Option.none() }
      const before = { limit: 9, before: Option.some(yield* Id.make("run")) }
      const query = { after: 7, types: ["watch.changed"] as const, watchId: Option.some(watch), limit: 9 }
      const plans = {
        runs: yield* plan(SqlWatchStore.selectRuns(sql, key, watch, { changed: false }, page)),
        changed: yield* plan(SqlWatchStore.selectRuns(sql, key, watch, { changed: true }, before)),
        ended: yield* plan(SqlWatchStore.deleteEnded(sql, { changed: 0, before: 1, limit: 9 })),
        expired: yield* plan(SqlWatchStore.selectExpired(sql, 1, 9)),
        events: yield* plan(SqlEventStore.selectEvents(sql, key, query)),
        deliveries: yield* plan(SqlEventStore.selectDeliveries(sql, key, webhook, page)),
        delivery: yield* plan(SqliteEventStore.selectDelivery(sql, 1, 2)),
        old: yield* plan(sql`SELECT seq ${SqlEventStore.old(sql, 1, 9)}`)
      }
      assert.match(plans.runs.join(), /INDEX watch_run_by_watch \(watch_id=\?\)/)
      assert.match(plans.changed.join(), /INDEX watch_run_changed \(watch_id=\? AND seq<\?\)/)
      assert.match(plans.ended.join(), /INDEX watch_run_ended \(changed=\? AND ended_at>\? AND ended_at<\?\)/)
      assert.match(plans.expired.join(), /INDEX watch_run_lease \(lease_until<\?\)/)
      // All that run are wanted, and nothing else is looked at.
      const running = yield* plan(sql`SELECT lease_token FROM watch_run WHERE status = 'running'`)
      assert.match(running.join(), /INDEX watch_run_lease/)
      const held = yield* plan(SqlEventStore.selectHeld(sql))
      assert.match(held.join(), /INDEX delivery_held/)
      assert.match(plans.events.join(), /INDEX event_by_sequence \(key_id=\? AND sequence>\?\)/)
      assert.match(plans.deliveries.join(), /INDEX delivery_by_webhook \(webhook_id=\?\)/)
      assert.match(plans.delivery.join(), /INDEX delivery_pending \(webhook_id=\? AND due_at<\?\)/)
      assert.match(plans.delivery.join(), /INDEX webhook_due \(due_at>\? AND due_at<\?\)/)
      assert.match(plans.delivery.join(), /INDEX delivery_held \(webhook_id=\? AND due_at>\?\)/)
      assert.match(plans.old.join(), /INDEX event_age \(appended_at<\?\)/)
      assert.notMatch(JSON.stringify(plans), /SCAN|TEMP B-TREE/)
    }).pipe(Effect.provide(client("watch-plans")))
  )
})

describe("what cannot be done", () => {
  it.effect("is said without the file's name: a file that is no database", () =>
    Effect.gen(function* () {
      const filename = join(directory, "not-a-database.db")
      yield* Effect.sync(() => writeFileSync(filename, "something else entirely ".repeat(100)))
      const error = yield* Effect.flip(Effect.scoped(Layer.build(SqliteStorage.layer({ filename }))))
      assert.deepStrictEqual(
        [error.reason, error.operation, error.detail],
        [
          "unavailable",
          "SqliteStorage.layer",
          "The file is no SQLite database, or its header is damaged (SQLITE_NOTADB). Restore a backup."
        ]
      )
    })
  )

  it.effect("is said without the file's name: a directory that cannot be made", () =>
    Effect.gen(function* () {
      yield* Effect.sync(() => writeFileSync(join(directory, "file"), ""))
      const filename = join(directory, "file", "below", "assay.db")
      const error = yield* Effect.flip(Effect.scoped(Layer.build(SqliteStorage.layer({ filename }))))
      assert.strictEqual(error.reason, "unavailable")
      assert.notInclude(error.detail, directory)
    })
  )

  it.scoped("is corrupt where a stored row cannot be read, and says nothing of the row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const keys = yield* KeyStore.KeyStore
      const executions = yield* ExecutionStore.ExecutionStore
      const id = yield* Id.make("exe")
      const keyId = yield* Id.make("key")
      const hash = Schema.decodeSync(Hex.Hex)("0xabcdef")
      yield* keys.insert({
        id: keyId,
        hashVersion: 1,
        hash,
        hint: "asy_7Hq2…x9Kd",
        label: "private words",
        state: "active",
        dailyQuota: 50,
        createdAt: 0,
        expiresAt: Option.none(),
        lastUsedAt: Option.none(),
        source: Option.none(),
        former: Option.none(),
        plan: Option.none(),
        invitation: Option.none()
      })
      const running = Documents.running(id, Documents.token(1), 0)
      yield* executions.begin({ id, keyId, joinKey: id, slots: 1, lease: { token: id, until: 0 }, running })
      yield* sql`UPDATE api_key SET hash_version = 9`
      yield* sql`UPDATE execution SET document = '{"private":"words"}'`
      for (const read of [keys.findByHash(hash), keys.find(keyId), executions.find(keyId, id)]) {
        const error = yield* Effect.flip(
          Effect.asVoid<unknown, { readonly reason: string; readonly detail: string }, never>(read)
        )
        assert.deepStrictEqual([error.reason, error.detail], ["corrupt", "a stored row cannot be read"])
      }
      assert.deepStrictEqual(yield* executions.expireLeases(1, 10), [id], "the reaper needs no document")
    }).pipe(
      Effect.provide(
        Layer.provideMerge(SqliteStorage.layer({ filename: join(directory, "corrupt.db") }), client("corrupt"))
      )
    )
  )
})
