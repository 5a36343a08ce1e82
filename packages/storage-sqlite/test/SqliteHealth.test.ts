import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Hex, Id, KeyStore, StorageHealth } from "@assay/core"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel, Option, Schema } from "effect"
import * as SqliteKeyStore from "../src/SqliteKeyStore.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-health-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const fileOf = (name: string): string => join(directory, `${name}.db`)

/** The keys of a database, with its client and its health beside them. */
const keysIn = (name: string) =>
  Layer.provideMerge(SqliteKeyStore.layer, SqliteStorage.layerClient({ filename: fileOf(name) })).pipe(
    Layer.merge(Logger.minimumLogLevel(LogLevel.None))
  )

const cause = Effect.flatMap(StorageHealth.StorageHealth, (health) => health.cause)

const insert = Effect.gen(function* () {
  const keys = yield* KeyStore.KeyStore
  const id = yield* Id.make("key")
  yield* keys.insert({
    id,
    hashVersion: 1,
    hash: Schema.decodeSync(Hex.Hex)(`0x${Buffer.from(id).toString("hex")}`),
    hint: "asy_7Hq2…x9Kd",
    label: "a label ".repeat(2_000),
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
  return id
})

/** Overwrites a part of the file, as a disk does that loses data. */
const overwrite = (name: string, at: number, bytes: number) =>
  Effect.sync(() => {
    const file = openSync(fileOf(name), "r+")
    writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, at)
    closeSync(file)
  })

/** Where the first page of a table or an index is. */
const placeOf = (name: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [found] = yield* sql<{ readonly at: number; readonly bytes: number }>`
      SELECT (rootpage - 1) * page_size AS at, page_size AS bytes FROM sqlite_schema, pragma_page_size
      WHERE name = ${name}`
    return found ?? assert.fail(`there is no ${name}`)
  })

const refusal = (name: string) =>
  Effect.flip(Effect.scoped(Layer.build(SqliteStorage.layer({ filename: fileOf(name) }))))

describe("a database that is opened", () => {
  for (const [what, place] of [
    ["a table", "SELECT of a row"],
    ["its schema", "the schema"]
  ] as const)
    it.effect(`is refused in one line where ${what} is damaged`, () =>
      Effect.gen(function* () {
        const name = `damaged ${place}`
        const { at, bytes } = yield* Effect.provide(Effect.zipRight(insert, placeOf("api_key")), keysIn(name))
        // The schema begins after the header of 100 bytes.
        yield* place === "the schema" ? overwrite(name, 100, 400) : overwrite(name, at, bytes)
        const error = yield* refusal(name)
        assert.deepStrictEqual(
          [error.reason, error.detail],
          ["unavailable", "The database is damaged (SQLITE_CORRUPT). Restore a backup."]
        )
      })
    )

  it.effect("is refused where its header is overwritten", () =>
    Effect.gen(function* () {
      yield* Effect.provide(insert, keysIn("header"))
      yield* overwrite("header", 0, 100)
      assert.strictEqual(
        (yield* refusal("header")).detail,
        "The file is no SQLite database, or its header is damaged (SQLITE_NOTADB). Restore a backup."
      )
    })
  )

  it.effect("is refused where it is another program's, and left as it is", () =>
    Effect.gen(function* () {
      const theirs = SqliteClient.layer({ filename: fileOf("theirs"), disableWAL: true })
      const tables = Effect.flatMap(SqlClient, (sql) => sql`SELECT name FROM sqlite_schema`)
      const mode = Effect.flatMap(SqlClient, (sql) => sql`PRAGMA journal_mode`)
      yield* Effect.provide(
        Effect.flatMap(SqlClient, (sql) =>
          Effect.zipRight(sql`PRAGMA application_id = 252006673`, sql`CREATE TABLE note (text TEXT)`)
        ),
        theirs
      )
      assert.strictEqual((yield* refusal("theirs")).detail, "The file is the database of another program.")
      assert.deepStrictEqual(yield* Effect.provide(tables, theirs), [{ name: "note" }])
      assert.deepStrictEqual(yield* Effect.provide(mode, theirs), [{ journal_mode: "delete" }])
    })
  )

  it.scoped("has nothing known against it", () =>
    Effect.gen(function* () {
      yield* insert
      assert.deepStrictEqual(yield* cause, Option.none())
    }).pipe(Effect.provide(keysIn("sound")))
  )
})

describe("a database in use", () => {
  it.scoped("is damaged until the next start once a statement says so", () =>
    Effect.gen(function* () {
      yield* Effect.provide(insert, keysIn("broken"))
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore.KeyStore
        const sql = yield* SqlClient
        const found = yield* placeOf("api_key_by_hash")
        assert.deepStrictEqual(yield* cause, Option.none())
        yield* overwrite("broken", found.at, found.bytes)
        yield* sql`PRAGMA shrink_memory`
        const error = yield* Effect.flip(keys.findByHash("0x00"))
        assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "SQLITE_CORRUPT"])
        const expected = Option.some("The database is damaged (SQLITE_CORRUPT). Restore a backup.")
        assert.deepStrictEqual(yield* cause, expected)
        // What does not touch the damage still works, and does not heal it.
        yield* keys.find(yield* Id.make("key"))
        assert.deepStrictEqual(yield* cause, expected)
      }).pipe(Effect.provide(keysIn("broken")))
    })
  )

  it.scoped("is full for as long as nothing can be written, and only what failed is lost", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const keys = yield* KeyStore.KeyStore
      const kept = yield* insert
      const [size] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
      yield* sql.unsafe(`PRAGMA max_page_count = ${(size?.page_count ?? 0) + 1}`)
      const error = yield* Effect.flip(insert)
      assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "SQLITE_FULL"])
      const full = Option.some("The disk is full (SQLITE_FULL).")
      assert.deepStrictEqual(yield* cause, full)
      assert.deepStrictEqual(yield* cause, full)
      assert.isTrue(Option.isSome(yield* keys.find(kept)))
      yield* sql.unsafe("PRAGMA max_page_count = 1000000")
      assert.deepStrictEqual(yield* cause, Option.none())
      assert.isTrue(Option.isSome(yield* keys.find(yield* insert)))
    }).pipe(Effect.provide(keysIn("full")))
  )
})
