// Keeps what this version writes, for tests of every later one: `node packages/server/scripts/keepVersion.mjs NAME`, from a
// clean tree of a commit of main. It runs the built server on a sandbox chain over SQLite and over Postgres, and writes
// packages/server/test/versions/NAME: both databases, and what the server answered of them (docs/decisions/0052).
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { SharedSandbox } from "@assay/sandbox"
import * as InstalledPostgres from "../../../scripts/installedPostgres.mjs"
import { postgres } from "../../../scripts/postgres.mjs"

const [name] = process.argv.slice(2)
if (!/^\d{4}-\d{2}-\d{2}$/.test(name ?? "")) throw new Error("name it by its day, as 2026-11-28")
const root = fileURLToPath(new URL("../../..", import.meta.url))
const bin = join(root, "packages/server/bin/assay.js")
const commit = execFileSync("git", ["merge-base", "HEAD", "main"], { cwd: root, encoding: "utf8" }).trim()
const changed = execFileSync("git", ["diff", "--name-only", commit, "--", "packages/*/src"], {
  cwd: root,
  encoding: "utf8"
})
if (changed !== "") throw new Error(`main has another version of\n${changed}`)

// Of these databases alone, which hold nothing of anybody.
const secretsKey = "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s="
const folder = mkdtempSync(join(tmpdir(), "assay-version-"))
const sandbox = await SharedSandbox.take()
const receiver = createServer((request, response) => {
  request.resume()
  request.on("end", () => response.writeHead(204).end())
})
await once(receiver.listen(0, "127.0.0.1"), "listening")
const hook = `http://127.0.0.1:${receiver.address().port}/hook`

const serve = async (database) => {
  const child = spawn(process.execPath, [bin, "serve"], {
    env: {
      PATH: process.env.PATH,
      ASSAY_PORT: "0",
      ASSAY_DATABASE: database,
      ASSAY_SECRETS_KEY: secretsKey,
      ASSAY_RPC_URLS: `31337=${sandbox.url}`,
      ASSAY_WEBHOOKS_ALLOW_PRIVATE: "on",
      ASSAY_WEBHOOKS_ALLOW_HTTP: "on"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let log = ""
  let origin
  child.stdout.setEncoding("utf8")
  for await (const text of child.stdout) {
    log += text
    origin = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1\/docs/.exec(log)?.[1]
    if (origin !== undefined) break
  }
  return { child, origin: `${origin}/api/v1/` }
}

/** Lets a server make some of everything that it stores, and gives what it answers of it. */
const fill = async (database) => {
  const { child, origin } = await serve(database)
  const ended = once(child, "exit")
  const send = async (path, key, body, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
  const { key } = await send("keys", undefined, { label: "kept" })
  const webhook = await send("webhooks", key, { url: hook, event_types: ["watch.changed", "watch.checked"] })
  const { approver, plain } = sandbox.targets
  await send(`${plain.kind}/${plain.address}`, key)
  await send(`${approver.kind}/${approver.address}`, key)
  const watch = await send("watches", key, {
    target: approver.kind,
    address: approver.address,
    label: "kept",
    paused: true,
    options: { verify: false, notify_unchanged: true }
  })
  await send(`watches/${watch.id}/run`, key, undefined, "POST")
  const until = async (path, isThere) => {
    for (let tries = 0; tries < 1_200; tries++) {
      const answer = await send(path, key)
      if (isThere(answer)) return
      await pause(100)
    }
    throw new Error(`${path} never had it`)
  }
  await until(`webhooks/${webhook.id}/deliveries`, ({ data }) => data.some(({ status }) => status === "delivered"))
  const { data: executions } = await send("executions", key)
  const paths = [
    "keys/self",
    "usage",
    "executions",
    ...executions.map(({ execution_id }) => `executions/${execution_id}`),
    "watches",
    `watches/${watch.id}`,
    `watches/${watch.id}/runs`,
    "events",
    "webhooks",
    `webhooks/${webhook.id}`,
    `webhooks/${webhook.id}/deliveries`
  ]
  const answers = []
  for (const path of paths) answers.push({ path, answer: await send(path, key) })
  child.kill("SIGTERM")
  await ended
  return { key, watch: watch.id, answers }
}

const to = join(root, "packages/server/test/versions", name)
mkdirSync(to)
const write = (file, bytes) => writeFileSync(join(to, file), gzipSync(bytes, { level: 9 }))
const server = await postgres(tmpdir())
try {
  const file = join(folder, "kept.db")
  const sqlite = await fill(`sqlite:${file}`)
  const copy = join(folder, "copy.db")
  execFileSync(process.execPath, [bin, "backup", copy, "--database", file], { stdio: "ignore" })
  write("sqlite.db.gz", readFileSync(copy))
  write("sqlite.answers.json.gz", JSON.stringify(sqlite))

  const url = await server.database("kept")
  const kept = await fill(url)
  const dump = join(InstalledPostgres.binaries(), "pg_dump")
  const options = ["--no-owner", "--no-privileges", url]
  // Commands of psql alone, which newer ones of it write and a driver does not know.
  const text = execFileSync(dump, ["--inserts", ...options], { encoding: "utf8", maxBuffer: 1 << 28 }).replace(
    /^\\.*\n/gm,
    ""
  )
  write("postgres.sql.gz", text)
  write("postgres.answers.json.gz", JSON.stringify(kept))
  writeFileSync(join(to, "version.json"), `${JSON.stringify({ commit }, null, 2)}\n`)
} catch (error) {
  rmSync(to, { recursive: true })
  throw error
} finally {
  await server.close()
  receiver.close()
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${to} is made from ${commit}`)
process.exit(0)
