import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import {
  Analyzer,
  ChainAccess,
  Checks,
  Entropy,
  ExecutionStore,
  Executions,
  Grid,
  Id,
  Keys,
  Quota,
  Storage,
  Transition,
  Watch,
  WatchStore
} from "@assay/core"
import { Sandbox } from "@assay/sandbox"
import { SqliteStorage } from "@assay/storage-sqlite"
import { NodeHttpClient } from "@effect/platform-node"
import autocannon from "autocannon"
import Database from "better-sqlite3"
import { Effect, Layer, ManagedRuntime, Option, Redacted } from "effect"
import { median } from "../scripts/quantiles.mjs"
import { sandboxChain } from "../scripts/sandboxChain.mjs"
import { started } from "./server-process.mjs"

const bin = fileURLToPath(new URL("../packages/server/dist/main.js", import.meta.url))
const peers = fileURLToPath(new URL("./http-peers.mjs", import.meta.url))

/** How fast stored documents are served, beside other servers: main.mjs says what the figures mean. */
export const http = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: "string", default: "1.5" },
      rounds: { type: "string", default: "3" },
      connections: { type: "string", default: "16" },
      executions: { type: "string", default: "1000" },
      keys: { type: "string", default: "100" },
      route: { type: "string", multiple: true, default: ["execution", "watch", "usage", "watches"] },
      form: { type: "string", multiple: true, default: ["plain", "gzip", "cold"] },
      peer: { type: "string", multiple: true, default: ["fastify", "hono", "node"] },
      profile: { type: "string" }
    }
  })
  const directory = mkdtempSync(join(tmpdir(), "assay-http-"))
  try {
    const filename = join(directory, "assay.db")
    const { paths, keys } = await fill(filename, Number(values.executions), Number(values.keys))
    const peerFile = join(directory, "peers.db")
    const begin = {
      assay: () => assay(directory, filename, values.profile),
      ...Object.fromEntries(values.peer.map((peer) => [peer, () => started([peers, peer, peerFile], directory)]))
    }
    await copy(begin.assay, peerFile, paths, keys)
    await compare(begin, paths)
    const options = { seconds: Number(values.seconds), connections: Number(values.connections) }
    console.log(
      `http: ${options.connections} connections, ${options.seconds} s a run, ${values.executions} executions, ${values.keys} keys; medians of ${values.rounds} rounds\n`
    )
    for (const form of values.form)
      for (const route of form === "cold" ? values.route.slice(0, 1) : values.route)
        print(
          `${route}, ${form}`,
          await rounds(begin, paths[route], form, { ...options, rounds: Number(values.rounds) })
        )
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** An analysis of a wallet of the sandbox chain, as it is stored. */
const analysed = async () => {
  const sandbox = await Sandbox.start()
  const runtime = ManagedRuntime.make(
    Executions.layer().pipe(
      Layer.provide([Analyzer.layer(Checks.all), Quota.layer()]),
      Layer.provide([ChainAccess.layerJsonRpc(), Storage.layerMemory]),
      Layer.provide(NodeHttpClient.layerUndici)
    )
  )
  try {
    const caller = { id: idOf("key", 0), dailyQuota: 1_000, source: Option.none() }
    const { address, kind } = sandbox.targets.approver
    const chain = sandboxChain(sandbox)
    const request = { caller, kind, address, chain, summary: "not_requested", compareTo: Option.none() }
    return await runtime.runPromise(Effect.flatMap(Executions.Executions, (use) => use.run(request)))
  } finally {
    await runtime.dispose()
    await sandbox.stop()
  }
}

const idOf = (prefix, number) => `${prefix}_${String(number).padStart(26, "0")}`
const addressOf = (number) => `0x${String(number).padStart(40, "0")}`

/** A database with keys, executions of them, and five watches of each key with the result of a check. */
const fill = async (filename, executions, keyCount) => {
  const result = await analysed()
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(
      Keys.layer({ dailyQuota: 1_000_000 }),
      Layer.merge(SqliteStorage.layer({ filename }), Entropy.layer)
    )
  )
  const paths = { execution: [], watch: [], usage: [], watches: [] }
  const keys = []
  await runtime.runPromise(
    Effect.gen(function* () {
      const store = yield* ExecutionStore.ExecutionStore
      const watches = yield* WatchStore.WatchStore
      const use = yield* Keys.Keys
      const now = Date.now()
      const keep = (keyId, number, watchId) =>
        Effect.gen(function* () {
          const id = yield* Id.make("exe")
          const document = { ...result, execution_id: id, address: addressOf(number), content_hash: `sha256:${id}` }
          const running = { ...document, status: "running", content_hash: null, completed_at: null }
          const lease = { token: `bench ${number}`, until: now + 60_000 }
          yield* store.begin({ id, joinKey: id, keyId, lease, running, slots: 1_000_000, watchId })
          yield* store.complete(lease.token, document, { known: {}, reported: {} })
          return id
        })
      for (let index = 0; index < keyCount; index++) {
        const request = { label: "bench", expiresInSeconds: Option.none(), source: Option.none() }
        const { key } = yield* use.create(request)
        const { id } = yield* use.authenticate(Redacted.make(key))
        keys.push({ id, key })
      }
      for (let index = 0; index < executions; index++) {
        const { id, key } = keys[index % keyCount]
        paths.execution.push({ key, path: `/api/v1/executions/${yield* keep(id, index, Option.none())}` })
      }
      for (const { id, key } of keys) {
        paths.usage.push({ key, path: "/api/v1/usage" })
        paths.watches.push({ key, path: "/api/v1/watches" })
        for (let index = 0; index < 5; index++) {
          const watchId = yield* Id.make("wat")
          const memory = Transition.created(Grid.make(watchId, { anchor: now, intervalSeconds: 86_400 }), "Active")
          yield* watches.create(
            {
              id: watchId,
              keyId: id,
              target: { kind: "wallet", address: addressOf(index), chain: result.chain },
              label: `watch ${index}`,
              options: Watch.defaultOptions,
              createdAt: now,
              updatedAt: now,
              memory: { ...memory, lastCheckedAt: Option.some(now), nextDueAt: Option.some(now + 43_200_000) },
              revision: 1,
              live: Option.none()
            },
            100
          )
          yield* keep(id, index, Option.some(watchId))
          paths.watch.push({ key, path: `/api/v1/watches/${watchId}` })
        }
      }
    })
  )
  await runtime.dispose()
  return { paths, keys }
}

/** What the API answers, in tables for the other servers. */
const copy = async (begin, filename, paths, keys) => {
  const db = new Database(filename)
  db.pragma("journal_mode = WAL")
  db.exec(`CREATE TABLE peer_key (hash TEXT PRIMARY KEY, id TEXT NOT NULL, state TEXT NOT NULL);
    CREATE TABLE peer_document (key_id TEXT, path TEXT, body TEXT NOT NULL, PRIMARY KEY (key_id, path))`)
  const server = await begin()
  const ids = new Map(keys.map(({ id, key }) => [key, id]))
  const documents = []
  for (const { key, path } of Object.values(paths).flat())
    documents.push([ids.get(key), path, (await answer(server.origin, { key, path })).toString()])
  await server.stop()
  const keep = db.prepare("INSERT INTO peer_key VALUES (?, ?, 'active')")
  const put = db.prepare("INSERT INTO peer_document VALUES (?, ?, ?)")
  db.transaction(() => {
    for (const { id, key } of keys) keep.run(createHash("sha256").update(key).digest("hex"), id)
    for (const document of documents) put.run(...document)
  })()
  db.close()
}

const answer = async (origin, { key, path }, coding = "identity") => {
  const response = await fetch(origin + path, { headers: headersOf(key, coding) })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

const headersOf = (key, coding) => ({ authorization: `Bearer ${key}`, "accept-encoding": coding })

/** Stops where a server answers other bytes than ours. */
const compare = async (begin, paths) => {
  const servers = await Promise.all(Object.values(begin).map((start) => start()))
  try {
    for (const route of Object.values(paths))
      for (const request of route.filter((_, index) => index % 25 === 0))
        for (const coding of ["identity", "gzip"]) {
          const [ours, ...others] = await Promise.all(servers.map(({ origin }) => answer(origin, request, coding)))
          for (const other of others)
            if (!ours.equals(other)) throw new Error(`${request.path}: ${ours.length} bytes, not ${other.length}`)
        }
  } finally {
    for (const { stop } of servers) await stop()
  }
}

const assay = (directory, filename, profile) =>
  started([...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]), bin, "serve"], directory, {
    ASSAY_PORT: "0",
    ASSAY_DATABASE: `sqlite:${filename}`,
    // It gets no requests: no analysis is run.
    ASSAY_RPC_URLS: "1=http://127.0.0.1:9",
    ASSAY_SCHEDULER: "off",
    ASSAY_LOG_FORMAT: "json",
    ASSAY_BURST_PER_MINUTE: "1000000"
  })

const rounds = async (begin, requests, form, options) => {
  const results = Object.fromEntries(Object.keys(begin).map((name) => [name, []]))
  const warm = new Map()
  try {
    if (form !== "cold")
      for (const [name, start] of Object.entries(begin)) {
        const server = await start()
        warm.set(name, server)
        // Each document twice, and then as the rounds.
        await load(server, requests, form, { ...options, amount: 2 * requests.length })
        await load(server, requests, form, { ...options, seconds: 1 })
      }
    // In turns, so that whatever else the machine does meanwhile meets all of them.
    for (let round = 0; round < options.rounds; round++)
      for (const [name, start] of Object.entries(begin)) {
        const server = warm.get(name) ?? (await start())
        results[name].push(await load(server, requests, form, options))
        if (!warm.has(name)) await server.stop()
      }
  } finally {
    for (const { stop } of warm.values()) await stop()
  }
  return results
}

const load = async (server, requests, form, { amount, connections, seconds }) => {
  const before = cpuOf(server.pid)
  const result = await autocannon({
    url: server.origin,
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    setupClient: (client) =>
      client.setRequests(
        shuffled(requests).map(({ key, path }) => ({
          path,
          headers: {
            authorization: `Bearer ${key}`,
            ...(form === "gzip" ? { "accept-encoding": "gzip" } : {})
          }
        }))
      )
  })
  if (result.non2xx + result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} errors: ${JSON.stringify(result.statusCodeStats)}`)
  const { latency, requests: done } = result
  return {
    rate: done.total / result.duration,
    p50: latency.p50,
    p99: latency.p99,
    cpu: ((cpuOf(server.pid) - before) * 1000) / done.total
  }
}

const shuffled = (values) => {
  const mixed = [...values]
  for (let index = mixed.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1))
    const kept = mixed[index]
    mixed[index] = mixed[other]
    mixed[other] = kept
  }
  return mixed
}

// User and system time of all threads in ms, from hundredths of a second.
const cpuOf = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const print = (title, results) => {
  console.log(
    `${title.padEnd(20)}${"req/s".padStart(8)}${"of ours".padStart(22)}${"p50 ms".padStart(8)}${"p99 ms".padStart(8)}${"CPU µs".padStart(8)}`
  )
  const ours = results.assay
  for (const [name, runs] of Object.entries(results)) {
    const of = (figure) => median(runs.map((run) => run[figure]))
    const ratios = runs.map((run, index) => ours[index].rate / run.rate)
    const ratio =
      name === "assay"
        ? ""
        : `${median(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)})`
    console.log(
      `  ${name.padEnd(18)}${of("rate").toFixed(0).padStart(8)}${ratio.padStart(22)}${String(of("p50")).padStart(8)}${String(of("p99")).padStart(8)}${of("cpu").toFixed(0).padStart(8)}`
    )
  }
}
