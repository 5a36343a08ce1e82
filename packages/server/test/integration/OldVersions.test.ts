import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import * as Books from "./Books.js"
import type { Database, Row } from "./Database.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { DatabaseOnPostgres } from "./DatabaseOnPostgres.js"
import { Load } from "./Load.js"
import * as OldServer from "./OldServer.js"
import { quiet } from "./Reckoning.js"
import { eventually, ServerProcess, wallet } from "./ServerProcess.js"

const kept = fileURLToPath(new URL("../versions", import.meta.url))
const versions = readdirSync(kept).sort()

/** What the server of a version answered of what it had stored (packages/server/scripts/keepVersion.mjs). */
interface Kept {
  readonly key: string
  readonly watch: string
  readonly answers: ReadonlyArray<{ readonly path: string; readonly answer: unknown }>
}

const read = (version: string, file: string): Buffer => gunzipSync(readFileSync(join(kept, version, `${file}.gz`)))
const answersOf = (version: string, store: string): Kept =>
  JSON.parse(read(version, `${store}.answers.json`).toString("utf8"))
const commitOf = (version: string): string =>
  JSON.parse(readFileSync(join(kept, version, "version.json"), "utf8")).commit

/** What of an old answer is not in a new one: a later version may say more, and nothing else. */
const missing = (old: unknown, now: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(old) && Array.isArray(now) && old.length === now.length)
    return old.flatMap((each, index) => missing(each, now[index], `${path}[${index}]`))
  if (typeof old === "object" && old !== null && !Array.isArray(old) && typeof now === "object" && now !== null)
    return Object.entries(old).flatMap(([name, value]) =>
      missing(value, (now as Record<string, unknown>)[name], `${path}.${name}`)
    )
  return old === now ? [] : [`${path}: ${JSON.stringify(old)} was ${JSON.stringify(now)}`]
}

/** What is another one whenever it is requested, and what `renew` sets. */
const passing = (path: string, place: string): boolean =>
  path === "usage" ||
  (path === "keys/self" && place.startsWith(".last_used_at")) ||
  (path === "executions" && /^\.data\[\d+\]\.completed_at/.test(place))

/** As if it had been stored a moment ago, so that nothing of it is past its time. */
const renew = async (database: Database): Promise<void> => {
  const now = Date.now()
  for (const [table, column] of [
    ["execution", "completed_at"],
    ["watch_run", "ended_at"],
    ["event", "appended_at"],
    ["event_sequence", "appended_at"]
  ])
    await database.rows(`UPDATE ${table} SET ${column} = ${now} WHERE ${column} IS NOT NULL`)
  const today = new Date(now).toISOString().slice(0, 10)
  for (const table of ["reservation", "bucket_day"]) await database.rows(`UPDATE ${table} SET day = '${today}'`)
}

const postgres: Array<TestPostgres.TestDatabase> = []
const freshPostgres = async (): Promise<TestPostgres.TestDatabase | undefined> => {
  const found = await TestPostgres.databaseAtLanding()
  if (found !== undefined) postgres.push(found)
  return found
}
afterAll(async () => {
  for (const database of postgres) await database.drop()
})

const havePostgres = (await freshPostgres()) !== undefined

interface Opened {
  readonly setting: string
  readonly database: Database
}

describe.runIf(Tier.landing)("a database of an earlier version", () => {
  const directory = mkdtempSync(join(tmpdir(), "assay-versions-"))
  let sandbox: SharedSandbox.SharedSandbox
  const running = new Set<ServerProcess>()
  const open = new Set<Database>()

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  afterAll(async () => {
    for (const server of running) await server.kill()
    for (const database of open) await database.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const start = async (database: string, program?: string): Promise<ServerProcess> => {
    const settings = {
      ASSAY_DATABASE: database,
      // That of every kept version.
      ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_DAILY_QUOTA: "100000",
      ASSAY_BURST_PER_MINUTE: "100000",
      ASSAY_CONCURRENCY_PER_KEY: "1000",
      ASSAY_UNITS_PER_SOURCE_DAY: "100000",
      ASSAY_KEYS_PER_SOURCE_HOUR: "100000",
      ASSAY_KEYS_PER_SOURCE_DAY: "100000",
      ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
      ASSAY_WEBHOOKS_ALLOW_HTTP: "on"
    }
    const server = await ServerProcess.start(settings, program)
    running.add(server)
    return server
  }

  const stop = async (server: ServerProcess): Promise<void> => {
    assert.strictEqual(await server.stop(), 0, server.log)
    running.delete(server)
  }

  const onSqlite = async (version: string, name: string): Promise<Opened> => {
    const filename = join(directory, `${version}-${name}.db`)
    writeFileSync(filename, read(version, "sqlite.db"))
    const database = new DatabaseFile(filename)
    open.add(database)
    await renew(database)
    return { setting: `sqlite:${filename}`, database }
  }

  const onPostgres = async (version: string): Promise<Opened> => {
    const found = await freshPostgres()
    if (found === undefined) throw new Error("there is no Postgres")
    await found.query(read(version, "postgres.sql").toString("utf8"))
    const database = new DatabaseOnPostgres(found.url)
    open.add(database)
    await renew(database)
    return { setting: found.url, database }
  }

  const programs = new Map<string, Promise<string>>()
  const programOf = (version: string): Promise<string> => {
    const program = programs.get(version) ?? OldServer.build(commitOf(version), join(directory, `built-${version}`))
    programs.set(version, program)
    return program
  }

  /** What callers of a server were promised that another one does not have. */
  const lostAt = async (server: ServerProcess, ...loads: ReadonlyArray<Load>): Promise<ReadonlyArray<string>> => {
    const lost: Array<string> = []
    for (const { acknowledged } of loads)
      for (const { isAt, kind, what } of acknowledged) if (!(await isAt(server))) lost.push(`${kind} ${what}`)
    return lost
  }

  const assertNoErrors = (...servers: ReadonlyArray<ServerProcess>): void => {
    for (const server of servers)
      assert.deepStrictEqual(
        server.log.split("\n").filter((line) => /"logLevel":"(?:ERROR|FATAL)"/.test(line)),
        []
      )
  }

  const stores: ReadonlyArray<{
    readonly name: "sqlite" | "postgres"
    readonly open: (version: string, name: string) => Promise<Opened>
  }> = [{ name: "sqlite", open: onSqlite }, ...(havePostgres ? [{ name: "postgres", open: onPostgres } as const] : [])]

  const assertServed = async (server: ServerProcess, { answers, key }: Kept): Promise<void> => {
    for (const { answer, path } of answers) {
      const { json, status } = await server.send(path, { key })
      assert.strictEqual(status, 200, path)
      const lost = missing(answer, json).filter((place) => !passing(path, place))
      assert.deepStrictEqual(lost, [], path)
    }
  }

  for (const version of versions)
    for (const store of stores) {
      it(`${version}, on ${store.name}, is brought to the schema of today, serves what it served, and goes on from there`, async () => {
        const { database, setting } = await store.open(version, "kept")
        const old = answersOf(version, store.name)
        const { key, watch } = old
        const server = await start(setting)
        await assertServed(server, old)
        assert.deepStrictEqual(Books.disagreements(await Books.read(database)), [])

        assert.strictEqual((await server.send(`wallet/${wallet(0)}`, { key })).status, 200)
        const events = async () => (await server.send("events", { key })).json.data
        const before: ReadonlyArray<Row> = await events()
        const asked = await server.send(`watches/${watch}/run`, { key, method: "POST" })
        assert.strictEqual(asked.status, 202, asked.text)
        const after = await eventually(events, ({ length }) => length > before.length)
        const [last, next] = [before.at(-1), after.at(-1)]
        assert.strictEqual(next.sequence, last.sequence + 1)
        // It compares with what the old version stored.
        assert.strictEqual(next.data.base_execution_id, last.data.execution_id)
        await stop(server)
        assert.deepStrictEqual(Books.disagreements(await Books.read(database)), [])
      })

      const runs = Tier.all && OldServer.has(commitOf(version))
      if (store.name === "postgres")
        it.runIf(runs)(
          Tier.title(
            runs,
            `${version}, on postgres, is served by its own server and that of today at once, with nothing lost or charged twice`
          ),
          async () => {
            const program = await programOf(version)
            const { database, setting } = await store.open(version, "shared")
            const kept = answersOf(version, store.name)
            const before = await start(setting, program)
            const ofBefore = new Load(before, sandbox.targets.approver)
            await ofBefore.start()
            await ofBefore.until(2)
            // Migrates beside a process that works.
            const today = await start(setting)
            const ofToday = new Load(today, sandbox.targets.approver)
            await ofToday.start()
            await Promise.all([ofBefore.until(5), ofToday.until(5)])
            await Promise.all([ofBefore.stop(), ofToday.stop()])
            await quiet(database)
            // Each has what either acknowledged.
            for (const server of [before, today]) assert.deepStrictEqual(await lostAt(server, ofBefore, ofToday), [])
            assertNoErrors(before, today)
            await stop(before)
            await assertServed(today, kept)
            await stop(today)
            assert.deepStrictEqual(Books.disagreements(await Books.read(database)), [])
            // And one step back is possible.
            const again = await start(setting, program)
            await assertServed(again, kept)
            assert.deepStrictEqual(await lostAt(again, ofBefore, ofToday), [])
            await stop(again)
          }
        )
      else
        it.runIf(runs)(
          Tier.title(
            runs,
            `${version}, on sqlite, is refused by its own server once that of today has migrated it, with nothing lost`
          ),
          async () => {
            const program = await programOf(version)
            const { database, setting } = await store.open(version, "shared")
            const kept = answersOf(version, store.name)
            const before = await start(setting, program)
            const load = new Load(before, sandbox.targets.approver)
            await load.start()
            await load.until(2)
            await load.stop()
            await quiet(database)
            const today = await start(setting)
            const refused = await eventually(
              () => before.send(`wallet/${wallet(0)}`, { key: kept.key }),
              ({ status }) => status !== 200,
              60
            )
            assert.strictEqual(refused.status, 503, refused.text)
            assert.strictEqual(refused.json.code, "storage_unavailable")
            assert.strictEqual((await before.send("health/ready")).status, 503)
            await before.kill()
            running.delete(before)
            assert.deepStrictEqual(await lostAt(today, load), [])
            await assertServed(today, kept)
            await quiet(database)
            assertNoErrors(today)
            await stop(today)
            assert.deepStrictEqual(Books.disagreements(await Books.read(database)), [])
            await start(setting, program).then(
              () => assert.fail("the old server started"),
              (error) => assert.match(String(error), /newer version migrated/)
            )
          }
        )
    }
})
