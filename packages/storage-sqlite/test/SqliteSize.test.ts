import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventStore, Id, Timestamp } from "@assay/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric, MetricState, Option, TestClock } from "effect"
import * as SqliteEventStore from "../src/SqliteEventStore.js"
import * as SqliteSize from "../src/SqliteSize.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-size-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const append = Effect.fnUntraced(function* (keyId: Id.KeyId, count: number, now: number) {
  const store = yield* EventStore.EventStore
  const events = yield* Effect.replicateEffect(
    Effect.map(Id.make("evt"), (id) => ({
      id,
      keyId,
      timestamp: Timestamp.fromMillis(now),
      body: {
        type: "webhook.disabled" as const,
        data: { webhook_id: "whk_00000000000000000000000000" as const, url: "x".repeat(1000), reason: "gone" }
      },
      only: null
    })),
    count
  )
  return yield* store.append(events, now)
})

const stores = (name: string) =>
  Layer.provideMerge(
    Layer.merge(SqliteEventStore.layer, SqliteSize.layer),
    SqliteStorage.layerClient({ filename: join(directory, name) })
  )

describe("SqliteSize", () => {
  it.scoped("tells the file's size and the rows that are in it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* append(yield* Id.make("key"), 100, 1)
      const size = yield* SqliteSize.read
      yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
      assert.strictEqual(size.bytes, statSync(join(directory, "told.db")).size)
      assert.deepStrictEqual(
        [size.rows.event, size.rows.execution, size.rows.watch, size.rows.watch_run, size.rows.delivery],
        [100, 0, 0, 0, 0]
      )
    }).pipe(Effect.provide(stores("told.db")))
  )

  it.scoped("does not grow where as much is removed as comes", () =>
    Effect.gen(function* () {
      const store = yield* EventStore.EventStore
      const keyId = yield* Id.make("key")
      const sizes: Array<number> = []
      let removed = 0
      for (let day = 0; day < 8; day++) {
        yield* append(keyId, 200, day)
        // In parts, as retention does.
        let part: number
        do {
          part = yield* store.prune(day, 50)
          removed += part
        } while (part > 0)
        const { bytes, rows } = yield* SqliteSize.read
        assert.strictEqual(rows.event, 200)
        sizes.push(bytes)
      }
      assert.strictEqual(removed, 7 * 200)
      assert.strictEqual(new Set(sizes.slice(2)).size, 1, sizes.join())
      const page = yield* store.read(keyId, { after: 0, types: [], watchId: Option.none(), limit: 1 })
      assert.deepStrictEqual(page, { _tag: "Expired", oldest: 1400 })
    }).pipe(Effect.provide(stores("bounded.db")))
  )

  it.scoped("keeps its gauges up to date", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      yield* append(yield* Id.make("key"), 7, 1)
      yield* TestClock.adjust("5 minutes")
      const gauges = new Map(
        (yield* Metric.snapshot).flatMap(({ metricKey, metricState }) => {
          const name = [metricKey.name, ...metricKey.tags.map((tag) => tag.value)].join(" ")
          return MetricState.isGaugeState(metricState) ? [[name, metricState.value] as const] : []
        })
      )
      const { bytes, free } = yield* SqliteSize.read
      const told = ["assay_storage_bytes", "assay_storage_free_bytes", "assay_storage_rows event"]
      assert.deepStrictEqual(
        told.map((name) => gauges.get(name)),
        [bytes, free, 7]
      )
    }).pipe(Effect.provide(stores("gauges.db")))
  )
})
