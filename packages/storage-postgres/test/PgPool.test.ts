import { createServer, type Socket } from "node:net"
import { KeyStore } from "@assay/core"
import type * as Hex from "@assay/core/domain/Hex"
import * as Id from "@assay/core/domain/Id"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Redacted } from "effect"
import * as PgKeyStore from "../src/PgKeyStore.js"
import * as PgPool from "../src/PgPool.js"
import * as PgStorage from "../src/PgStorage.js"
import { operation, reading, statement, transaction } from "../src/PgStore.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const options = { url: Redacted.make(database?.url ?? ""), connections: 3 }

/** With limits that are over sooner than those of the package. */
const hasty = { ...options, connectTimeout: "1 second", silence: "1 second" } as const

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

const frozen = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.promise(async () => database?.freeze()),
    () => self,
    (thaw) => Effect.sync(() => thaw?.())
  )

TestPostgres.describeOn(database)("a server that does not answer", () => {
  it.live(
    "fails a read, makes a write uncertain, and keeps no connection: once it answers, every one is of use again",
    () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore.KeyStore
        const key = yield* record
        yield* keys.insert(key)
        const other = yield* record
        // As many as there are connections are open before, and more wait than there are.
        yield* Effect.all(
          Array.from({ length: 3 }, () => keys.find(key.id)),
          { concurrency: "unbounded" }
        )
        const { read, write } = yield* frozen(
          Effect.all(
            {
              read: Effect.flip(keys.find(key.id)),
              write: Effect.flip(keys.insert(other)),
              more: Effect.all(
                Array.from({ length: 6 }, () => Effect.flip(keys.find(key.id))),
                { concurrency: "unbounded" }
              )
            },
            { concurrency: "unbounded" }
          )
        )
        assert.deepStrictEqual([read.reason, read.detail], ["unavailable", "no answer"])
        assert.deepStrictEqual([write.reason, write.detail], ["uncertain", "no answer"])
        const found = yield* Effect.all(
          Array.from({ length: 12 }, () => keys.find(key.id)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          found,
          found.map(() => Option.some(key))
        )
        // The same call, repeated, answers as the first would have.
        yield* keys.insert(other)
        assert.deepStrictEqual(yield* keys.find(other.id), Option.some(other))
      }).pipe(
        Effect.provide(PgKeyStore.layer),
        Effect.provide(PgPool.layer(hasty)),
        Effect.provide(PgStorage.layerClient(options))
      ),
    60_000
  )

  it.live(
    "leaves an interrupted caller no connection that hangs",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* frozen(
          Effect.gen(function* () {
            const fibers = yield* Effect.forEach(Array.from({ length: 3 }), () =>
              Effect.fork(Effect.exit(transaction(sql)(sql`SELECT 1`)))
            )
            yield* Effect.sleep("200 millis")
            yield* Fiber.interruptAll(fibers)
          })
        )
        const answers = yield* Effect.all(
          Array.from({ length: 6 }, () => sql`SELECT 1 AS one`),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.flat().length, 6)
      }).pipe(Effect.provide(PgPool.layer(hasty))),
    60_000
  )

  it.live(
    "and takes no connection, as a host that is gone, is waited for once",
    () =>
      Effect.gen(function* () {
        const sockets = new Set<Socket>()
        const silent = createServer((socket) => sockets.add(socket.on("error", () => {})))
        const port = yield* Effect.async<number>((resume) => {
          silent.listen(0, "127.0.0.1", () => {
            const address = silent.address()
            resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
          })
        })
        const error = yield* Effect.flip(
          Layer.launch(
            PgStorage.layer({ url: Redacted.make(`postgres://assay@127.0.0.1:${port}/d`), connectTimeout: "1 second" })
          )
        )
        assert.match(error.detail, /cannot be reached/)
        assert.strictEqual(sockets.size, 1)
        for (const socket of sockets) socket.destroy()
        silent.close()
      }),
    60_000
  )
})

TestPostgres.describeOn(database)("a statement that takes too long", () => {
  const slow = Effect.flatMap(SqlClient, (sql) =>
    Effect.all(
      {
        read: Effect.flip(reading("read")(sql`SELECT pg_sleep(30)`)),
        write: Effect.flip(operation("write")(statement(sql)(sql`INSERT INTO slow SELECT 1 FROM pg_sleep(30)`))),
        transaction: Effect.flip(operation("write")(transaction(sql)(sql`INSERT INTO slow SELECT 2 FROM pg_sleep(30)`)))
      },
      { concurrency: "unbounded" }
    )
  )

  it.live(
    "is ended by the server after 10 s, which is certain: a read failed, and a write changed nothing",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE slow (id INTEGER)`
        const errors = yield* slow
        for (const error of Object.values(errors))
          assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "57014"])
        yield* Effect.sleep("500 millis")
        assert.deepStrictEqual(yield* sql`SELECT id FROM slow`, [])
        // Nothing of it goes on in the server.
        const running = yield* sql`
          SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()`
        assert.deepStrictEqual(running, [])
      }).pipe(Effect.provide(PgStorage.layerClient(options))),
    60_000
  )

  it.live(
    "may take as long as it takes where it copies or migrates",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`SELECT pg_sleep(2)`
        const [row] = yield* sql`SELECT current_setting('statement_timeout') AS limit`
        assert.strictEqual(row?.limit, "0")
      }).pipe(Effect.provide(PgPool.layerPatient(hasty))),
    60_000
  )
})
