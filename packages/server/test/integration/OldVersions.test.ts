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

  const start = async (database: string): Promise<ServerProcess> => {
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
    const server = await ServerProcess.start(settings)
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
    }
})
