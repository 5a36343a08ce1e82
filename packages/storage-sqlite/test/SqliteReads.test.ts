import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventStore, ExecutionStore, Id, KeyStore, QuotaStore, StorageVersion, WatchStore } from "@assay/core"
import { Documents } from "@assay/core/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option } from "effect"
import * as SqliteEventStore from "../src/SqliteEventStore.js"
import * as SqliteExecutionStore from "../src/SqliteExecutionStore.js"
import * as SqliteKeyStore from "../src/SqliteKeyStore.js"
import * as SqliteQuotaStore from "../src/SqliteQuotaStore.js"
import * as SqliteReads from "../src/SqliteReads.js"
import * as SqliteStorage from "../src/SqliteStorage.js"
import * as SqliteWatchStore from "../src/SqliteWatchStore.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-reads-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const client = (name: string) => SqliteStorage.layerClient({ filename: join(directory, `${name}.db`) })
const forget = (sql: SqlClient) => sql`DELETE FROM idempotency_key`
const insert = (sql: SqlClient, name: string) =>
  sql`INSERT INTO idempotency_key (key_id, name, fingerprint, execution_id, bound_at) VALUES ('a', ${name}, 'b', 'c', 1)`

/** A row of a key in each table that its documents are made of. */
const rowsOf = (key: Id.KeyId) => {
  const target = { kind: "token", address: "0x", chain_id: 1, chain_name: "ethereum" }
  return {
    api_key: {
      ...{ id: key, hash_version: 1, hash: "0x", hint: "", label: "", state: "active" },
      ...{ daily_quota: 50, created_at: 1 }
    },
    reservation: {
      ...{ id: "exe_1", key_id: key, day: "2026-11-26", kind: "token", state: "reserved" },
      ...{ reserved_at: 1, buckets: "[]" }
    },
    watch: {
      ...{ id: "wat_1", key_id: key, ...target, label: "", options: "{}", created_at: 1, updated_at: 1 },
      ...{ memory: "{}", state: "active", failing: 0, revision: 1 }
    },
    webhook: {
      ...{ id: "whk_1", key_id: key, state: "enabled", document: "{}", secrets: "[]", failures: 0, warned: 0 }
    },
    execution: {
      ...{ id: "exe_1", key_id: key, join_key: "", lease_until: 1, ...target, status: "running", created_at: 1 },
      ...{ document: "{}", known: "{}" }
    }
  }
}

const stores = Layer.mergeAll(
  SqliteExecutionStore.layer,
  SqliteKeyStore.layer,
  SqliteQuotaStore.layer,
  SqliteWatchStore.layer,
  SqliteEventStore.layer
)

/** Every method of a store that only reads, called for what is not there. */
const readsOfStores = Effect.gen(function* () {
  const executions = yield* ExecutionStore.ExecutionStore
  const keys = yield* KeyStore.KeyStore
  const quota = yield* QuotaStore.QuotaStore
  const watches = yield* WatchStore.WatchStore
  const events = yield* EventStore.EventStore
  const [key, execution] = [yield* Id.make("key"), yield* Id.make("exe")]
  const [watch, webhook] = [yield* Id.make("wat"), yield* Id.make("whk")]
  const none = Option.none()
  const page = { limit: 1, before: none }
  const filter = { state: none, kind: none, address: none, failing: none }
  const target = Documents.token(1)
  const reads: { [method: string]: Effect.Effect<unknown, unknown> } = {
    "executions.find": executions.find(key, execution),
    "executions.document": executions.document(key, execution),
    "executions.contentHash": executions.contentHash(key, execution),
    "executions.previous": executions.previous(key, target),
    "executions.list": executions.list(key, { ...filter, chainId: none, watchId: none, since: none }, page),
    "executions.running": executions.running,
    "executions.lease": executions.lease(execution),
    "executions.status": executions.status(execution),
    "executions.endedBefore": executions.endedBefore(1, 1),
    "executions.isRemoved": executions.isRemoved(key, execution),
    "executions.bound": executions.bound({ after: 0, keyId: key, name: "a" }),
    "keys.findByHash": keys.findByHash("0x00"),
    "keys.find": keys.find(key),
    "keys.list": keys.list(page),
    "quota.count": quota.count(key, "2026-11-26"),
    "quota.unsettled": quota.unsettled(1, 1),
    "watches.find": watches.find(key, watch),
    "watches.list": watches.list(key, filter, page),
    "watches.count": watches.count(key),
    "watches.expired": watches.expired(1, 1),
    "watches.tokens": watches.tokens,
    "watches.claims": watches.claims(["a"]),
    "watches.runs": watches.runs(key, watch, { changed: false }, page),
    "watches.nextDueAt": watches.nextDueAt,
    "watches.outbox": watches.outbox(1),
    "events.read": events.read(key, { after: 0, types: [], watchId: none, limit: 1 }),
    "events.newest": events.newest([key]),
    "events.webhooks": events.webhooks(key),
    "events.deliveries": events.deliveries(key, webhook, page),
    "events.heldDeliveries": events.heldDeliveries,
    "events.nextDeliveryAt": events.nextDeliveryAt
  }
  return reads
})

describe("SqliteReads", () => {
  it.scoped("the version differs after each commit of this connection and of another one, and after nothing else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { current } = yield* StorageVersion.StorageVersion
      const other = Context.get(yield* Layer.build(client("version")), SqlClient)
      const versions = [current()]
      for (const commit of [insert(sql, "1"), insert(other, "2"), sql.withTransaction(insert(sql, "3"))]) {
        yield* commit
        versions.push(current())
        yield* sql`SELECT * FROM idempotency_key`
        yield* Effect.exit(sql.withTransaction(Effect.zipRight(insert(sql, "4"), Effect.fail("it is rolled back"))))
        assert.deepStrictEqual(current(), versions.at(-1))
      }
      assert.isTrue(versions.every(Option.isSome))
      assert.strictEqual(new Set(versions.map(Option.getOrNull)).size, 4)
    }).pipe(Effect.provide(client("version")))
  )

  it.scoped("the version of a key rises with each change that is shown to it, and with nothing else", () =>
    Effect.gen(function* () {
      const here = yield* SqlClient
      const elsewhere = Context.get(yield* Layer.build(client("key")), SqlClient)
      const { ofKey } = yield* StorageVersion.StorageVersion
      const key = yield* Id.make("key")
      const other = yield* Id.make("key")
      const versionOf = (id: Id.KeyId) => Option.getOrThrow(ofKey(id))
      const rises = (commit: Effect.Effect<unknown, SqlError>) =>
        Effect.gen(function* () {
          const before = versionOf(key)
          yield* commit
          return versionOf(key) > before
        })
      assert.deepStrictEqual([versionOf(key), versionOf(other)], [0, 0])

      const uncounted: { [table: string]: ReadonlyArray<string> } = {}
      for (const [table, row] of Object.entries(rowsOf(key))) {
        assert.isTrue(yield* rises(here`INSERT INTO ${here(table)} ${here.insert(row)}`), `${table}: a new row`)
        const columns = yield* here<{ readonly name: string }>`SELECT name FROM pragma_table_info(${table})`
        const silent: Array<string> = []
        for (const { name } of columns) {
          const change = (sql: SqlClient) => sql`UPDATE ${sql(table)} SET ${sql(name)} = ${sql(name)}`
          const [byUs, byOthers] = [yield* rises(change(here)), yield* rises(change(elsewhere))]
          assert.strictEqual(byUs, byOthers)
          if (!byUs) silent.push(name)
        }
        uncounted[table] = silent
      }
      // What is never changed, or is not shown. A new column has to be counted (a migration) or be named here.
      assert.deepStrictEqual(uncounted, {
        api_key: ["id", "created_at", "last_used_at", "invitation_id", "invitation_request"],
        reservation: ["id", "key_id", "reserved_at", "settled_at", "buckets"],
        watch: ["seq", "id", "key_id", "kind", "address", "chain_id", "chain_name", "created_at", "asked_at"],
        webhook: ["seq", "id", "key_id", "secrets", "failures", "warned", "due_at"],
        execution: [
          ...["seq", "id", "key_id", "watch_id", "join_key", "lease_token", "lease_until", "kind", "address"],
          ...["chain_id", "chain_name", "created_at", "completed_at", "score", "level", "known", "reported"]
        ]
      })
      assert.isFalse(yield* rises(insert(here, "another table")))
      const rolledBack = here.withTransaction(Effect.zipRight(here`DELETE FROM watch`, Effect.fail("no")))
      assert.isFalse(yield* rises(Effect.ignore(rolledBack)))
      for (const table of Object.keys(rowsOf(key)))
        assert.isTrue(yield* rises(elsewhere`DELETE FROM ${elsewhere(table)}`), `${table}: a removed row`)
      assert.strictEqual(versionOf(other), 0)
    }).pipe(Effect.provide(client("key")))
  )

  it.scoped("reads what was committed beside a transaction, and cannot write", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { rows } = yield* SqliteReads.SqliteReads
      const names = rows(sql`SELECT name FROM idempotency_key WHERE key_id = ${"a"} ORDER BY name`)
      yield* insert(sql, "before")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* insert(sql, "inside")
          assert.deepStrictEqual(yield* names, [{ name: "before" }])
        })
      )
      assert.deepStrictEqual(yield* names, [{ name: "before" }, { name: "inside" }])
      assert.isTrue(Exit.isFailure(yield* Effect.exit(rows(forget(sql)))))
      assert.lengthOf(yield* names, 2)
    }).pipe(Effect.provide(client("beside")))
  )

  it.scoped("no store method that only reads waits for a transaction, or sees what is not committed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const reads = yield* readsOfStores
      const failing = Effect.map(
        Effect.forEach(Object.entries(reads), ([method, read]) =>
          Effect.map(Effect.exit(read), (exit) => (Exit.isSuccess(exit) ? [] : [method]))
        ),
        (methods) => methods.flat()
      )
      const tables = yield* sql<{ readonly name: string }>`
        SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
      const within = Effect.gen(function* () {
        // What read on the connection of the transaction would find no table.
        for (const { name } of tables) yield* sql`DROP TABLE ${sql(name)}`
        return yield* Effect.fail(yield* failing)
      })
      assert.deepStrictEqual(yield* Effect.flip(sql.withTransaction(within)), [])
      assert.deepStrictEqual(yield* failing, [])
    }).pipe(Effect.provide(Layer.provideMerge(stores, client("stores"))))
  )

  it.effect("leaves the log of the database to the connection that writes, which removes it when it closes", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(
        Effect.flatMap(Layer.build(client("closed")), (context) => {
          const sql = Context.get(context, SqlClient)
          return Effect.zipRight(insert(sql, "1"), Context.get(context, SqliteReads.SqliteReads).rows(sql`SELECT 1`))
        })
      )
      const log = join(directory, "closed.db-wal")
      assert.isTrue(!existsSync(log) || statSync(log).size === 0)
    })
  )

  it.scoped("a database in memory is read by its only connection and has no version", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { rows } = yield* SqliteReads.SqliteReads
      const { current, ofKey } = yield* StorageVersion.StorageVersion
      yield* insert(sql, "1")
      assert.deepStrictEqual(yield* rows(sql`SELECT name FROM idempotency_key`), [{ name: "1" }])
      assert.deepStrictEqual([current(), ofKey(yield* Id.make("key"))], [Option.none(), Option.none()])
    }).pipe(Effect.provide(SqliteStorage.layerClient({ filename: ":memory:" })))
  )
})
