import { mkdtempSync, rmSync, statSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import {
  Bell,
  Chains,
  EventBell,
  Executions,
  Grid,
  KeyStore,
  Quota,
  Reaper,
  Relay,
  RunReaper,
  Scheduler,
  Transition,
  Watch,
  WatchStore
} from "@assay/core"
import { Documents, ScriptedAnalyzer } from "@assay/core/testing"
import { SqliteStorage } from "@assay/storage-sqlite"
import { Effect, Layer, ManagedRuntime, Option } from "effect"

const second = 1_000
const hour = 3_600 * second

/** How late checks start when thousands of watches are due in turn: main.mjs says what the figures mean. */
export const watches = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      watches: { type: "string", default: "10000" },
      keys: { type: "string", default: "200" },
      minutes: { type: "string", default: "10" },
      concurrency: { type: "string", default: "32" },
      analysis: { type: "string", default: "8" },
      directory: { type: "string", default: tmpdir() }
    }
  })
  const [count, keys, minutes] = [values.watches, values.keys, values.minutes].map(Number)
  const directory = mkdtempSync(join(values.directory, "assay-bench-"))
  const filename = join(directory, "watches.db")
  const chain = Chains.make({ id: 31337, name: "sandbox", endpoints: ["http://127.0.0.1:1"], explorer: Option.none() })
  const dueOf = new Map()
  const late = []
  let running = 0
  let most = 0
  const Upstream = ScriptedAnalyzer.layer((request) =>
    Effect.gen(function* () {
      const due = dueOf.get(request.address)
      if (due !== undefined) late.push(Date.now() - due)
      dueOf.delete(request.address)
      running++
      most = Math.max(most, running)
      yield* Effect.sleep(Number(values.analysis) * second)
      running--
      const target = { kind: request.kind, address: request.address, chain: { id: chain.id, name: chain.name } }
      return Documents.analysis(target, items, 21_000_000)
    })
  )
  const Stores = SqliteStorage.layer({ filename })
  const Services = Layer.mergeAll(Scheduler.layer({ concurrency: Number(values.concurrency) }), RunReaper.layer()).pipe(
    Layer.provide(Layer.mergeAll(Executions.layer(), Bell.layer, Relay.layer(), Reaper.layer())),
    Layer.provide(Layer.mergeAll(Upstream, Quota.layer(), EventBell.layer, Chains.layer([chain]))),
    Layer.provideMerge(Stores)
  )

  const stores = ManagedRuntime.make(Stores)
  await stores.runPromise(fill({ count, keys, chain, dueOf, now: Date.now() + 30 * second }))
  await stores.dispose()
  console.log(
    `${count} hourly watches of ${keys} keys on SQLite, analyses of ${values.analysis} s, ${values.concurrency} at once, ${minutes} minutes`
  )

  const collect = collector()
  const runtime = ManagedRuntime.make(Services)
  try {
    await runtime.runPromise(Effect.void)
    const cpu = process.cpuUsage()
    console.log("minute  started  p50 s  p99 s  max s  at once  heap MB  rss MB  file MB  load")
    for (let minute = 1; minute <= minutes; minute++) {
      await setTimeout(60 * second)
      collect()
      const { heapUsed, rss } = process.memoryUsage()
      const row = [
        minute,
        late.length,
        (quantile(late, 0.5) / second).toFixed(2),
        (quantile(late, 0.99) / second).toFixed(2),
        (Math.max(...late) / second).toFixed(2),
        most,
        mega(heapUsed),
        mega(rss),
        mega(statSync(filename).size),
        loadavg()[0].toFixed(1)
      ]
      console.log(row.map((figure, index) => String(figure).padStart(widths[index])).join("  "))
    }
    const { system, user } = process.cpuUsage(cpu)
    const overdue = [...dueOf.values()].filter((due) => due < Date.now() - 30 * second).length
    console.log(
      `${late.length} checks started, p99 ${(quantile(late, 0.99) / second).toFixed(2)} s late, ${overdue} more than 30 s overdue and not started, CPU ${((user + system) / 1e6 / (minutes * 60)).toFixed(2)} of a core`
    )
  } finally {
    await runtime.dispose()
    rmSync(directory, { recursive: true, force: true })
  }
}

const widths = [6, 7, 5, 5, 5, 7, 7, 6, 7, 4]
const items = Array.from({ length: 60 }, (_, index) => Documents.evidence(`token.claim-${index}`, "confirmed"))
const mega = (bytes) => (bytes / 2 ** 20).toFixed(0)
const quantile = (values, part) => [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
const idOf = (prefix, number) => `${prefix}_${String(number).padStart(26, "0")}`

/** Watches with hours that began at different times in the last one, as they would after a while of service. */
const fill = ({ chain, count, dueOf, keys, now }) =>
  Effect.gen(function* () {
    const keyStore = yield* KeyStore.KeyStore
    const store = yield* WatchStore.WatchStore
    for (let key = 0; key < keys; key++)
      yield* keyStore.insert({
        id: idOf("key", key),
        hashVersion: 1,
        hash: `0x${key.toString(16).padStart(64, "0")}`,
        hint: "asy_test…test",
        label: `key ${key}`,
        state: "active",
        dailyQuota: 1_000_000,
        createdAt: now,
        expiresAt: Option.none(),
        lastUsedAt: Option.none(),
        source: Option.none(),
        former: Option.none(),
        plan: Option.none(),
        invitation: Option.none()
      })
    yield* Effect.forEach(
      Array.from({ length: count }, (_, index) => index),
      (index) => {
        const id = idOf("wat", index)
        const anchor = now - hour - Math.floor((index / count) * hour)
        const grid = Grid.make(id, { anchor, intervalSeconds: 3600 })
        const n = Grid.next(grid, now)
        const address = Documents.address(index + 1)
        const due = Grid.due(grid, n)
        dueOf.set(address, due)
        return store.create(
          {
            id,
            keyId: idOf("key", index % keys),
            target: { kind: "token", address, chain: { id: chain.id, name: chain.name } },
            label: "",
            options: Watch.defaultOptions,
            createdAt: anchor,
            updatedAt: anchor,
            memory: { ...Transition.created(grid, "Active"), n: n - 1, nextDueAt: Option.some(due) },
            revision: 1,
            live: Option.none()
          },
          count
        )
      },
      { concurrency: 64, discard: true }
    )
  })

/** Collects garbage, so that what is left of the heap is what is held. */
const collector = () => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
}
