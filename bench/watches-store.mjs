import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { EventStore, Id, Timestamp, Watch, WatchStore } from "@assay/core"
import { SqliteStorage, SqliteWatchStore } from "@assay/storage-sqlite"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { median } from "../scripts/quantiles.mjs"
import { begin, ending, memory, noon, slots } from "./watch-runs.mjs"

const hour = 3_600_000

/** What it costs to claim a watch and to finish its run, and to append an event: main.mjs says what the figures mean. */
export const watchesStore = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      sizes: { type: "string", default: "1000,10000,100000,1000000" },
      keys: { type: "string", default: "200" },
      runs: { type: "string", default: "400" },
      directory: { type: "string", default: tmpdir() }
    }
  })
  const directory = mkdtempSync(join(values.directory, "assay-bench-"))
  const stores = []
  try {
    for (const size of values.sizes.split(",").map(Number))
      stores.push(await filled(join(directory, `${size}.db`), size, Number(values.keys)))
    const runs = Number(values.runs)
    // In turns, so that whatever else the machine does meanwhile meets all of them.
    for (let turn = 0; turn < 10; turn++)
      for (const store of stores) await store.runtime.runPromise(measure(store.figures, runs / 10, turn > 0))
    print(stores)
    const events = join(directory, "events.db")
    const runtime = ManagedRuntime.make(SqliteStorage.layer({ filename: events }))
    for (const webhooks of [0, 5]) await runtime.runPromise(append(webhooks, runs))
    await runtime.dispose()
  } finally {
    for (const { runtime } of stores) await runtime.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A database with so many watches, half of which are due, in an order that is not theirs. */
const filled = async (filename, size, keys) => {
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(SqliteWatchStore.layer, SqliteStorage.layerClient({ filename }))
  )
  await runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`
        WITH RECURSIVE number (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ${size}),
        due (n, at) AS (SELECT n, ${noon - hour} + n * 2654435761 % ${2 * hour} FROM number)
        INSERT INTO watch (id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at,
          memory, state, failing, next_due_at, revision)
        SELECT 'wat_' || printf('%026d', n), 'key_' || printf('%026d', n % ${keys}), 'token',
          '0x' || printf('%040d', n), 1, 'ethereum', 'watch ' || n, ${JSON.stringify(Watch.defaultOptions)},
          ${noon}, ${noon}, json_set(${memory}, '$.nextDueAt', at), 'active', 0, at, 1
        FROM due`
      yield* sql`
        INSERT INTO watch_queue (key_id, running, due_at) SELECT key_id, 0, min(next_due_at) FROM watch GROUP BY key_id`
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    })
  )
  return { size, runtime, bytes: statSync(filename).size, figures: { claim: [], finish: [], batch: [], idle: [] } }
}

const measure = (figures, runs, kept) =>
  Effect.gen(function* () {
    const store = yield* WatchStore.WatchStore
    const claim = (count, now) =>
      Effect.flatMap(slots(count), (made) =>
        timed(store.claimDue({ now, until: now + 120_000, slots: made, perKey: 2, begin }))
      )
    const note = (name, value) => kept && figures[name].push(value)
    for (let run = 0; run < runs; run++) {
      const [claims, took] = yield* claim(1, noon)
      if (claims.length !== 1) throw new Error("nothing was due")
      note("claim", took)
      const [, finished] = yield* timed(store.finishRun(claims[0].run.id, claims[0].token, ending(claims[0])))
      note("finish", finished)
      if (run % 10 > 0) continue
      const [batch, batched] = yield* claim(16, noon)
      note("batch", batched / batch.length)
      for (const claimed of batch) yield* store.finishRun(claimed.run.id, claimed.token, ending(claimed))
      const [, idle] = yield* claim(16, noon - 2 * hour)
      note("idle", idle)
    }
  })

const append = (webhooks, runs) =>
  Effect.gen(function* () {
    const store = yield* EventStore.EventStore
    const keyId = yield* Id.make("key")
    for (let index = 0; index < webhooks; index++)
      yield* store.addWebhook(
        {
          keyId,
          webhook: {
            id: yield* Id.make("whk"),
            url: "https://example.com/hook",
            label: null,
            event_types: ["quota.threshold"],
            watch_ids: null,
            min_severity: null,
            state: "enabled",
            disabled_reason: null,
            failing_since: null,
            last_success_at: null,
            created_at: Timestamp.fromMillis(noon)
          },
          secrets: [{ secret: "whsec_", until: Option.none() }],
          failures: 0,
          warned: false
        },
        webhooks
      )
    const times = []
    for (let run = 0; run < runs; run++) {
      const event = {
        id: yield* Id.make("evt"),
        keyId,
        timestamp: Timestamp.fromMillis(noon),
        body: { type: "quota.threshold", data: { day: "2026-11-21", daily_quota: 50, used: 40 } },
        only: null
      }
      const [, took] = yield* timed(store.append([event], noon + run))
      times.push(took)
    }
    console.log(`append of one event with ${webhooks} webhooks   ${micros(median(times))} µs`)
  })

const timed = (effect) =>
  Effect.suspend(() => {
    const start = process.hrtime.bigint()
    return Effect.map(effect, (value) => [value, Number(process.hrtime.bigint() - start) / 1000])
  })
const micros = (value) => value.toFixed(0).padStart(6)

const print = (stores) => {
  const [first] = stores
  const names = ["claim", "finish", "both", "batch", "idle"]
  const of = ({ figures }, name) =>
    name === "both" ? median(figures.claim.map((took, index) => took + figures.finish[index])) : median(figures[name])
  console.log(`watches    file MB   ${names.map((name) => `${name} µs (ratio)`.padStart(19)).join("")}`)
  for (const store of stores)
    console.log(
      `${String(store.size).padEnd(10)} ${(store.bytes / 1e6).toFixed(0).padStart(7)}   ${names
        .map((name) => `${micros(of(store, name))} (${(of(store, name) / of(first, name)).toFixed(2)})`.padStart(19))
        .join("")}`
    )
}
