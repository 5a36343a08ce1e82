import { EventEmitter } from "node:events"
import { tmpdir } from "node:os"
import { parseArgs } from "node:util"
import { Id, QuotaStore, Watch, WatchStore } from "@assay/core"
import { PgStorage } from "@assay/storage-postgres"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { Logger, makeWorkerUtils, runTaskList } from "graphile-worker"
import pg from "pg"
import PgBoss from "pg-boss"
import { postgres } from "../scripts/postgres.mjs"
import { median } from "../scripts/quantiles.mjs"
import { begin, ending, idOf, memory, noon, slots } from "./watch-runs.mjs"

const hour = 3_600_000
const day = "2026-11-21"

/** What it costs to claim due watches in Postgres, to finish their runs and to reserve units: main.mjs says how. */
export const claims = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "3" },
      rounds: { type: "string", default: "3" },
      workers: { type: "string", default: "4" },
      batch: { type: "string", default: "16" },
      connections: { type: "string", default: "10" },
      jobs: { type: "string", default: "60000" },
      sizes: { type: "string", default: "1000,100000,1000000" },
      directory: { type: "string", default: tmpdir() }
    }
  })
  const server = await postgres(values.directory)
  const number = (name) => Number(values[name])
  try {
    console.log(`claims: Postgres ${server.version}, ${values.connections} connections each\n`)
    await rates(server, {
      seconds: number("seconds"),
      rounds: number("rounds"),
      workers: number("workers"),
      batch: number("batch"),
      connections: number("connections"),
      jobs: number("jobs")
    })
    await units(server, number("seconds"), number("rounds"), number("connections"))
    if (values.sizes !== "") await costs(server, values.sizes.split(",").map(Number))
  } finally {
    await server.close()
  }
}

/** Runs each in turns, so that whatever else the machine does meanwhile meets all of them; how many a second, by round. */
const inTurns = async (all, seconds, rounds) => {
  const found = Object.fromEntries(Object.keys(all).map((name) => [name, []]))
  for (const { fill, run } of Object.values(all)) {
    await fill?.()
    await run(1)
  }
  for (let round = 0; round < rounds; round++)
    for (const [name, { fill, run }] of Object.entries(all)) {
      await fill?.()
      const start = performance.now()
      const done = await run(seconds)
      found[name].push((done / (performance.now() - start)) * 1000)
    }
  return found
}

const rates = async (server, { batch, connections, jobs, rounds, seconds, workers }) => {
  const assay = await assayWatches(server, "assay_claims", { size: jobs, due: jobs, keys: 200, connections })
  const boss = await bossJobs(server, jobs, connections)
  const graphile = await graphileJobs(server, jobs, connections)
  try {
    for (const size of [batch, 1]) {
      const flight = size === 1 ? workers * batch : workers
      const found = await inTurns(
        {
          assay: { run: (time) => assay.run(time, flight, size) },
          "pg-boss": { fill: boss.fill, run: (time) => boss.run(time, flight, size) },
          "graphile-worker": { fill: graphile.fill, run: (time) => graphile.run(time, flight, size) }
        },
        seconds,
        rounds
      )
      const faster = found["pg-boss"].map((rate, round) => Math.max(rate, found["graphile-worker"][round]))
      console.log(`jobs claimed and finished a second, ${flight} workers, ${size} a claim`)
      for (const [name, all] of Object.entries(found))
        console.log(
          `  ${name.padEnd(20)}${median(all).toFixed(0).padStart(8)}   ${median(all.map((rate, round) => rate / faster[round])).toFixed(2)} × the faster queue`
        )
      console.log("")
    }
  } finally {
    for (const { close } of [assay, boss, graphile]) await close()
  }
}

const until = (seconds) => {
  const end = performance.now() + seconds * 1000
  return () => performance.now() < end
}

/** A database with so many watches, of which so many are due, in an order that is not theirs. */
const assayWatches = async (server, name, { connections, due, keys, size }) => {
  const url = await server.database(name)
  const runtime = ManagedRuntime.make(
    Layer.provide(PgStorage.layer({ url: Redacted.make(url), connections }), Layer.setTracerEnabled(false))
  )
  await runtime.runtime()
  const text = memory.replaceAll("'", "''").replace(/"nextDueAt":\d+/, '"nextDueAt":%s')
  await server.query(
    url,
    `INSERT INTO watch (id, key_id, kind, address, chain_id, chain_name, label, options, created_at, updated_at,
       memory, state, failing, next_due_at, revision)
     SELECT 'wat_' || lpad(n::text, 26, '0'), 'key_' || lpad((n % ${keys})::text, 26, '0'), 'token',
       '0x' || lpad(n::text, 40, '0'), 1, 'ethereum', 'watch ' || n, '${JSON.stringify(Watch.defaultOptions)}',
       ${noon}, ${noon}, format('${text}', at), 'active', 0, at, 1
     FROM (
       SELECT n, CASE WHEN n * 7919 % ${size} < ${due} THEN ${noon - hour} + n * 2654435761 % ${hour}
         ELSE ${noon + 2} + n * 2654435761 % ${hour} END AS at
       FROM generate_series(0::bigint, ${size - 1}) AS n
     ) AS numbered;
     INSERT INTO watch_queue (key_id, running, due_at) SELECT key_id, 0, min(next_due_at) FROM watch GROUP BY key_id;`
  )
  await server.query(url, "VACUUM ANALYZE")
  const claim = (store, count) =>
    Effect.flatMap(slots(count), (made) =>
      store.claimDue({ now: noon, until: noon + 120_000, slots: made, perKey: 2, begin })
    )
  return {
    size,
    runtime,
    claim,
    close: () => runtime.dispose(),
    run: (seconds, workers, size) => {
      const isTime = until(seconds)
      let done = 0
      const worker = Effect.gen(function* () {
        const store = yield* WatchStore.WatchStore
        while (isTime()) {
          const claimed = yield* claim(store, size)
          if (claimed.length === 0) throw new Error("nothing was due")
          yield* finish(store, claimed)
          done += claimed.length
        }
      })
      return runtime.runPromise(
        Effect.replicateEffect(worker, workers, { concurrency: "unbounded", discard: true }).pipe(
          Effect.map(() => done),
          Effect.withTracerEnabled(false)
        )
      )
    }
  }
}

const finish = (store, claimed) =>
  Effect.forEach(claimed, (claim) => store.finishRun(claim.run.id, claim.token, ending(claim)), {
    concurrency: "unbounded",
    discard: true
  })

/** As many jobs, each with what is remembered of a watch. Those that are done stay, as runs do. */
const bossJobs = async (server, jobs, connections) => {
  const url = await server.database("boss_claims")
  const boss = new PgBoss({ connectionString: url, max: connections, supervise: false, schedule: false })
  boss.on("error", (error) => {
    throw error
  })
  await boss.start()
  await boss.createQueue("checks")
  const data = JSON.parse(memory)
  let left = 0
  return {
    fill: async () => {
      if (left > jobs / 2) return
      for (; left < jobs; left += 1000)
        await boss.insert(Array.from({ length: 1000 }, () => ({ name: "checks", data })))
      await server.query(url, "VACUUM ANALYZE")
    },
    close: () => boss.stop({ graceful: false, wait: true }),
    run: async (seconds, workers, size) => {
      const isTime = until(seconds)
      let done = 0
      const worker = async () => {
        while (isTime()) {
          const found = await boss.fetch("checks", { batchSize: size })
          if (found.length === 0) throw new Error("no job was left")
          await boss.complete(
            "checks",
            found.map(({ id }) => id)
          )
          done += found.length
        }
      }
      await Promise.all(Array.from({ length: workers }, worker))
      left -= done
      return done
    }
  }
}

/** Jobs that are done are removed. Each pool takes a batch, runs it, and reports all ends together. */
const graphileJobs = async (server, jobs, connections) => {
  const url = await server.database("graphile_claims")
  const pool = new pg.Pool({ connectionString: url, max: connections })
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  const payload = JSON.parse(memory)
  let left = 0
  return {
    fill: async () => {
      if (left > jobs / 2) return
      for (; left < jobs; left += 1000)
        await utils.addJobs(Array.from({ length: 1000 }, () => ({ identifier: "check", payload })))
      await server.query(url, "VACUUM ANALYZE")
    },
    close: async () => {
      await utils.release()
      await pool.end()
    },
    run: async (seconds, workers, size) => {
      let done = 0
      const pools = Array.from({ length: size === 1 ? 1 : workers }, () =>
        runTaskList(
          {
            pgPool: pool,
            logger,
            events: new EventEmitter(),
            concurrency: size === 1 ? workers : size,
            noHandleSignals: true,
            pollInterval: 1000,
            preset: {
              worker: size === 1 ? {} : { localQueue: { size }, completeJobBatchDelay: 0 }
            }
          },
          {
            check: () => {
              done++
            }
          },
          pool
        )
      )
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      for (const each of pools) await each.gracefulShutdown()
      left -= done
      if (left <= 0) throw new Error("no job was left")
      return done
    }
  }
}

/** Units a second of 200 keys, 32 requested at once, beside one conditional statement by a driver of the same rule. */
const units = async (server, seconds, rounds, connections) => {
  const flight = 32
  const keys = Array.from({ length: 200 }, (_, index) => idOf("key", index))
  const url = await server.database("assay_units")
  const runtime = ManagedRuntime.make(
    Layer.provide(PgStorage.layer({ url: Redacted.make(url), connections }), Layer.setTracerEnabled(false))
  )
  await runtime.runtime()
  const pool = new pg.Pool({ connectionString: url, max: connections })
  const limit = 1_000_000_000
  // The same tables, other keys: the rows of today are there, as they are after the first unit of a day.
  await pool.query(
    `INSERT INTO bucket_day (bucket, day, taken)
     SELECT bucket, '${day}', 0 FROM unnest($1::text[]) AS bucket`,
    [keys.flatMap((key) => [`key:${key}`, `raw:${key}`])]
  )
  const reserve = `
    WITH taken AS (
      UPDATE bucket_day SET taken = taken + 1 WHERE bucket = $1 AND day = $2 AND taken < $3 RETURNING bucket
    )
    INSERT INTO reservation (id, key_id, day, kind, state, reserved_at, buckets)
    SELECT $4, $5, $2, 'token', 'reserved', $6, $7 FROM taken RETURNING id`
  const counted = (seconds, once) => {
    const isTime = until(seconds)
    let done = 0
    const worker = async () => {
      while (isTime()) {
        await once(keys[done++ % keys.length])
      }
    }
    return Promise.all(Array.from({ length: flight }, worker)).then(() => done)
  }
  try {
    const found = await inTurns(
      {
        assay: {
          run: (seconds) => {
            const isTime = until(seconds)
            let done = 0
            const worker = Effect.gen(function* () {
              const store = yield* QuotaStore.QuotaStore
              while (isTime()) {
                const keyId = keys[done++ % keys.length]
                const buckets = [{ name: `key:${keyId}`, limit }]
                const answer = yield* store.reserve({
                  id: yield* Id.make("exe"),
                  keyId,
                  kind: "token",
                  buckets,
                  now: noon
                })
                if (answer._tag !== "Reserved") throw new Error("no unit was left")
              }
            })
            return runtime.runPromise(
              Effect.replicateEffect(worker, flight, { concurrency: "unbounded", discard: true }).pipe(
                Effect.map(() => done),
                Effect.withTracerEnabled(false)
              )
            )
          }
        },
        "one statement": {
          run: (seconds) =>
            counted(seconds, async (key) => {
              const id = await Effect.runPromise(Id.make("exe"))
              const bucket = `raw:${key}`
              const { rows } = await pool.query(reserve, [bucket, day, limit, id, key, noon, JSON.stringify([bucket])])
              if (rows.length !== 1) throw new Error("no unit was left")
            })
        }
      },
      seconds,
      rounds
    )
    console.log(`units reserved a second, ${flight} in flight`)
    for (const [name, all] of Object.entries(found))
      console.log(
        `  ${name.padEnd(20)}${median(all).toFixed(0).padStart(8)}   ${median(all.map((rate, round) => rate / found["one statement"][round])).toFixed(2)} × one statement`
      )
    console.log("")
  } finally {
    await runtime.dispose()
    await pool.end()
  }
}

/** What a claim costs by how many watches are kept, of which the same number is due. */
const costs = async (server, sizes) => {
  const stores = []
  try {
    for (const size of sizes)
      stores.push({
        ...(await assayWatches(server, `assay_${size}`, {
          size,
          due: Math.min(...sizes) / 2,
          keys: 200,
          connections: 2
        })),
        figures: { claim: [], batch: [], finish: [] }
      })
    for (let turn = 0; turn < 11; turn++)
      for (const store of stores) await store.runtime.runPromise(measure(store, turn > 0))
    const names = ["claim", "batch", "finish"]
    console.log(`watches   ${names.map((name) => `${name} µs (ratio)`.padStart(19)).join("")}`)
    for (const { figures, size } of stores)
      console.log(
        `${String(size).padEnd(10)}${names
          .map((name) => {
            const took = median(figures[name])
            return `${took.toFixed(0)} (${(took / median(stores[0].figures[name])).toFixed(2)})`.padStart(19)
          })
          .join("")}`
      )
  } finally {
    for (const { close } of stores) await close()
  }
}

const measure = ({ claim, figures }, kept) =>
  Effect.gen(function* () {
    const store = yield* WatchStore.WatchStore
    for (const [name, count] of [...Array.from({ length: 20 }, () => ["claim", 1]), ["batch", 16], ["batch", 16]]) {
      const [claimed, took] = yield* timed(claim(store, count))
      if (claimed.length !== count) throw new Error("too few were due")
      const [, finished] = yield* timed(finish(store, claimed))
      if (!kept) continue
      figures[name].push(took / count)
      if (count === 1) figures.finish.push(finished)
    }
  }).pipe(Effect.withTracerEnabled(false))

const timed = (effect) =>
  Effect.suspend(() => {
    const start = process.hrtime.bigint()
    return Effect.map(effect, (value) => [value, Number(process.hrtime.bigint() - start) / 1000])
  })
