import { writeSync } from "node:fs"
import { ExecutionStore, Id, KeyStore, QuotaStore } from "@assay/core"
import { Documents } from "@assay/core/testing"
import { Effect, Option, Schema } from "effect"
import * as SqliteStorage from "../../src/SqliteStorage.js"

// A process of its own on a database that others have open: `worker <file> acknowledge|reserve <key id>`.
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
    source: Option.none()
  })
  yield* say(`key ${newKey}`)
  const running = Documents.running(id, Documents.token(1), now)
  yield* executions.begin({ id, keyId, joinKey: id, slots: 1e9, lease: { token: id, until: now }, running })
  yield* say(`begun ${id}`)
  yield* quota.reserve({ id, keyId, kind: "token", buckets: [{ name: `key:${keyId}`, limit: 1e9 }], now })
  yield* say(`reserved ${id}`)
  yield* executions.complete(id, Documents.completed(running, now), {})
  yield* say(`completed ${id}`)
  yield* quota.settle(id, "committed", now)
  yield* say(`committed ${id}`)
}).pipe(Effect.forever)

const reserve = Effect.gen(function* () {
  const quota = yield* QuotaStore.QuotaStore
  const one = Effect.flatMap(Id.make("exe"), (id) =>
    quota.reserve({ id, keyId, kind: "token", buckets: [{ name: `key:${keyId}`, limit: 50 }], now })
  )
  const answers = yield* Effect.replicateEffect(one, 100, { concurrency: "unbounded" })
  yield* say(`granted ${answers.filter((answer) => answer._tag === "Reserved").length}`)
})

Effect.runFork(
  Effect.provide(task === "acknowledge" ? acknowledge : reserve, SqliteStorage.layer({ filename })).pipe(
    Effect.tapErrorCause((cause) => say(`broken ${cause}`))
  )
)
