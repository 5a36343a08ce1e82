import { KeyStore } from "@assay/core"
import type * as Hex from "@assay/core/domain/Hex"
import * as Id from "@assay/core/domain/Id"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as PgStorage from "../src/PgStorage.js"
import { lock, operation, transaction } from "../src/PgStore.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const options = { url: Redacted.make(database?.url ?? ""), connections: 1 }
const over = Layer.mergeAll(PgStorage.layer(options), PgStorage.layerClient(options))

const record = Effect.map(
  Id.make("key"),
  (id): KeyStore.KeyRecord => ({
    id,
    hashVersion: 1,
    hash: `0x${Buffer.from(id).toString("hex").padEnd(64, "0").slice(-64)}` as Hex.Hex,
    hint: "asy_test…test",
    label: "",
    state: "active",
    dailyQuota: 1,
    createdAt: 0,
    expiresAt: Option.none(),
    lastUsedAt: Option.none(),
    source: Option.none(),
    former: Option.none(),
    plan: Option.none(),
    invitation: Option.none()
  })
)

/** What a trigger does when an insert of a key commits. */
const atCommit = (what: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.acquireRelease(
      sql.unsafe(`
        CREATE FUNCTION at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${what}; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON api_key DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION at_commit()`),
      () => Effect.orDie(sql.unsafe("DROP TRIGGER at_commit ON api_key; DROP FUNCTION at_commit()"))
    )
  )

TestPostgres.describeOn(database)("a commit", () => {
  it.live("whose connection is lost is uncertain; its connection is not used again, and the same call is safe", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore.KeyStore
      const key = yield* record
      const error = yield* Effect.scoped(
        Effect.zipRight(atCommit("PERFORM pg_terminate_backend(pg_backend_pid())"), Effect.flip(keys.insert(key)))
      )
      assert.strictEqual(error.reason, "uncertain")
      assert.strictEqual(error.operation, "KeyStore.insert")
      yield* keys.insert(key)
      assert.deepStrictEqual(yield* keys.find(key.id), Option.some(key))
    }).pipe(Effect.provide(over))
  )

  it.live("that the server refuses changed nothing, and says so", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore.KeyStore
      const key = yield* record
      const error = yield* Effect.scoped(
        Effect.zipRight(atCommit("RAISE EXCEPTION 'no'"), Effect.flip(keys.insert(key)))
      )
      assert.strictEqual(error.reason, "unavailable")
      assert.deepStrictEqual(yield* keys.find(key.id), Option.none())
    }).pipe(Effect.provide(over))
  )
})

TestPostgres.describeOn(database)("a transaction", () => {
  const two = Layer.provide(Layer.effect(SqlClient, SqlClient), PgStorage.layerClient({ ...options, connections: 2 }))

  it.live("that is ended in favour of another one, because they wait for each other, is tried again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const here = yield* Effect.makeLatch()
      const there = yield* Effect.makeLatch()
      let runs = 0
      const both = (mine: string, other: string, opens: Effect.Latch, waits: Effect.Latch) =>
        Effect.gen(function* () {
          runs++
          yield* opens.open
          yield* waits.await
          yield* sql.unsafe(lock([other]))
          return mine
        }).pipe(transaction(sql, lock([mine])))
      assert.deepStrictEqual(
        yield* Effect.all([both("one", "two", here, there), both("two", "one", there, here)], {
          concurrency: "unbounded"
        }),
        ["one", "two"]
      )
      assert.strictEqual(runs, 3)
    }).pipe(Effect.provide(two))
  )

  it.live("waits for a lock five seconds, and then changed nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const error = yield* transaction(
        sql,
        lock(["held"])
      )(Effect.flip(operation("here")(transaction(sql, lock(["held"]))(Effect.void))))
      assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "55P03"])
    }).pipe(Effect.provide(two))
  )

  it.live("on a server that became read-only closes its connection, and is tried again on a new one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const pids: Array<unknown> = []
      yield* transaction(sql)(
        Effect.gen(function* () {
          pids.push((yield* sql`SELECT pg_backend_pid() AS pid`)[0]?.pid)
          if (pids.length === 1) yield* sql`SET TRANSACTION READ ONLY`
          yield* sql`CREATE TABLE written (id INTEGER)`
        })
      )
      assert.strictEqual(new Set(pids).size, 2)
    }).pipe(Effect.provide(Layer.provide(Layer.effect(SqlClient, SqlClient), PgStorage.layerClient(options))))
  )

  it.live("is given up when every connection is taken for longer than it waits for one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const error = yield* transaction(sql)(Effect.flip(operation("here")(transaction(sql)(Effect.void))))
      assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "no connection"])
    }).pipe(
      Effect.provide(
        Layer.provide(
          Layer.effect(SqlClient, SqlClient),
          PgStorage.layerClient({ ...options, connections: 1, connectTimeout: "300 millis" })
        )
      )
    )
  )
})
