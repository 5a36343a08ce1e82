import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
// @ts-expect-error: a script without types.
import * as untyped from "../../../scripts/installedPostgres.mjs"
import * as Tier from "../../../test/Tier.js"

export const InstalledPostgres = untyped as {
  readonly binaries: () => string | undefined
  readonly account: () => { readonly uid?: number; readonly gid?: number }
  readonly give: (...paths: ReadonlyArray<string>) => void
  readonly initialise: (bin: string, directory: string, ...more: ReadonlyArray<string>) => string
  readonly freePort: () => Promise<number>
}

/** A database of a test file, on the cluster of its process. */
export interface TestDatabase {
  readonly url: string
  /** Runs statements as another client would, and gives the rows of the last one. */
  readonly query: (text: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Record<string, unknown>>>
  /**
   * Stops the server as it is (SIGSTOP), with the sessions of this database: what is sent gets no answer, and a new
   * connection none either. Answers what lets it go on. For a server of this machine only.
   */
  readonly freeze: () => Promise<() => void>
  readonly drop: () => Promise<void>
}

/**
 * An empty database on `$ASSAY_TEST_POSTGRES_URL`, or on a cluster of this process, of the Postgres on PATH or in the
 * usual place of Debian. Postgres refuses to run as root; then it runs as the user that Debian makes for it, or as nobody.
 * None where there is no Postgres.
 */
export const database = async (): Promise<TestDatabase | undefined> => {
  const server = await cluster()
  if (server === undefined) return undefined
  const name = `assay_${randomBytes(6).toString("hex")}`
  await runOn(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    query: (text, values) => runOn(url.href, text, values),
    freeze: async () => {
      const sessions = await runOn(
        url.href,
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
      )
      const [asked] = await runOn(url.href, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
      const pids = [parentOf(Number(asked?.pid)), ...sessions.map(({ pid }) => Number(pid))]
      const signal = (name: "SIGSTOP" | "SIGCONT") => {
        for (const pid of pids)
          try {
            process.kill(pid, name)
          } catch {
            // A session that has ended meanwhile.
          }
      }
      // One that is stopped when this process ends would be stopped for ever.
      const thaw = () => {
        process.removeListener("exit", thaw)
        signal("SIGCONT")
      }
      process.once("exit", thaw)
      signal("SIGSTOP")
      return thaw
    },
    drop: async () => {
      await runOn(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    }
  }
}

/** The same for files with tests that all run at landing: before it none is started. */
export const databaseAtLanding = (): Promise<TestDatabase | undefined> =>
  Tier.landing ? database() : Promise.resolve(undefined)

/** Tests that need a Postgres: without one they are skipped, and their title says why. */
export const describeOn = (found: TestDatabase | undefined) => (title: string, tests: () => void) =>
  found === undefined
    ? describe.skip(`${title}: skipped, as there is no Postgres (install one, or set ASSAY_TEST_POSTGRES_URL)`, tests)
    : describe(title, tests)

/** The same at landing: test/Tier.ts. */
export const describeAtLanding = (found: TestDatabase | undefined) => (title: string, tests: () => void) =>
  Tier.landing ? describeOn(found)(title, tests) : describe.skip(title, tests)

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const parentOf = (pid: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ")[1]
  )

const runOn = (url: string, text: string, values: ReadonlyArray<unknown> = []) =>
  Effect.runPromise(
    Effect.provide(
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Record<string, unknown>>(text, values)),
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    )
  )

const shared = globalThis as { assayTestPostgres?: Promise<string | undefined> }

/** One a process, for all files that it runs: files share their modules only as long as vitest is told so. */
const cluster = (): Promise<string | undefined> => {
  shared.assayTestPostgres ??= start()
  return shared.assayTestPostgres
}

const start = async (): Promise<string | undefined> => {
  const given = process.env.ASSAY_TEST_POSTGRES_URL
  if (given !== undefined) return given
  const bin = InstalledPostgres.binaries()
  if (bin === undefined) return undefined
  const directory = mkdtempSync(join(tmpdir(), "assay-postgres-"))
  InstalledPostgres.give(directory)
  const data = InstalledPostgres.initialise(bin, directory, "--no-sync")
  const port = await InstalledPostgres.freePort()
  const options = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", directory]
  const settings = ["fsync=off", "max_connections=100"].flatMap((setting) => ["-c", setting])
  const user = JSON.stringify({ ...InstalledPostgres.account(), cwd: directory })
  const child = spawn(
    process.execPath,
    ["-e", supervisor, "--", directory, user, join(bin, "postgres"), ...options, ...settings],
    { detached: true, stdio: ["pipe", "ignore", "ignore"], env: { ...process.env, NODE_OPTIONS: "" } }
  )
  release(child)
  const url = `postgres://assay@127.0.0.1:${port}/postgres`
  for (let tries = 0; tries < 300; tries++) {
    const isReady = await runOn(url, "SELECT 1").then(
      () => true,
      () => false
    )
    if (isReady) return url
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  child.stdin?.destroy()
  throw new Error("Postgres was not ready within 30 s")
}

/**
 * Postgres outlives a parent that is killed. This process stands between: its input ends however the parent does, and
 * then it ends Postgres and removes its files.
 */
const supervisor = `
const { spawn } = require("node:child_process")
const { rmSync } = require("node:fs")
const [directory, options, binary, ...args] = process.argv.slice(1)
const child = spawn(binary, args, { ...JSON.parse(options), stdio: "ignore" })
const end = () => child.kill("SIGQUIT")
for (const event of ["end", "close", "error"]) process.stdin.on(event, end)
process.stdin.resume()
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, end)
child.on("exit", () => { rmSync(directory, { recursive: true, force: true, maxRetries: 5 }); process.exit(0) })
`

/** Lets this process end while Postgres runs, which then ends too. */
const release = (child: ChildProcess): void => {
  child.unref()
  const input = child.stdin as Socket | null
  input?.on("error", () => {})
  input?.unref()
}
