import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type AnalysisResult,
  CanonicalJson,
  type Evidence,
  ExecutionStore,
  Grid,
  type Hex,
  Id,
  Timestamp,
  Transition,
  Watch,
  WatchStore
} from "@assay/core"
import { Documents } from "@assay/core/testing"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import * as Tier from "../../../test/Tier.js"
import * as Migrations from "../src/Migrations.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-documents-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const over = (name: string) => {
  const filename = join(directory, name)
  return Layer.provideMerge(SqliteStorage.layer({ filename }), SqliteStorage.layerClient({ filename }))
}

const noon = Date.UTC(2026, 10, 21, 12)
const hash = (text: string): Hex.Hex => CanonicalJson.hash(text)
const keyId = Schema.decodeSync(Id.KeyId)(`key_${"0".repeat(26)}`)
const watchId = Schema.decodeSync(Id.WatchId)(`wat_${"0".repeat(26)}`)
const target = Documents.token(7)

/** Evidence of a quiet target: another block and other answers of simulations, and reserves that move where asked for. */
const evidenceAt = (block: number, moved: number): ReadonlyArray<Evidence.Evidence> =>
  Array.from({ length: 60 }, (_, index) => ({
    ...Documents.evidence(`token.claim-${index}`, "confirmed"),
    source_url: `https://etherscan.io/address/${target.address}?block=${block}`,
    detail: `What was found of claim ${index}: ${hash(`claim ${index}`)}, ${index < moved ? block * 977 + index : 5} wei`,
    observation: {
      method: "eth_call",
      params_hash: hash(`parameters ${index} ${index < 10 ? block : ""}`),
      block_hash: hash(`block ${block}`),
      answer_hash: hash(`answer ${index}`)
    }
  }))

const check = Effect.fnUntraced(function* (block: number, moved = 0) {
  const store = yield* ExecutionStore.ExecutionStore
  const id = yield* Id.make("exe")
  const lease = { token: id, until: noon }
  const running = Documents.running(id, target, noon + block)
  yield* store.begin({ id, keyId, joinKey: id, slots: 1, lease, running, watchId: Option.some(watchId) })
  const result: AnalysisResult.AnalysisResult = {
    ...Documents.completed(running, noon + block + 5),
    evidence: evidenceAt(block, moved)
  }
  const known = Object.fromEntries(result.evidence.map((item) => [item.id, item]))
  yield* store.complete(id, result, { known, reported: {} })
  return { id, result, known }
})

const used = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly bytes: number }>`
    SELECT (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
  return rows[0]?.bytes ?? 0
})
const count = (table: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(sql<{ readonly rows: number }>`SELECT count(*) AS rows FROM ${sql(table)}`, (rows) => rows[0]?.rows ?? 0)
  )

const bytesOf = (moved: number) =>
  Effect.gen(function* () {
    for (let block = 100; block < 110; block++) yield* check(block, moved)
    const before = yield* used
    for (let block = 110; block < 160; block++) yield* check(block, moved)
    return ((yield* used) - before) / 50
  })

/** More than are packed at once. */
const existing = Tier.landing ? 1_000 : 300

describe("checks of a watch in SQLite", () => {
  it.effect(
    "cost at most 2 KB each with their indexes where nothing moved but the block",
    () =>
      Effect.gen(function* () {
        assert.isAtMost(yield* bytesOf(0), 2048)
      }).pipe(Effect.provide(over("quiet.db"))),
    120_000
  )

  it.effect(
    "cost at most 6 KB each where a number of every claim moved",
    () =>
      Effect.gen(function* () {
        assert.isAtMost(yield* bytesOf(60), 6144)
      }).pipe(Effect.provide(over("moving.db"))),
    120_000
  )

  it.effect("share one base, which is removed with the last of them and not before", () =>
    Effect.gen(function* () {
      const store = yield* ExecutionStore.ExecutionStore
      const [first, second] = [yield* check(1), yield* check(2)]
      assert.strictEqual(yield* count("document"), 1)
      yield* store.remove([first.id], noon)
      assert.strictEqual(yield* count("document"), 1)
      const found = yield* store.find(keyId, second.id)
      assert.deepStrictEqual(
        Option.map(found, ({ known, result }) => ({ known, result })),
        Option.some({ known: second.known, result: second.result })
      )
      yield* store.remove([second.id], noon)
      assert.strictEqual(yield* count("document"), 0)
    }).pipe(Effect.provide(over("removed.db")))
  )

  it.effect("get a new base where much is different, and none is a patch of a patch", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* check(1)
      yield* check(2)
      const store = yield* ExecutionStore.ExecutionStore
      const id = yield* Id.make("exe")
      const running = Documents.running(id, target, noon)
      const lease = { token: id, until: noon }
      yield* store.begin({ id, keyId, joinKey: id, slots: 1, lease, running, watchId: Option.some(watchId) })
      const result = {
        ...Documents.completed(running, noon),
        evidence: evidenceAt(3, 0).map((item) => ({
          ...item,
          title: hash(item.id),
          detail: hash(item.title + item.id)
        }))
      }
      yield* store.complete(id, result, { known: {}, reported: {} })
      const rows = yield* sql<{ readonly document_id: number; readonly patched: number }>`
        SELECT document_id, patch IS NOT NULL AS patched FROM execution ORDER BY seq`
      assert.deepStrictEqual(
        rows.map(({ document_id, patched }) => [document_id, patched]),
        [
          [1, 0],
          [1, 1],
          [2, 0]
        ]
      )
      assert.deepStrictEqual(
        Option.map(yield* store.find(keyId, id), (found) => [found.result, found.known] as const),
        Option.some([result, {}] as const)
      )
    }).pipe(Effect.provide(over("bases.db")))
  )

  it.effect("are corrupt, never another document, where what is packed was damaged", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const store = yield* ExecutionStore.ExecutionStore
      const [first, second] = [yield* check(1), yield* check(2)]
      const assertCorrupt = (id: Id.ExecutionId) =>
        Effect.gen(function* () {
          for (const read of [store.find(keyId, id), store.document(keyId, id)]) {
            const error = yield* Effect.flip(Effect.asVoid<unknown, { readonly reason: string }, never>(read))
            assert.strictEqual(error.reason, "corrupt")
          }
        })
      const other = { ...first.result, warnings: [{ code: "over_quota", detail: "another" }] }
      yield* sql`UPDATE execution SET patch = zeroblob(40) WHERE id = ${second.id}`
      yield* assertCorrupt(second.id)
      yield* store.remove([second.id], noon)
      const third = yield* check(3)
      yield* check(4)
      yield* sql`UPDATE document SET body = zeroblob(10)`
      yield* assertCorrupt(third.id)
      assert.notDeepEqual(other, first.result)
    }).pipe(Effect.provide(over("damaged.db")))
  )

  it.effect(
    `of an existing database are packed when it is opened, ${existing} of them, and stay the same documents`,
    () =>
      Effect.gen(function* () {
        const filename = join(directory, "old.db")
        const documents = yield* Effect.gen(function* () {
          const sql = yield* SqlClient
          const old = Object.fromEntries(Object.entries(Migrations.all).filter(([name]) => name < "0007_documents"))
          yield* Migrator.make({})({ loader: Migrator.fromRecord(old) })
          const written: Array<{ readonly id: Id.ExecutionId; readonly text: string; readonly known: string }> = []
          yield* sql.withTransaction(
            Effect.forEach(
              Array.from({ length: existing }, (_, block) => block),
              (block) =>
                Effect.gen(function* () {
                  const id = yield* Id.make("exe")
                  const evidence = evidenceAt(block, block % 50 === 0 ? 60 : 0).slice(0, 30)
                  const running = Documents.running(id, target, noon + block)
                  const text = JSON.stringify({ ...Documents.completed(running, noon + block), evidence })
                  const known = JSON.stringify(Object.fromEntries(evidence.map((item) => [item.id, item])))
                  const watch = block % 100 === 0 ? null : watchId
                  yield* sql`
                INSERT INTO execution (id, key_id, watch_id, join_key, lease_until, kind, address, chain_id, chain_name,
                  status, created_at, completed_at, document, known)
                VALUES (${id}, ${keyId}, ${watch}, ${id}, 0, ${target.kind}, ${target.address}, 1, 'ethereum',
                  'complete', ${noon + block}, ${noon + block}, ${text}, ${known})`
                  written.push({ id, text, known })
                })
            )
          )
          return written
        }).pipe(Effect.provide(SqliteClient.layer({ filename })), Effect.scoped)
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient
          const store = yield* ExecutionStore.ExecutionStore
          for (const { id, known, text } of documents) {
            assert.deepStrictEqual(
              Option.map(yield* store.document(keyId, id), (found) => found.text),
              Option.some(text)
            )
            const found = Option.getOrThrow(yield* store.find(keyId, id))
            assert.strictEqual(CanonicalJson.stringify(found.known), CanonicalJson.stringify(JSON.parse(known)))
          }
          const plain = yield* sql`SELECT id FROM execution WHERE document_id IS NULL`
          assert.lengthOf(plain, existing / 100, "those that nobody watches")
          const packed = yield* sql<{ readonly bytes: number }>`
          SELECT sum(length(document) + length(known) + coalesce(length(patch), 0))
            + (SELECT sum(length(body)) FROM document) AS bytes
          FROM execution WHERE document_id IS NOT NULL`
          assert.isBelow(packed[0]?.bytes ?? Number.POSITIVE_INFINITY, existing * 0.99 * 1500)
        }).pipe(Effect.provide(over("old.db")))
      })
  )

  it.effect("have runs that are read as they were written, whole by an earlier version too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const store = yield* WatchStore.WatchStore
      const [slot] = [{ runId: yield* Id.make("run"), executionId: yield* Id.make("exe"), token: "token" }]
      const grid = Grid.make(watchId, { anchor: noon, intervalSeconds: 900 })
      const memory = Transition.created(grid, "Active")
      yield* store.create(
        {
          id: watchId,
          keyId,
          target,
          label: "",
          options: Watch.defaultOptions,
          createdAt: noon,
          updatedAt: noon,
          memory,
          revision: 1,
          live: Option.none()
        },
        1
      )
      const run: Watch.WatchRun = {
        id: slot.runId,
        scheduled_for: Timestamp.fromMillis(noon),
        started_at: Timestamp.fromMillis(noon + 1),
        finished_at: null,
        trigger: "manual",
        status: "running",
        units: 0,
        execution_id: slot.executionId,
        change_status: null,
        max_severity: null,
        error_code: null,
        error: null
      }
      const failed: Watch.WatchRun = {
        ...run,
        status: "failed",
        finished_at: Timestamp.fromMillis(noon + 9),
        execution_id: null,
        error_code: "endpoint_unavailable",
        error: "No endpoint “answered”."
      }
      const all = Effect.map(
        store.runs(keyId, watchId, { changed: false }, { limit: 9, before: Option.none() }),
        Option.map(({ data }) => data)
      )
      const begin = () => ({ memory, run })
      yield* store.claimNow(keyId, watchId, { now: noon, until: noon + 9, slot, notAfter: noon - 9, begin })
      assert.deepStrictEqual(yield* all, Option.some([run]))
      yield* store.finishRun(slot.runId, slot.token, () => ({ run: failed, memory, events: [] }))
      assert.deepStrictEqual(yield* all, Option.some([failed]))
      yield* sql`UPDATE watch_run SET document = ${JSON.stringify(failed)}`
      assert.deepStrictEqual(yield* all, Option.some([failed]))
    }).pipe(Effect.provide(over("runs.db")))
  )
})
