import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import pg from "pg"
import { postgres } from "../../../scripts/postgres.mjs"
import { quantiles } from "../../../scripts/quantiles.mjs"
import { isLost, judge, patience, readRuns, readStores, runsOfWatches, waits } from "./ledger.mjs"
import { answers, perChange, read } from "./results.mjs"

const program = fileURLToPath(new URL("server.mjs", import.meta.url))

/** How many checks a process makes at once, and how many of them of one key. */
const concurrency = 32
const perKey = 2

/** Whether several servers on one Postgres keep what they promise while they are killed: main.mjs says how. */
export const fleet = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "5" },
      watches: { type: "string", default: "10000" },
      keys: { type: "string", default: "200" },
      processes: { type: "string", default: "4" },
      "kill-every": { type: "string", default: "20" },
      analysis: { type: "string", default: "8" },
      spread: { type: "string", default: "60" },
      results: { type: "string" },
      engine: { type: "boolean", default: false },
      "read-after": { type: "boolean", default: false },
      ledger: { type: "string" },
      hasten: { type: "boolean", default: false },
      directory: { type: "string", default: tmpdir() }
    }
  })
  const [watches, keys, size] = [values.watches, values.keys, values.processes].map(Number)
  const minutes = Number(values.minutes)
  const spread = Number(values.spread)
  // Those that come due in these minutes, and in the time for what is lost last.
  const checked = Math.min(watches, Math.ceil((watches * (minutes + 5)) / spread))
  const limits = { dailyQuota: 2_000, unitsPerSourceDay: 1_000_000, globalDailyUnits: 1_000_000 }
  const directory = mkdtempSync(join(values.directory, "assay-fleet-"))
  const results = values.results ?? join(directory, "results.json")
  const ended = [() => rmSync(directory, { recursive: true, force: true })]
  try {
    if (values.engine) {
      say("starting a sandbox chain")
      const { asked } = await import("./recording.mjs")
      const chain = await asked(watches)
      ended.unshift(chain.stop)
      writeFileSync(results, JSON.stringify(chain.results))
    } else if (values.results === undefined) {
      say("recording what the analyser answers, on a sandbox chain")
      const { recorded } = await import("./recording.mjs")
      writeFileSync(results, JSON.stringify(await recorded()))
    }
    const server = await postgres(values.directory)
    ended.unshift(() => server.close())
    const url = await server.database(`assay_fleet_${randomBytes(4).toString("hex")}`)
    const pool = new pg.Pool({ connectionString: url, max: 4, application_name: "fleet" })
    ended.unshift(() => pool.end())
    const query = async (text, values) => (await pool.query(text, values)).rows

    const { make, perNotice } = await import("./watches.mjs")
    say(`making ${watches} watches of ${keys} keys, and the first check of ${checked}, on Postgres ${server.version}`)
    const account = await make({ checked, keys, limits, url, watches, results: read(results) })
    const made = await measure(query)
    say(`made in ${(account.checksTook / 1000).toFixed(1)} s; the database has ${mega(made.bytes)} MB`)

    const settings = {
      ASSAY_DATABASE: url,
      ASSAY_SECRETS_KEY: randomBytes(32).toString("base64"),
      ASSAY_RPC_URLS: account.endpoints,
      ASSAY_DAILY_QUOTA: String(limits.dailyQuota),
      ASSAY_UNITS_PER_SOURCE_DAY: String(limits.unitsPerSourceDay),
      ASSAY_GLOBAL_DAILY_UNITS: String(limits.globalDailyUnits),
      ASSAY_SCHEDULED_CONCURRENCY: String(concurrency),
      ASSAY_SCHEDULED_PER_KEY: String(perKey),
      FLEET_RESULTS: results,
      FLEET_SECONDS: values.analysis,
      FLEET_SINCE: String(Date.now())
    }
    const all = new Processes(settings)
    ended.unshift(() => all.kill())
    const living = await Promise.all(Array.from({ length: size }, (_, place) => all.start(String(place + 1))))
    const beginReading = () => new Readers(account.accounts, () => living)
    let readers = values["read-after"] ? undefined : beginReading()
    // Time for all watches to be put on their grids.
    const start = Date.now() + 500 + watches * 8
    await account.spread({ start, millis: spread * 60_000 })
    await setTimeout(Math.max(0, start - Date.now()))
    say(
      `${size} processes, ${values.engine ? "the engine" : `${values.analysis} s an analysis`}, ${values["kill-every"]} s to a kill, ${minutes} minutes; ${limits.dailyQuota} units a key and day, ${limits.unitsPerSourceDay} a source, ${limits.globalDailyUnits} of all; ${concurrency} checks at once in a process, ${perKey} of a key`
    )

    const before = { ...(await measure(query)), cpu: all.cpu(), postgres: cpuOfGroup(server.pid), at: Date.now() }
    const until = before.at + minutes * 60_000
    const kills = await killing({
      account,
      all,
      every: Number(values["kill-every"]) * 1_000,
      living,
      until,
      query,
      values
    })
    await setTimeout(Math.max(0, until - Date.now()))
    const after = { ...(await measure(query)), cpu: all.cpu(), postgres: cpuOfGroup(server.pid), at: Date.now() }
    const load = loadavg()
    readers ??= beginReading()

    say("no more kills: what was lost is made again, and what is due is made")
    const ripe = Math.max(until, kills.at(-1)?.at ?? 0)
    for (let end = Date.now() + (patience + 10) * 1_000; Date.now() < end; await setTimeout(500)) {
      const [{ waiting }] = await query(
        "SELECT count(*)::int AS waiting FROM watch WHERE live IS NULL AND next_due_at < $1",
        [ripe]
      )
      const runs = runsOfWatches(await readRuns(query))
      const isOpen = runs.some((ofWatch) => {
        const last = ofWatch.at(-1)
        return isLost(last) || (last.status === "running" && last.startedAt < ripe)
      })
      if (waiting === 0 && !isOpen) break
    }
    const stoppedAt = Date.now()
    // One that schedules nothing serves the readers to the end.
    const [last] = await Promise.all([
      all.start("last", { ASSAY_SCHEDULER: "off" }),
      ...living.map((each) => all.stop(each))
    ])
    living.splice(0, living.length, last)
    // What a process could not give back in time is found by its lease.
    for (let end = Date.now() + (patience + 10) * 1_000; Date.now() < end; await setTimeout(200))
      if ((await query(unfinished)).length === 0) break
    await readers.toTheEnd()
    await all.stop(last)

    const ledger = {
      stoppedAt,
      stores: await readStores(query),
      processes: all.records,
      readers: readers.given()
    }
    if (values.ledger !== undefined) writeFileSync(values.ledger, JSON.stringify(ledger))
    print({
      after,
      before,
      checked,
      kills,
      ledger,
      load,
      isReadAfter: values["read-after"],
      made,
      own: values.engine ? undefined : ownCpu(results),
      perNotice,
      starts: all.records.filter(({ startedAt }) => startedAt >= before.at && startedAt < after.at)
    })
    const verdicts = judge(ledger)
    console.log()
    for (const { broken, promise } of verdicts) {
      console.log(`${broken.length === 0 ? "kept  " : "BROKEN"}  ${promise}`)
      for (const each of broken.slice(0, 5)) console.log(`          ${each}`)
      if (broken.length > 5) console.log(`          and ${broken.length - 5} more`)
    }
    if (verdicts.some(({ broken }) => broken.length > 0)) process.exitCode = 1
  } finally {
    for (const end of ended) await end()
  }
}

const unfinished = `
  SELECT FROM outbox UNION ALL SELECT FROM watch_run WHERE status = 'running'
  UNION ALL SELECT FROM execution WHERE status = 'running' UNION ALL SELECT FROM reservation WHERE state = 'reserved'
  LIMIT 1`

const began = performance.now()
const say = (text) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`)

/** Kills one process after the other and starts it again. Answers the moments. */
const killing = async ({ account, all, every, living, query, until, values }) => {
  // A process that holds as many checks as it may take has begun the analysis of each: its log names all that it loses.
  const enough = values.hasten ? Math.min(concurrency, perKey * Number(values.keys)) : 1
  const kills = []
  for (let next = Date.now() + every; next < until; next += every) {
    await setTimeout(Math.max(0, next - Date.now()))
    const place = kills.length % living.length
    const victim = living[place]
    // In the middle of a check, or there is nothing to lose: its next analyses do not end.
    process.kill(victim.pid, "SIGUSR2")
    for (let tries = 0; held(victim.record).length < enough; tries++) {
      if (tries === 2_400)
        throw new Error(`process ${victim.name} began ${held(victim.record).length} of ${enough} checks`)
      // Nothing may be left to come due on a machine that is slow.
      if (tries % 100 === 99) await account.spread({ start: Date.now(), millis: 0 })
      await setTimeout(50)
    }
    await all.kill(victim)
    kills.push({ name: victim.name, at: Date.now() })
    if (values.hasten) await hasten({ query, addresses: held(victim.record) })
    living[place] = await all.start(victim.name)
  }
  return kills
}

/** The addresses with analyses that a process keeps from ending. */
const held = ({ lines }) => lines.flatMap(({ text }) => /^analysis of (\w+) is held$/.exec(text)?.slice(1) ?? [])

/** For a short run: what the dead process held is past its lease at once. */
const hasten = async ({ addresses, query }) => {
  const lost = await query(
    `SELECT watch_run.id, watch_run.execution_id FROM watch_run JOIN watch ON watch.id = watch_id
     WHERE status = 'running' AND watch.address = ANY($1)`,
    [addresses]
  )
  if (lost.length !== addresses.length) throw new Error(`${lost.length} of ${addresses.length} held checks are running`)
  const past = Date.now() - 1
  await query("UPDATE watch_run SET lease_until = $1 WHERE id = ANY($2)", [past, lost.map(({ id }) => id)])
  await query("UPDATE execution SET lease_until = $1 WHERE id = ANY($2)", [past, lost.map((run) => run.execution_id)])
  await query("UPDATE reservation SET reserved_at = reserved_at - 120000 WHERE id = ANY($1) AND state = 'reserved'", [
    lost.map((run) => run.execution_id)
  ])
}

/** Every process that there was: what it wrote, how it ended, and what CPU it took. */
class Processes {
  records = []
  #settings
  #children = new Map()

  constructor(settings) {
    this.#settings = settings
  }

  async start(name, settings = {}) {
    const child = spawn(process.execPath, ["--max-semi-space-size=64", program], {
      env: { PATH: process.env.PATH, ASSAY_PORT: "0", ASSAY_LOG_FORMAT: "json", ...this.#settings, ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const record = { name, lines: [], startedAt: Date.now(), endedAt: undefined, end: undefined, cpu: 0, startCpu: 0 }
    this.records.push(record)
    const ended = once(child, "close").then(([code, signal]) => {
      record.endedAt = Date.now()
      record.end ??= `${signal ?? code}`
      this.#children.delete(record)
    })
    this.#children.set(record, { child, ended })
    const listening = new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        const { logLevel, message, timestamp } = JSON.parse(line)
        const text = Array.isArray(message) ? message.join(" ") : String(message)
        record.lines.push({ at: Date.parse(timestamp), level: logLevel, text })
        const found = /^Listening on (http:\/\/127\.0\.0\.1:\d+);/.exec(text)
        if (found !== null) resolve(found[1])
      })
      createInterface({ input: child.stderr }).on("line", (text) => {
        record.lines.push({ at: Date.now(), level: "ERROR", text })
      })
      ended.then(() => reject(new Error(`process ${name} ended with ${record.end}: ${JSON.stringify(record.lines)}`)))
    })
    const origin = await listening
    record.startCpu = cpuOf(child.pid) ?? Number.NaN
    return { name, origin, record, pid: child.pid }
  }

  /** All that live, or one, with a signal that leaves no handler a chance. */
  async kill(...which) {
    const records = which.length === 0 ? [...this.#children.keys()] : which.map(({ record }) => record)
    await Promise.all(records.map((record) => this.#end(record, "SIGKILL", "killed")))
  }

  /** As an operator does. */
  stop({ record }) {
    return this.#end(record, "SIGTERM", "asked")
  }

  async #end(record, signal, end) {
    const running = this.#children.get(record)
    if (running === undefined) return
    record.cpu = cpuOf(running.child.pid) ?? record.cpu
    record.end = end
    running.child.kill(signal)
    await running.ended
  }

  /** User and system time of all that there were, in ms. */
  cpu() {
    return this.records.reduce((sum, record) => {
      const running = this.#children.get(record)
      return sum + ((running === undefined ? undefined : cpuOf(running.child.pid)) ?? record.cpu)
    }, 0)
  }
}

/** A reader for each key, which reads the events after its cursor from one process or another. */
class Readers {
  #readers
  #isEnding = false

  constructor(accounts, living) {
    this.#readers = accounts.map((account) => {
      const reader = { ...account, events: [], cursor: undefined }
      return { ...reader, reader, done: this.#read(reader, living) }
    })
  }

  async #read(reader, living) {
    for (;;) {
      const isLast = this.#isEnding
      const servers = living()
      const { origin } = servers[Math.floor(Math.random() * servers.length)]
      const after = reader.cursor === undefined ? "" : `&after=${encodeURIComponent(reader.cursor)}`
      const page = await fetch(`${origin}/api/v1/events?limit=100&wait=${isLast ? 0 : 10}${after}`, {
        headers: { authorization: `Bearer ${reader.key}` }
      }).then(
        async (response) => (response.ok ? response.json() : undefined),
        // The process was killed, or has not started yet.
        () => undefined
      )
      if (page === undefined) {
        await setTimeout(250)
        continue
      }
      reader.events.push(...page.data.map(({ id, sequence }) => ({ id, sequence })))
      reader.cursor = page.next_after
      if (isLast && page.data.length === 0) return
    }
  }

  async toTheEnd() {
    this.#isEnding = true
    await Promise.all(this.#readers.map(({ done }) => done))
  }

  given() {
    return Object.fromEntries(this.#readers.map(({ id, reader }) => [id, reader.events]))
  }
}

/** What it costs to make an answer of what was recorded, in ms. */
const ownCpu = (results) => {
  const { answer } = answers(read(results))
  const make = (times) => {
    for (let number = 1; number <= times; number++) answer(number, { at: Date.now() + number * 12_000, hour: 0 })
  }
  make(60)
  const before = process.cpuUsage()
  make(120)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1_000 / 120
}

/** What the server counts of this database. */
const measure = async (query) => {
  // What a session counted is published when it has rested for a second.
  await setTimeout(1_100)
  const [{ bytes, commits, lsn, ...rows }] = await query(`
    SELECT pg_database_size(current_database())::float8 AS bytes, xact_commit::float8 AS commits,
      tup_inserted::float8 AS inserted, tup_updated::float8 AS updated, tup_deleted::float8 AS deleted,
      (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS lsn
    FROM pg_stat_database WHERE datname = current_database()`)
  return { bytes, commits, lsn, ...rows }
}

const print = ({ after, before, checked, isReadAfter, kills, ledger, load, made, own, perNotice, starts }) => {
  const seconds = (after.at - before.at) / 1000
  const runs = runsOfWatches(ledger.stores.runs).flat()
  const checks = runs.filter(
    ({ finishedAt, status }) => status === "succeeded" && finishedAt >= before.at && finishedAt < after.at
  )
  const changed = checks.filter(({ change_status }) => change_status === "changed").length
  const { due, lost } = waits(ledger)
  const isRecorded = own !== undefined
  const line = (name, text) => console.log(`${name.padEnd(24)}${text}`)
  const row = (name) => ((after[name] - before[name]) / checks.length).toFixed(1)
  const spent = (which, name) =>
    Number.isFinite(which) ? `${(which / checks.length).toFixed(1)} ms ${name}` : `${name} not known`
  console.log()
  line("machine", `${cpus().length} cores, load ${load.map((each) => each.toFixed(1)).join(" ")} (1, 5, 15 minutes)`)
  line("kills", `${kills.length}, with them ${lost.length} checks lost`)
  line(
    "checks",
    `${checks.length} in ${seconds.toFixed(0)} s, ${(checks.length / seconds).toFixed(2)} a second; ${changed} changed${isRecorded ? ` (1 in ${perChange} is recorded so)` : ""}`
  )
  // The first check of each was due at once, before the fleet.
  line("due to claim", distribution(due.filter(({ at, seconds }) => at >= before.at && seconds >= 0)))
  line("lost to next claim", distribution(lost))
  const [cpu, postgres] = [after.cpu - before.cpu, after.postgres - before.postgres]
  const started = starts.reduce((sum, { startCpu }) => sum + startCpu, 0)
  line(
    "starts",
    starts.length === 0 ? "none" : `${starts.length}, ${(started / starts.length).toFixed(0)} ms of CPU each`
  )
  const reading = isReadAfter ? "nobody reads" : "the readers among them"
  line("CPU a check", `${spent(cpu, "of the processes")}, ${reading}; ${spent(postgres, "of Postgres")}`)
  line(
    "less the starts",
    `${spent(cpu - started, "of the processes")}${isRecorded ? `, with ${own.toFixed(1)} ms for the answer that was recorded` : ""}`
  )
  line("rows a check", `${row("inserted")} inserted, ${row("updated")} updated, ${row("deleted")} deleted`)
  line("commits a check", row("commits"))
  line(
    "bytes a check",
    `${((after.bytes - before.bytes) / checks.length).toFixed(0)} of the database, ${((after.lsn - before.lsn) / checks.length).toFixed(0)} of its log of writes; ${(made.bytes / checked).toFixed(0)} for a first one`
  )
  line("database", `${mega(after.bytes)} MB`)
  line(
    "events",
    `${ledger.stores.events.length} in the log, ${Object.values(ledger.readers).reduce((sum, events) => sum + events.length, 0)} given to ${Object.keys(ledger.readers).length} readers (1 watch in ${perNotice} tells of every check)`
  )
  const warnings = new Map()
  for (const { lines } of ledger.processes)
    for (const { level, text } of lines) if (level === "WARN") warnings.set(text, (warnings.get(text) ?? 0) + 1)
  for (const [text, times] of warnings) line("warnings", `${times} × ${text}`)
}

const distribution = (all) => {
  const { max, median, p99 } = quantiles(all.map(({ seconds }) => seconds))
  return max === null ? "none" : `median ${median.toFixed(1)} s, p99 ${p99.toFixed(1)} s, max ${max.toFixed(1)} s`
}

const mega = (bytes) => (bytes / 1e6).toFixed(0)

/** User and system time of a process, in ms; undefined where the system does not report it. */
const cpuOf = (pid) => {
  const fields = statOf(pid)
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * 10
}

/** The same of a process with its children, those that ended too. */
const cpuOfGroup = (pid) => {
  const own = pid === undefined ? undefined : statOf(pid)
  if (own === undefined) return Number.NaN
  const children = readdirSync("/proc").flatMap((name) => {
    const fields = /^\d+$/.test(name) ? statOf(name) : undefined
    return fields?.[1] === String(pid) ? [(Number(fields[11]) + Number(fields[12])) * 10] : []
  })
  // Its own, and that of the children that it has waited for.
  return own.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0) + children.reduce((a, b) => a + b, 0)
}

/** The fields of a line in /proc after the name of the program: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const statOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
  } catch {
    return undefined
  }
}
