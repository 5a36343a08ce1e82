import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { EventStore, ExecutionStore, QuotaStore, Retention, Timestamp, Watch, WatchRows, WatchStore } from "@assay/core"
import { PgStorage } from "@assay/storage-postgres"
import { SqliteStorage } from "@assay/storage-sqlite"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { postgres } from "../scripts/postgres.mjs"
import { median } from "../scripts/quantiles.mjs"
import { begin, ending, idOf, memory, noon, slots } from "./watch-runs.mjs"

const day = 86_400_000
const { defaults } = Retention

/** What a year of watches leaves in a database, and what the work of a day costs beside it: main.mjs says how. */
export const year = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      watches: { type: "string", default: "100000" },
      factor: { type: "string", default: "100" },
      checks: { type: "string", default: "1" },
      store: { type: "string", multiple: true, default: ["sqlite", "postgres"] },
      directory: { type: "string", default: tmpdir() }
    }
  })
  const factor = Number(values.factor)
  const watches = Math.max(50, Math.round(Number(values.watches) / factor))
  const checks = Number(values.checks)
  console.log(
    `year: ${values.watches} watches, ${checks} check(s) a day each, scaled by 1/${factor}: ${watches} watches of ${watches / 50} keys`
  )
  for (const name of values.store)
    await stores[name](values.directory, (layer, sql) => measure(name, layer, sql, { watches, checks, factor }))
}

/** How each kind of database is made, and writes a series, an id, a day and bytes in SQL. */
const stores = {
  sqlite: async (under, use) => {
    const directory = mkdtempSync(join(under, "assay-bench-"))
    const filename = join(directory, "year.db")
    try {
      await use(Layer.provideMerge(SqliteStorage.layer({ filename }), SqliteStorage.layerClient({ filename })), {
        series: (from, to) =>
          `WITH RECURSIVE number (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM number WHERE n + 1 < ${to})`,
        id: (prefix, number) => `'${prefix}_' || printf('%026d', ${number})`,
        address: (number) => `'0x' || printf('%040d', ${number})`,
        day: (millis) => `date((${millis}) / 1000, 'unixepoch')`,
        bytes: (count) => `randomblob(${count})`,
        bytesUsed: `SELECT (page_count - freelist_count) * page_size AS bytes
          FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
        settled: ["ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"]
      })
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  },
  postgres: async (under, use) => {
    const server = await postgres(under)
    try {
      const url = Redacted.make(await server.database("assay_year"))
      await use(
        Layer.provideMerge(PgStorage.layer({ url, connections: 4 }), PgStorage.layerClient({ url, connections: 2 })),
        {
          series: (from, to) => `WITH number (n) AS (SELECT generate_series(${from}, ${to} - 1)::bigint)`,
          id: (prefix, number) => `'${prefix}_' || lpad((${number})::text, 26, '0')`,
          address: (number) => `'0x' || lpad((${number})::text, 40, '0')`,
          day: (millis) => `to_char(to_timestamp((${millis}) / 1000) AT TIME ZONE 'utc', 'YYYY-MM-DD')`,
          bytes: (count) => `decode(repeat(md5(n::text), ${Math.ceil(count / 16)}), 'hex')`,
          bytesUsed: "SELECT pg_database_size(current_database()) AS bytes",
          settled: [...tables, "api_key", "document", "watch_queue"].map((table) => `VACUUM ANALYZE ${table}`)
        }
      )
    } finally {
      await server.close()
    }
  }
}

const measure = async (name, layer, dialect, { checks, factor, watches }) => {
  const runtime = ManagedRuntime.make(layer)
  try {
    const rows = await runtime.runPromise(fill(dialect, watches, checks))
    const bytes = Number((await runtime.runPromise(one(dialect.bytesUsed))).bytes)
    console.log(`\n${name}: ${(bytes / 1e6).toFixed(0)} MB, × ${factor}: ${((bytes * factor) / 1e9).toFixed(0)} GB`)
    console.log(
      `  rows: ${Object.entries(rows)
        .map(([table, count]) => `${table} ${count}`)
        .join(", ")}`
    )
    const figures = await runtime.runPromise(dayOfWork(watches))
    console.log("  store call              calls   median ms   slowest ms")
    for (const [call, times] of Object.entries(figures))
      console.log(
        `  ${call.padEnd(22)} ${String(times.length).padStart(6)}   ${millis(median(times))}   ${millis(Math.max(...times)).padStart(10)}`
      )
    const [slowest, times] = Object.entries(figures).sort(([, a], [, b]) => Math.max(...b) - Math.max(...a))[0]
    console.log(`  slowest: ${slowest}, ${millis(Math.max(...times)).trim()} ms`)
  } finally {
    await runtime.dispose()
  }
}

const millis = (value) => value.toFixed(2).padStart(9)

const one = (text) =>
  Effect.map(
    Effect.flatMap(SqlClient, (sql) => sql.unsafe(text)),
    ([row]) => row
  )

/** What a quiet check's patch takes, and the base of a watch's target, in bytes. One check in 500 finds a change. */
const [patchBytes, baseBytes, changing] = [900, 20_000, 500]

/**
 * The rows that are left of a year: of each day so many days ago one check of each watch, and of each table those that are
 * within their days, and one day more, which is past its days now.
 */
const fill = ({ address, bytes, day: dayText, id, series, settled }, watches, checks) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const perDay = watches * checks
    const watch = `n % ${watches}`
    const key = id("key", `(${watch}) / 50`)
    const at = `(${noon} - n / ${perDay} * ${day} - n % ${perDay} * ${Math.floor(day / 2 / perDay)})`
    // In parts: a statement of a server ends after ten seconds.
    const add = (table, columns, values, count, where = "true") =>
      Effect.iterate(count, {
        while: (to) => to > 0,
        body: (to) => {
          const from = Math.max(0, to - mostAtOnce)
          return Effect.as(
            sql.unsafe(
              `INSERT INTO ${table} (${columns}) ${series(from, to)} SELECT ${values} FROM number WHERE ${where} ORDER BY n DESC`
            ),
            from
          )
        }
      })
    const kept = (days) => perDay * (days + 1)
    const changes = `n % ${changing} = 0`
    const hash = `'0x' || ${id("k", "n")}`
    yield* add(
      "api_key",
      "id, hash_version, hash, hint, label, state, daily_quota, created_at, last_used_at",
      `${id("key", "n")}, 1, ${hash}, 'asy_', 'bench', 'active', 1000000, 0, ${noon}`,
      Math.ceil(watches / 50)
    )
    yield* add(
      "watch",
      `id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at, memory, state, failing,
        next_due_at, revision`,
      `${id("wat", "n")}, ${key}, 'token', ${address("n")}, 1, 'ethereum', '', '${JSON.stringify(Watch.defaultOptions)}',
        0, 0, '${memory}', 'active', 0, ${noon} - n, 1`,
      watches
    )
    yield* sql.unsafe(
      "INSERT INTO watch_queue (key_id, running, due_at) SELECT key_id, 0, min(next_due_at) FROM watch GROUP BY key_id"
    )
    yield* add("document", "hash, subject, body", `${bytes(32)}, ${id("d", "n")}, ${bytes(baseBytes)}`, watches)
    yield* add(
      "execution",
      `id, key_id, watch_id, join_key, lease_until, kind, address, chain_id, chain_name, status, created_at, completed_at,
        score, level, content_hash, document, known, reported, document_id, patch`,
      `${id("exe", "n")}, ${key}, ${id("wat", watch)}, '', 0, 'token', ${address(watch)}, 1, 'ethereum', 'complete', ${at},
        ${at}, 80, 'low', 'sha256:0', '', '', '', 1 + ${watch}, ${bytes(patchBytes)}`,
      kept(defaults.executionDays)
    )
    yield* add(
      "execution_removed",
      "id, key_id, removed_at",
      `${id("exe", `n + ${kept(defaults.executionDays)}`)}, ${key}, ${at}`,
      kept(365 - defaults.executionDays)
    )
    const run = "id, watch_id, execution_id, lease_token, lease_until, status, changed, ended_at, document"
    const runOf = (changed) =>
      `${id("run", "n")}, ${id("wat", watch)}, ${id("exe", "n")}, '', 0, 'succeeded', ${changed}, ${at}, '${runText}'`
    yield* add("watch_run", run, runOf(0), kept(defaults.unchangedRunDays), `NOT ${changes}`)
    yield* add("watch_run", run, runOf(1), kept(defaults.changedRunDays), changes)
    yield* add(
      "reservation",
      "id, key_id, day, kind, state, reserved_at, settled_at, buckets",
      `${id("exe", "n")}, ${key}, ${dayText(at)}, 'watch', 'committed', ${at}, ${at}, '["key"]'`,
      kept(defaults.ledgerDays + 1)
    )
    const days = defaults.ledgerDays + 2
    yield* add(
      "bucket_day",
      "bucket, day, taken",
      `'key:' || ${id("key", `n / ${days}`)}, ${dayText(`${noon} - n % ${days} * ${day}`)}, 0`,
      days * Math.ceil(watches / 50)
    )
    for (const text of settled) yield* sql.unsafe(text)
    const rows = {}
    for (const table of tables) rows[table] = Number((yield* one(`SELECT count(*) AS rows FROM ${table}`)).rows)
    return rows
  })

const tables = ["reservation", "execution_removed", "execution", "watch_run", "bucket_day", "watch"]
const mostAtOnce = 50_000

const runText = WatchRows.runText({
  id: idOf("run", 0),
  scheduled_for: Timestamp.fromMillis(noon),
  started_at: Timestamp.fromMillis(noon),
  finished_at: Timestamp.fromMillis(noon),
  trigger: "schedule",
  status: "succeeded",
  units: 1,
  execution_id: idOf("exe", 0),
  change_status: "unchanged",
  max_severity: null,
  error_code: null,
  error: null
})

/** Checks of all watches, with what else a key reads, and the removal of what is past its days since yesterday. */
const dayOfWork = (watches) =>
  Effect.gen(function* () {
    const store = yield* WatchStore.WatchStore
    const quota = yield* QuotaStore.QuotaStore
    const executions = yield* ExecutionStore.ExecutionStore
    const events = yield* EventStore.EventStore
    const figures = {}
    const timed = (name, effect) =>
      Effect.suspend(() => {
        const start = performance.now()
        return Effect.map(effect, (value) => {
          const times = figures[name] ?? []
          figures[name] = [...times, performance.now() - start]
          return value
        })
      })
    const filter = { kind: Option.none(), address: Option.none(), chainId: Option.none(), since: Option.none() }
    const page = { limit: 20, before: Option.none() }
    for (let done = 0; done < Math.min(watches, 1_000); ) {
      const request = { now: noon, until: noon + 120_000, slots: yield* slots(16), perKey: 2, begin }
      const claims = yield* timed("claim due (16)", store.claimDue(request))
      if (claims.length === 0) throw new Error("nothing was due")
      for (const claim of claims) {
        const { id, keyId } = claim.watch
        const buckets = [{ name: `key:${keyId}`, limit: 1_000_000 }]
        const unit = { id: claim.executionId, keyId, kind: "watch", buckets, now: noon }
        yield* timed("reserve", quota.reserve(unit))
        yield* timed("settle", quota.settle(claim.executionId, "committed", noon))
        yield* timed("finish a run", store.finishRun(claim.run.id, claim.token, ending(claim)))
        yield* timed("count of a day", quota.count(keyId, Timestamp.dayOf(noon)))
        yield* timed("list executions", executions.list(keyId, { ...filter, watchId: Option.none() }, page))
        yield* timed("… of a watch", executions.list(keyId, { ...filter, watchId: Option.some(id) }, page))
        yield* timed("list runs", store.runs(keyId, id, { changed: false }, page))
      }
      done += claims.length
    }
    const limit = defaults.batch
    const before = (days) => noon - days * day
    const each = (name, call) =>
      Effect.iterate(limit, { while: (last) => last >= limit, body: () => timed(name, call) })
    const runs = { unchangedBefore: before(defaults.unchangedRunDays), changedBefore: before(defaults.changedRunDays) }
    yield* each("prune runs (200)", store.prune({ ...runs, limit }))
    yield* each("prune events (200)", events.prune(before(defaults.eventDays), limit))
    yield* each(
      "prune executions (200)",
      Effect.gen(function* () {
        const ended = yield* executions.endedBefore(before(defaults.executionDays), limit)
        yield* executions.remove(
          ended.map(({ id }) => id),
          noon
        )
        return ended.length
      })
    )
    yield* each("forget executions (200)", executions.forget(before(defaults.removedDays), limit))
    const ledger = {
      settledBefore: Timestamp.dayOf(before(defaults.ledgerDays)),
      sumsBefore: Timestamp.dayOf(before(defaults.ledgerSumDays))
    }
    yield* each("prune units (200)", quota.prune({ ...ledger, limit }))
    return figures
  })
