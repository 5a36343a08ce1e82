import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { assay } from "../cli/TestShell.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { eventually, ServerProcess } from "./ServerProcess.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const directory = mkdtempSync(join(tmpdir(), "assay-too-old-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const running = new Set<ServerProcess>()
afterEach(async () => {
  for (const server of running) await server.kill()
  running.clear()
})

const start = async (url: string): Promise<ServerProcess> => {
  const server = await ServerProcess.start({
    ASSAY_DATABASE: url,
    ASSAY_RPC_URLS: "1=http://127.0.0.1:1",
    ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
  })
  running.add(server)
  return server
}

const body = (document: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(document)
})

/** A server under which a later version migrates the database, and one that starts afterwards. */
const outlived = async (url: string, migrate: () => Promise<unknown>, cause: RegExp) => {
  const server = await start(url)
  const key = await server.createKey()
  await migrate()
  await eventually(
    () => server.send("usage", { key }),
    ({ status }) => status === 503
  )
  for (const [path, request] of [
    ["watches", { key }],
    ["keys", body({ label: "late" })],
    ["watches", { ...body({ target: "wallet", address: `0x${"5".repeat(40)}` }), key }]
  ] as const) {
    const answer = await server.send(path, request)
    assert.strictEqual(answer.status, 503)
    assert.strictEqual(answer.json.code, "storage_unavailable")
  }
  const ready = await eventually(
    () => server.send("health/ready"),
    ({ status }) => status === 503
  )
  assert.match(ready.json.cause, cause)
  assert.strictEqual((await server.send("health/live")).status, 200)
  const told = async () => server.log.split("\n").filter((line) => line.includes("does no more work"))
  assert.lengthOf(await eventually(told, (lines) => lines.length > 0), 1)
  const refused = await start(url).then(
    () => "it started",
    (error: Error) => error.message
  )
  assert.match(refused, /^ended with 1: assay: ASSAY_DATABASE: A newer version migrated the database [^\n]+\n$/)
  const listed = await assay(["keys", "list", "--database", url])
  assert.strictEqual(listed.code, 1)
  assert.match(listed.errors, /^assay: the database cannot be used: A newer version migrated the database [^\n]+\n$/)
}

describe.runIf(Tier.landing)("a server that is too old for its SQLite database", () => {
  it("refuses all work and says why in one line, while it runs and at the start", async () => {
    const file = join(directory, "newer.db")
    await outlived(
      `sqlite:${file}`,
      async () => {
        const newer = new DatabaseFile(file)
        await newer.rows("INSERT INTO effect_sql_migrations (migration_id, name) VALUES (999, 'later')")
        await newer.close()
      },
      /to schema 999; this one knows schema \d+\. Run the newer version\.$/
    )
  })
})

TestPostgres.describeAtLanding(database)("a server that is too old for its Postgres database", () => {
  it("refuses all work and says why in one line, while it runs and at the start", async () => {
    const migrate = async () =>
      database?.query("INSERT INTO effect_sql_migrations (migration_id, name, oldest) VALUES (999, 'later', 998)")
    await outlived(database?.url ?? "", migrate, /code of schema 998 or later; this process knows \d+\.$/)
  })
})
