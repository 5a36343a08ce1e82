import { writeSync } from "node:fs"
import {
  EventStore,
  ExecutionStore,
  Grid,
  Id,
  KeyStore,
  Processes,
  QuotaStore,
  type Storage,
  type StorageError,
  Timestamp,
  Transition,
  Watch,
  WatchStore
} from "@assay/core"
import { Documents } from "@assay/core/testing"
import { Effect, Logger, Option, Schema } from "effect"
import * as SqliteStorage from "../../src/SqliteStorage.js"

// A process of its own on a database that others have open: `worker <file> acknowledge|reserve|claim|work <key id>`.
const [, , filename = "", task = "", key = ""] = process.argv
const keyId = Schema.decodeUnknownSync(Id.KeyId)(key)
const now = Date.UTC(2026, 10, 21, 12)

// A write to a pipe that returned is with the reader, also when this process is killed right after it.
const say = (line: string) => Effect.sync(() => void writeSync(1, `${line}\n`))

const acknowledge = Effect.gen(function* () {
  const keys = yield* KeyStore.KeyStore
  const executions = yield* ExecutionStore.ExecutionStore
  const quota = yield* QuotaStore.QuotaStore
  const id = yield* Id.make("exe")
  const newKey = yield* Id.make("key")
  yield* keys.insert({
    id: newKey,
    hashVersion: 1,
    hash: `0x${Buffer.from(newKey).toString("hex")}`,
    hint: "asy_7Hq2…x9Kd",
    label: "worker",
    state: "active",
    dailyQuota: 50,
    createdAt: now,
    expiresAt: Option.none(),
    lastUsedAt: Option.none(),
    source: Option.none(),
    former: Option.none(),
    plan: Option.none(),
    invitation: Option.none()
  })
  yield* say(`key ${newKey}`)
  const running = Documents.running(id, Documents.token(1), now)
  yield* executions.begin({ id, keyId, joinKey: id, slots: 1e9, lease: { token: id, until: now }, running })
  yield* say(`begun ${id}`)
  yield* quota.reserve({ id, keyId, kind: "token", buckets: [{ name: `key:${keyId}`, limit: 1e9 }], now })
  yield* say(`reserved ${id}`)
  yield* executions.complete(id, Documents.completed(running, now), { known: {}, reported: {} })
  yield* say(`completed ${id}`)
  yield* quota.settle(id, "committed", now)
  yield* say(`committed ${id}`)
  const watches = yield* WatchStore.WatchStore
  const watch = yield* newWatch
  yield* watches.create(watch, 1e9)
  yield* say(`watch ${watch.id}`)
  const [claim] = yield* claimOne
  if (claim === undefined) return yield* say("broken: nothing to claim")
  yield* say(`claimed ${claim.run.id}`)
  const event = {
    id: Id.derive("evt", claim.run.id),
    keyId,
    timestamp: Timestamp.fromMillis(now),
    body: { type: "quota.threshold", data: { day: "2026-11-21", daily_quota: 50, used: 40 } },
    only: null
  } as const
  yield* watches.finishRun(claim.run.id, claim.token, (found) => ({
    run: { ...claim.run, status: "succeeded", finished_at: Timestamp.fromMillis(now), change_status: "changed" },
    memory: { ...found.memory, nextDueAt: Option.none() },
    events: [event]
  }))
  yield* say(`finished ${claim.run.id}`)
  yield* (yield* EventStore.EventStore).append(yield* watches.outbox(10_000), now)
  yield* say(`appended ${event.id}`)
}).pipe(Effect.forever)

const newWatch = Effect.gen(function* () {
  const id = yield* Id.make("wat")
  const watch: WatchStore.StoredWatch = {
    id,
    keyId,
    target: Documents.token(1),
    label: "worker",
    options: Watch.defaultOptions,
    createdAt: now,
    updatedAt: now,
    memory: {
      ...Transition.created(Grid.make(id, { anchor: now, intervalSeconds: 900 }), "Active"),
      nextDueAt: Option.some(now)
    },
    revision: 1,
    live: Option.none()
  }
  return watch
})

const claimOne = Effect.gen(function* () {
  const watches = yield* WatchStore.WatchStore
  const [runId, executionId] = [yield* Id.make("run"), yield* Id.make("exe")]
  return yield* watches.claimDue({
    now,
    until: now + 120_000,
    slots: [{ runId, executionId, token: runId }],
    perKey: 1e9,
    begin: (watch) => ({
      memory: watch.memory,
      run: {
        id: runId,
        scheduled_for: Timestamp.fromMillis(now),
        started_at: Timestamp.fromMillis(now),
        finished_at: null,
        trigger: "schedule",
        status: "running",
        units: 0,
        execution_id: executionId,
        change_status: null,
        max_severity: null,
        error_code: null,
        error: null
      }
    })
  })
})

const claim = Effect.gen(function* () {
  const watches = yield* WatchStore.WatchStore
  for (let made = 0; made < 25; made++) yield* watches.create(yield* newWatch, 1e9)
  let claims: ReadonlyArray<WatchStore.Claim>
  do {
    claims = yield* claimOne
    for (const { watch } of claims) yield* say(`claimed ${watch.id}`)
  } while (claims.length > 0)
})

const reserve = Effect.gen(function* () {
  const quota = yield* QuotaStore.QuotaStore
  const one = Effect.flatMap(Id.make("exe"), (id) =>
    quota.reserve({ id, keyId, kind: "token", buckets: [{ name: `key:${keyId}`, limit: 50 }], now })
  )
  const answers = yield* Effect.replicateEffect(one, 100, { concurrency: "unbounded" })
  yield* say(`granted ${answers.filter((answer) => answer._tag === "Reserved").length}`)
})

/** Is in the middle of an execution, whose lease ends long after the test, for as long as it lives. */
const work = Effect.gen(function* () {
  const executions = yield* ExecutionStore.ExecutionStore
  const quota = yield* QuotaStore.QuotaStore
  const { self } = yield* Processes.Processes
  const name = Option.getOrElse(self, () => "none")
  const id = yield* Id.make("exe")
  const at = Date.now()
  const lease = { token: `${name}.${id}`, until: at + 3_600_000 }
  const running = Documents.running(id, Documents.token(1), at)
  yield* executions.begin({ id, keyId, joinKey: id, slots: 1e9, lease, running })
  yield* quota.reserve({ id, keyId, kind: "token", buckets: [], now: at })
  yield* say(`works as ${name} on ${id}`)
  yield* Effect.never
})

const tasks: { readonly [task: string]: Effect.Effect<void, StorageError.StorageError, Storage.Storage> } = {
  acknowledge,
  reserve,
  claim,
  work
}

Effect.runFork(
  Effect.provide(tasks[task] ?? Effect.dieMessage("no such task"), SqliteStorage.layer({ filename })).pipe(
    Effect.tapErrorCause((cause) => say(`broken ${cause}`)),
    // What is said is read from standard output.
    Effect.provide(Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger)))
  )
)
