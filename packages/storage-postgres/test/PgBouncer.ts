import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "@effect/vitest"
import { InstalledPostgres } from "./TestPostgres.js"

/** A PgBouncer in transaction mode before a database. */
export interface PgBouncer {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** Tests that need PgBouncer: without it on PATH they are skipped, and their title says why. */
export const describeOn = (found: PgBouncer | undefined) => (title: string, tests: () => void) =>
  found === undefined
    ? describe.skip(`${title}: skipped, as there is no pgbouncer on PATH`, tests)
    : describe(title, tests)

/** Starts the PgBouncer on PATH with so many connections to the server; none where there is none. */
export const start = async (target: string, size: number): Promise<PgBouncer | undefined> => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" })
  } catch {
    return undefined
  }
  const { hostname, password, pathname, port, username } = new URL(target)
  const directory = mkdtempSync(join(tmpdir(), "assay-pgbouncer-"))
  const listening = await InstalledPostgres.freePort()
  const file = join(directory, "pgbouncer.ini")
  const secret = password === "" ? "" : ` password=${decodeURIComponent(password)}`
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port || 5432} user=${username}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
server_round_robin = 1
`,
    { mode: 0o600 }
  )
  // It refuses to run as root, as Postgres does.
  InstalledPostgres.give(directory, file)
  const child = spawn("pgbouncer", ["-q", file], { ...InstalledPostgres.account(), cwd: directory, stdio: "ignore" })
  child.unref()
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  const stop = async () => {
    kill()
    await ended
    process.removeListener("exit", kill)
    rmSync(directory, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 100; tries++) {
    if (await answers(listening)) return { url: `postgres://${username}@127.0.0.1:${listening}${pathname}`, stop }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stop()
  throw new Error("PgBouncer was not ready within 10 s")
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })
