import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import * as InstalledPostgres from "./installedPostgres.mjs"

/**
 * A Postgres for a benchmark, with the durability that it has when nothing is set: `$ASSAY_TEST_POSTGRES_URL`, or the one
 * that is installed, on files of its own. Gives databases by name, which are new.
 */
export const postgres = async (directory) => {
  const given = process.env.ASSAY_TEST_POSTGRES_URL
  const { close, pid, url } = given === undefined ? await started(directory) : { close: async () => {}, url: given }
  const made = []
  const run = async (database, text) => {
    const client = new pg.Client({ connectionString: database })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  return {
    /** Of the server, where it was started here. */
    pid,
    database: async (name) => {
      await run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await run(url, `CREATE DATABASE ${name}`)
      made.push(name)
      const database = new URL(url)
      database.pathname = `/${name}`
      return database.href
    },
    query: run,
    version: (await run(url, "SHOW server_version"))[0].server_version,
    close: async () => {
      if (given !== undefined) for (const name of made) await run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await close()
    }
  }
}

const started = async (parent) => {
  const bin = InstalledPostgres.binaries()
  if (bin === undefined) throw new Error("There is no Postgres: install one, or set ASSAY_TEST_POSTGRES_URL")
  const directory = mkdtempSync(join(parent, "assay-bench-postgres-"))
  InstalledPostgres.give(directory)
  const data = InstalledPostgres.initialise(bin, directory)
  const port = await InstalledPostgres.freePort()
  const settings = ["max_wal_size=4GB", "shared_buffers=512MB"].flatMap((setting) => ["-c", setting])
  const child = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", directory, ...settings],
    { ...InstalledPostgres.account(), cwd: directory, stdio: "ignore" }
  )
  const ended = new Promise((resolve) => child.once("exit", resolve))
  const end = () => child.kill("SIGQUIT")
  process.once("exit", end)
  const url = `postgres://assay@127.0.0.1:${port}/postgres`
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      break
    } catch (error) {
      if (tries === 300) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return {
    pid: child.pid,
    url,
    close: async () => {
      child.kill("SIGINT")
      await ended
      process.off("exit", end)
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
