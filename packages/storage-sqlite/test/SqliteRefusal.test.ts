import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Id from "@assay/core/domain/Id"
import * as EventStore from "@assay/core/storage/EventStore"
import * as ExecutionStore from "@assay/core/storage/ExecutionStore"
import * as KeyStore from "@assay/core/storage/KeyStore"
import * as QuotaStore from "@assay/core/storage/QuotaStore"
import type * as StorageError from "@assay/core/storage/StorageError"
import * as WatchStore from "@assay/core/storage/WatchStore"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as GroupCommit from "../src/GroupCommit.js"
import * as SqliteEventStore from "../src/SqliteEventStore.js"
import * as SqliteExecutionStore from "../src/SqliteExecutionStore.js"
import * as SqliteKeyStore from "../src/SqliteKeyStore.js"
import * as SqliteQuotaStore from "../src/SqliteQuotaStore.js"
import * as SqliteStorage from "../src/SqliteStorage.js"
import * as SqliteWatchStore from "../src/SqliteWatchStore.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-refusal-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const stores = Layer.mergeAll(
  SqliteEventStore.layer,
  SqliteExecutionStore.layer,
  SqliteKeyStore.layer,
  SqliteQuotaStore.layer,
  SqliteWatchStore.layer
).pipe(Layer.provideMerge(SqliteStorage.layerClient({ filename: join(directory, "assay.db") })))

describe("a database that a later version migrates while a call is under way", () => {
  it.scoped("is written by no method: each has the lock when it looks at the schema", () =>
    Effect.gen(function* () {
      const [executions, watches] = [yield* ExecutionStore.ExecutionStore, yield* WatchStore.WatchStore]
      const [events, keys, quota] = [
        yield* EventStore.EventStore,
        yield* KeyStore.KeyStore,
        yield* QuotaStore.QuotaStore
      ]
      const [keyId, id, runId] = [yield* Id.make("key"), yield* Id.make("exe"), yield* Id.make("run")]
      GroupCommit.guard(
        yield* SqlClient,
        new SqlError({ cause: { code: "SCHEMA_TOO_NEW" }, message: "A later version migrated the database" })
      )
      const lease = { token: "token", until: 1 }
      const methods: { readonly [name: string]: Effect.Effect<unknown, StorageError.StorageError> } = {
        "ExecutionStore.renew": executions.renew(id, lease),
        "ExecutionStore.expireLeases": executions.expireLeases(1, 1),
        "ExecutionStore.bind": executions.bind({ keyId, name: "a", fingerprint: "b", id, now: 1, after: 0 }),
        "ExecutionStore.forgetIdempotencyKeys": executions.forgetIdempotencyKeys(1, 1),
        "ExecutionStore.forget": executions.forget(1, 1),
        "ExecutionStore.discard": executions.discard(id, "token"),
        "WatchStore.renew": watches.renew(runId, lease),
        "WatchStore.relayed": watches.relayed([yield* Id.make("evt")]),
        "EventStore.prune": events.prune(1, 1),
        "KeyStore.touch": keys.touch(keyId, 1),
        "QuotaStore.settle": quota.settle(id, "committed", 1)
      }
      for (const [operation, method] of Object.entries(methods)) {
        const error = yield* Effect.flip(Effect.asVoid(method))
        assert.deepInclude(error, { reason: "unavailable", operation, detail: "SCHEMA_TOO_NEW" })
      }
    }).pipe(Effect.provide(stores))
  )
})
