import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { ExecutionStore, Id, QuotaStore } from "@assay/core"
import { Documents } from "@assay/core/testing"
import { SqliteStorage } from "@assay/storage-sqlite"
import Database from "better-sqlite3"
import { Effect, Layer, ManagedRuntime } from "effect"
import { median } from "../scripts/quantiles.mjs"

const now = Date.UTC(2026, 10, 21, 12)
const day = "2026-11-21"
const keyId = "key_00000000000000000000000000"
const limit = 1e9

/** How many metered executions the SQLite store writes: main.mjs says what the figures mean. */
export const writes = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "3" },
      rounds: { type: "string", default: "3" },
      flight: { type: "string", default: "32" },
      directory: { type: "string", default: tmpdir() }
    }
  })
  const directory = mkdtempSync(join(values.directory, "assay-writes-"))
  const seconds = Number(values.seconds)
  const flight = Number(values.flight)
  const stores = {
    "together, 32 in flight": await store(join(directory, "group.db"), flight, undefined),
    "one each, 32 in flight": await store(join(directory, "each.db"), flight, 1),
    "together, 1 in flight": await store(join(directory, "alone.db"), 1, undefined),
    "better-sqlite3, one each": raw(join(directory, "raw.db"), 1),
    "better-sqlite3, 32 a commit": raw(join(directory, "raw-group.db"), 32)
  }
  const rates = Object.fromEntries(Object.keys(stores).map((name) => [name, []]))
  try {
    for (const { run } of Object.values(stores)) await run(1)
    // In turns, so that whatever else the machine does meanwhile meets all of them.
    for (let round = 0; round < Number(values.rounds); round++)
      for (const [name, { run }] of Object.entries(stores)) rates[name].push((await run(seconds)) / seconds)
    console.log(`writes: metered executions a second, four transactions each, synchronous=FULL\n`)
    const each = rates["one each, 32 in flight"]
    for (const [name, all] of Object.entries(rates))
      console.log(
        `${name.padEnd(30)}${median(all).toFixed(0).padStart(8)}   ${median(all.map((rate, round) => rate / each[round])).toFixed(2)} × one each`
      )
  } finally {
    for (const { close } of Object.values(stores)) await close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const store = async (filename, flight, writesPerCommit) => {
  const runtime = ManagedRuntime.make(
    Layer.provide(SqliteStorage.layer({ filename, writesPerCommit }), Layer.setTracerEnabled(false))
  )
  const write = Effect.gen(function* () {
    const quota = yield* QuotaStore.QuotaStore
    const executions = yield* ExecutionStore.ExecutionStore
    const id = yield* Id.make("exe")
    const running = Documents.running(id, Documents.token(1), now)
    const lease = { token: id, until: now + 60_000 }
    yield* executions.begin({ id, keyId, joinKey: id, slots: limit, lease, running })
    yield* quota.reserve({ id, keyId, kind: "token", buckets: [{ name: "key", limit }], now })
    yield* executions.complete(id, Documents.completed(running, now), { known: {}, reported: {} })
    yield* quota.settle(id, "committed", now)
  })
  await runtime.runtime()
  return {
    close: () => runtime.dispose(),
    run: (seconds) => {
      const end = performance.now() + seconds * 1000
      let done = 0
      const worker = Effect.gen(function* () {
        while (performance.now() < end) {
          yield* write
          done++
        }
      })
      return runtime.runPromise(
        Effect.as(
          Effect.all(
            Array.from({ length: flight }, () => worker),
            { concurrency: "unbounded" }
          ),
          undefined
        ).pipe(
          Effect.map(() => done),
          Effect.withTracerEnabled(false)
        )
      )
    }
  }
}

/** The same rows by prepared statements. */
const raw = (filename, size) => {
  const db = new Database(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.exec(`
    CREATE TABLE execution (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, key_id TEXT, status TEXT, lease_token TEXT,
      lease_until INTEGER, document TEXT);
    CREATE INDEX by_key ON execution (key_id, status);
    CREATE TABLE reservation (id TEXT PRIMARY KEY, key_id TEXT, day TEXT, state TEXT, settled_at INTEGER);
    CREATE TABLE bucket_day (bucket TEXT, day TEXT, taken INTEGER, PRIMARY KEY (bucket, day))`)
  const begin = db.prepare("INSERT INTO execution VALUES (NULL, ?, ?, 'running', ?, ?, ?)")
  const reserve = db.prepare("INSERT INTO reservation VALUES (?, ?, ?, 'reserved', NULL)")
  const take = db.prepare(
    "INSERT INTO bucket_day VALUES ('key', ?, 1) ON CONFLICT DO UPDATE SET taken = taken + 1 WHERE taken < ?"
  )
  const complete = db.prepare(
    "UPDATE execution SET status = 'complete', document = ? WHERE id = ? AND lease_token = ? AND status = 'running'"
  )
  const settle = db.prepare(
    "UPDATE reservation SET state = 'committed', settled_at = ? WHERE id = ? AND state = 'reserved'"
  )
  const steps = [
    ({ id, running }) => begin.run(id, keyId, id, now, JSON.stringify(running)),
    ({ id }) => {
      reserve.run(id, keyId, day)
      take.run(day, limit)
    },
    ({ id, running }) => complete.run(JSON.stringify(Documents.completed(running, now)), id, id),
    ({ id }) => settle.run(now, id)
  ]
  const commit = db.transaction((step, all) => {
    for (const one of all) step(one)
  })
  return {
    close: () => db.close(),
    run: async (seconds) => {
      const end = performance.now() + seconds * 1000
      let done = 0
      while (performance.now() < end) {
        const all = []
        for (let index = 0; index < size; index++) {
          const id = await Effect.runPromise(Id.make("exe"))
          all.push({ id, running: Documents.running(id, Documents.token(1), now) })
        }
        for (const step of steps) commit.immediate(step, all)
        done += size
      }
      return done
    }
  }
}
