import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SharedSandbox } from "@assay/sandbox"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Tier from "../../../../test/Tier.js"
import * as TestPostgres from "../../../storage-postgres/test/TestPostgres.js"
import { bin } from "../Bin.js"
import * as Books from "./Books.js"
import type { Database } from "./Database.js"
import { DatabaseFile } from "./DatabaseFile.js"
import { DatabaseOnPostgres } from "./DatabaseOnPostgres.js"
import { kinds, Load } from "./Load.js"
import { quiet } from "./Reckoning.js"
import { ServerProcess } from "./ServerProcess.js"

const copies = Tier.all ? 3 : 1
/** What the server does of each kind before and after each copy. */
const work = Tier.all ? 8 : 1
/** Between two requests of a caller, in milliseconds. */
const pause = Tier.all ? 20 : 500
const lease = 120_000

const postgres = await TestPostgres.databaseAtLanding()
const restored = await Promise.all(
  Array.from({ length: postgres === undefined ? 0 : copies }, () => TestPostgres.database())
)
afterAll(async () => {
  for (const database of [postgres, ...restored]) await database?.drop()
})

const binaries = TestPostgres.InstalledPostgres.binaries() ?? ""
const dumps = ["pg_dump", "pg_restore"].every((name) => existsSync(join(binaries, name)))

/** Runs a program to its end, which must be a good one. */
const run = async (program: string, args: ReadonlyArray<string>): Promise<void> => {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text
    })
  const [code] = await once(child, "close")
  assert.strictEqual(code, 0, said)
}

/** A store with the commands that the guide for operators prints. */
interface Store {
  readonly setting: string
  readonly copyTo: (file: string) => Promise<void>
  /** Restores the `index`th copy, and gives where it is then. */
  readonly restore: (file: string, index: number) => Promise<Restored>
}

interface Restored {
  readonly setting: string
  readonly open: () => Database
  /** What the store itself says of the copy where it is damaged. */
  readonly damage: (database: Database) => Promise<ReadonlyArray<string>>
}

describe.runIf(Tier.landing)("a backup of a server that works", () => {
  const directory = mkdtempSync(join(tmpdir(), "assay-backup-"))
  let sandbox: SharedSandbox.SharedSandbox
  const running = new Set<ServerProcess>()

  beforeAll(async () => {
    sandbox = await SharedSandbox.take()
  })

  afterAll(async () => {
    for (const server of running) await server.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  const start = async (database: string): Promise<ServerProcess> => {
    const server = await ServerProcess.start({
      ASSAY_DATABASE: database,
      ASSAY_SECRETS_KEY: "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=",
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_DAILY_QUOTA: "100000",
      ASSAY_BURST_PER_MINUTE: "100000",
      ASSAY_CONCURRENCY_PER_KEY: "1000",
      ASSAY_UNITS_PER_SOURCE_DAY: "100000",
      ASSAY_KEYS_PER_SOURCE_HOUR: "100000",
      ASSAY_KEYS_PER_SOURCE_DAY: "100000"
    })
    running.add(server)
    return server
  }

  const kill = async (server: ServerProcess): Promise<void> => {
    await server.kill()
    running.delete(server)
  }

  const check = async (store: Store): Promise<void> => {
    const server = await start(store.setting)
    const load = new Load(server, sandbox.targets.approver, pause)
    await load.start()
    const made: Array<{ readonly file: string; readonly began: number; readonly ended: number }> = []
    try {
      for (let index = 0; index < copies; index++) {
        await load.until(work)
        const file = join(directory, `${store.setting.slice(0, 6)}-${index}.backup`)
        const began = performance.now()
        await store.copyTo(file)
        made.push({ file, began, ended: performance.now() })
        await load.until(work)
      }
    } finally {
      await load.stop()
    }
    await kill(server)

    for (const [index, { began, ended, file }] of made.entries()) {
      const { damage, open, setting } = await store.restore(file, index)
      const database = open()
      try {
        assert.deepStrictEqual(await damage(database), [])
        assert.deepStrictEqual(Books.disagreements(await Books.read(database)), [])
        // As after the time for which a process of the backup could have been believed alive.
        await database.elapse(lease)
        const again = await start(setting)
        const owed = load.acknowledged.filter(({ at }) => at < began)
        const lost: Array<string> = []
        for (const { isAt, kind, what } of owed) if (!(await isAt(again))) lost.push(`${kind} ${what}`)
        assert.deepStrictEqual(lost, [])
        for (const kind of kinds) {
          const some = load.acknowledged.filter((each) => each.kind === kind)
          assert.isTrue(some.some(({ at }) => at < began) && some.some(({ at }) => at > ended), kind)
        }
        await quiet(database)
        await kill(again)
        const books = await Books.read(database)
        assert.deepStrictEqual(Books.disagreements(books), [])
        assert.deepStrictEqual(
          books.executions.filter(({ status }) => status === "running"),
          []
        )
        if (Tier.all)
          console.log(
            `${file.split("/").at(-1)}: made in ${Math.round(ended - began)} ms; ${owed.length} acknowledged before it, all there`
          )
      } finally {
        await database.close()
      }
    }
  }

  it("of SQLite, by the command, is whole, has all that was acknowledged before it, and is served again", async () => {
    const filename = join(directory, "working.db")
    await check({
      setting: `sqlite:${filename}`,
      copyTo: (file) => run(process.execPath, [bin, "backup", file, "--database", filename]),
      restore: async (file, index) => {
        const place = join(directory, `restored-${index}.db`)
        await run(process.execPath, [bin, "restore", file, "--database", place])
        return {
          setting: `sqlite:${place}`,
          open: () => new DatabaseFile(place),
          damage: async (database) =>
            (await database.rows("PRAGMA integrity_check"))
              .map(({ integrity_check }) => integrity_check)
              .filter((line) => line !== "ok")
        }
      }
    })
  })

  const runs = postgres !== undefined && dumps
  const note = runs ? "" : " (left out of this tier, or there is no Postgres with pg_dump)"
  it.runIf(runs)(
    `of Postgres, by pg_dump, is whole, has all that was acknowledged before it, and is served again${note}`,
    async () => {
      const url = postgres?.url ?? ""
      await check({
        setting: url,
        copyTo: (file) => run(join(binaries, "pg_dump"), ["--format=custom", `--file=${file}`, url]),
        restore: async (file, index) => {
          const place = restored[index]?.url ?? ""
          // Fails where anything of the dump could not be restored, such as an index with a row twice.
          const options = ["--exit-on-error", "--clean", "--if-exists", `--dbname=${place}`]
          await run(join(binaries, "pg_restore"), [...options, file])
          return { setting: place, open: () => new DatabaseOnPostgres(place), damage: async () => [] }
        }
      })
    }
  )
})
