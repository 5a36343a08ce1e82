import { execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"

/** A Postgres of this test run: where it is, and how to end it. */
export interface TestPostgres {
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * `$ASSAY_TEST_POSTGRES_URL`, or a cluster of its own, of the Postgres on PATH or in the usual place of Debian. Postgres
 * refuses to run as root; then it runs as the user that Debian makes for it, or as nobody. None where there is none.
 */
export const start = async (): Promise<TestPostgres | undefined> => {
  const given = process.env.ASSAY_TEST_POSTGRES_URL
  if (given !== undefined) return { url: given, stop: async () => {} }
  const bin = binaries()
  if (bin === undefined) return undefined
  const directory = mkdtempSync(join(tmpdir(), "assay-postgres-"))
  const as = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {}
  if (as.uid !== undefined && as.gid !== undefined) chownSync(directory, as.uid, as.gid)
  const data = join(directory, "data")
  execFileSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "assay", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    {
      ...as,
      cwd: directory,
      stdio: "ignore"
    }
  )
  const port = await freePort()
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", directory, "-c", "fsync=off", "-c", "max_connections=60"],
    { ...as, cwd: directory, stdio: "ignore" }
  )
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  for (let tries = 0; tries < 300 && !isReady(bin, port); tries++)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return {
    url: `postgres://assay@127.0.0.1:${port}/postgres`,
    stop: async () => {
      server.kill("SIGINT")
      await ended
      rmSync(directory, { recursive: true, force: true })
    }
  }
}

const isReady = (bin: string, port: number): boolean => {
  try {
    execFileSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

const binaries = (): string | undefined => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : []
  const places = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env.PATH ?? "").split(delimiter).filter((place) => place !== "")
  ]
  return places
    .map((place) => join(place, "initdb"))
    .filter(existsSync)
    .map(dirname)[0]
}

const idOf = (flag: "-u" | "-g"): number => {
  for (const user of ["postgres", "nobody"])
    try {
      return Number(execFileSync("id", [flag, user], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
    } catch {}
  throw new Error("no user but root could run Postgres")
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()))
    })
  })
