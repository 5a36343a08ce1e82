import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import { eventually, ServerProcess } from "./ServerProcess.js"

const directory = mkdtempSync(join(tmpdir(), "assay-integration-"))
const running = new Set<ServerProcess>()
afterAll(async () => {
  for (const server of running) await server.kill()
  rmSync(directory, { recursive: true, force: true })
})

const filename = join(directory, "damaged.db")

const start = async (): Promise<ServerProcess> => {
  const server = await ServerProcess.start({
    ASSAY_DATABASE: `sqlite:${filename}`,
    ASSAY_RPC_URLS: "1=http://127.0.0.1:1/hunter2"
  })
  running.add(server)
  return server
}

/** Where the first page of a table or an index is, of a database that nobody uses. */
const placeOf = (name: string) =>
  Effect.runPromise(
    Effect.flatMap(
      SqlClient,
      (sql) => sql<{ readonly at: number; readonly bytes: number }>`
        SELECT (rootpage - 1) * page_size AS at, page_size AS bytes FROM sqlite_schema, pragma_page_size
        WHERE name = ${name}`
    ).pipe(Effect.provide(SqliteClient.layer({ filename })))
  )

const damage = ({ at, bytes }: { readonly at: number; readonly bytes: number }): void => {
  const file = openSync(filename, "r+")
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, at)
  closeSync(file)
}

describe.runIf(Tier.landing)("a damaged database", () => {
  it("is found behind a killed server while the next one serves, and takes that one out of the traffic", async () => {
    const first = await start()
    const key = await first.createKey()
    assert.strictEqual(await first.stop(), 0)
    running.delete(first)
    const [index] = await placeOf("delivery_by_event")
    const [table] = await placeOf("execution")
    assert.isDefined(index)
    assert.isDefined(table)
    if (index === undefined || table === undefined) return

    // Sound, and killed: the check is made and finds nothing.
    const second = await start()
    await second.createKey()
    await second.kill()
    const third = await start()
    await eventually(
      async () => third.log,
      (log) => log.includes("its structure is sound")
    )
    const sound = await third.send("health/ready")
    assert.deepStrictEqual([sound.status, sound.json.checks.storage, sound.json.cause], [200, "ok", null])
    await third.kill()

    // An index that nothing of the start reads.
    damage(index)
    const fourth = await start()
    const unready = await eventually(
      () => fourth.send("health/ready"),
      ({ status }) => status === 503
    )
    assert.deepInclude(unready.json, { status: "failed" })
    assert.strictEqual(unready.json.checks.storage, "failed")
    assert.match(unready.json.cause, /^The database is damaged: [^\n]+\. Restore a backup\.$/)
    assert.notInclude(unready.text, directory)
    // It is taken out of the traffic, not stopped.
    assert.strictEqual((await fourth.usage(key)).used, 0)
    assert.strictEqual((await fourth.send("health/live")).status, 200)
    await fourth.kill()
    for (const server of running) running.delete(server)

    // A table of which the log of the last process has nothing: the start refuses, in one line that names the setting.
    damage(table)
    const refused = await start().then(
      () => "it started",
      (error: Error) => error.message
    )
    assert.strictEqual(
      refused,
      "ended with 1: assay: ASSAY_DATABASE: The database is damaged (SQLITE_CORRUPT). Restore a backup.\n"
    )
  })
})
