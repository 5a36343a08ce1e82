import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventStore, ExecutionStore, KeyStore, WatchStore } from "@assay/core"
import { StorageSuite } from "@assay/core/testing"
import { PgStorage } from "@assay/storage-postgres"
import { SqliteStorage } from "@assay/storage-sqlite"
import { Effect, Layer, Option, Redacted } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { assay } from "./TestShell.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

TestPostgres.describeOn(database)("assay migrate", () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-migrate-"))
  const filename = join(folder, "assay.db")
  const url = database?.url ?? ""
  afterAll(() => rmSync(folder, { recursive: true }))

  const migrate = (...args: ReadonlyArray<string>) => assay(["migrate", "--from", filename, "--to", url, ...args])

  // What the guarantees of the stores leave behind is in every table.
  beforeAll(async () => {
    const { cases } = StorageSuite.suite("SQLite", SqliteStorage.layer({ filename }), { persistent: false })
    const wanted = /key|unit|reserv|check|watch|claim|event|deliver|endpoint|execution|idempot/
    for (const { effect, title } of cases.filter(({ title }, index) => wanted.test(title) && index % 3 === 0))
      await Effect.runPromise(Effect.catchAll(effect, (error) => Effect.die(new Error(`${title}: ${error}`))))
    await assay(["keys", "create", "my bot", "--database", filename])
  })

  /** What the stores answer about everything that can be listed. */
  const everything = Effect.gen(function* () {
    const stores = {
      keys: yield* KeyStore.KeyStore,
      executions: yield* ExecutionStore.ExecutionStore,
      watches: yield* WatchStore.WatchStore,
      events: yield* EventStore.EventStore
    }
    const { data: keys } = yield* stores.keys.list({ limit: 1000, before: Option.none() })
    return { keys, outbox: yield* stores.watches.outbox(1000), running: yield* stores.executions.running }
  })

  it("is refused while a process uses the file, and names no password", async () => {
    const refused = await Layer.build(SqliteStorage.layer({ filename })).pipe(
      Effect.zipRight(Effect.promise(() => migrate())),
      Effect.scoped,
      Effect.runPromise
    )
    assert.match(refused.errors, /^assay: a process uses ".*assay\.db"; [^\n]*\n$/)
    const away = await assay(["migrate", "--from", filename, "--to", "postgres://u:hunter2@127.0.0.1:1/d"])
    assert.match(away.errors, /^assay: the database cannot be used: The Postgres server cannot be reached[^\n]*\n$/)
    const file = await assay(["migrate", "--from", filename, "--to", filename])
    assert.match(file.errors, /--to takes postgres:/)
    for (const { code, errors } of [refused, away, file]) {
      assert.strictEqual(code, 1)
      assert.notInclude(errors, "hunter2")
    }
  })

  it("copies every table, compares both sides, and the stores answer the same afterwards", async () => {
    const { code, errors, output } = await migrate("--json")
    assert.strictEqual(errors, "")
    assert.strictEqual(code, 0)
    const { tables } = JSON.parse(output) as {
      readonly tables: ReadonlyArray<{ readonly table: string; readonly rows: number; readonly copied: number }>
    }
    const filled = tables.filter(({ rows }) => rows > 0).map(({ table }) => table)
    assert.includeMembers(filled, ["api_key", "event", "execution", "reservation", "watch", "watch_queue", "webhook"])
    for (const { copied, rows } of tables) assert.strictEqual(copied, rows)

    const [before, after] = await Promise.all([
      Effect.runPromise(Effect.provide(everything, SqliteStorage.layer({ filename }))),
      Effect.runPromise(Effect.provide(everything, PgStorage.layer({ url: Redacted.make(url) })))
    ])
    assert.isAbove(before.keys.length, 0)
    assert.deepStrictEqual(after, before)
    assert.match((await migrate()).output, /0 copied now[\s\S]*Set ASSAY_SECRETS_KEY .*assay\.db\.secrets-key/)
    // A server may use it now; then nothing more is copied.
    await assay(["keys", "create", "another", "--database", url])
    const again = await migrate()
    assert.match(again.errors, /the table api_key of the Postgres database has rows that are not from this file/)
    assert.strictEqual(again.code, 1)
  })
})
