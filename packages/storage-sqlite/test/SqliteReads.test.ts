import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StorageVersion } from "@assay/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option } from "effect"
import * as SqliteReads from "../src/SqliteReads.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-reads-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const client = (name: string) => SqliteStorage.layerClient({ filename: join(directory, `${name}.db`) })
const forget = (sql: SqlClient) => sql`DELETE FROM idempotency_key`
const insert = (sql: SqlClient, name: string) =>
  sql`INSERT INTO idempotency_key (key_id, name, fingerprint, execution_id, bound_at) VALUES ('a', ${name}, 'b', 'c', 1)`

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
      const { current } = yield* StorageVersion.StorageVersion
      yield* insert(sql, "1")
      assert.deepStrictEqual(yield* rows(sql`SELECT name FROM idempotency_key`), [{ name: "1" }])
      assert.deepStrictEqual(current(), Option.none())
    }).pipe(Effect.provide(SqliteStorage.layerClient({ filename: ":memory:" })))
  )
})
