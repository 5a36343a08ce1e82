import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventStore, ExecutionStore, Id, KeyStore, QuotaStore, WatchStore } from "@assay/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Option, Schema, Stream } from "effect"
import * as SqliteStorage from "../src/SqliteStorage.js"
import * as Worker from "./process/Worker.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-processes-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let program = ""
beforeAll(async () => {
  program = await Effect.runPromise(Worker.compile)
})

describe("SqliteStorage, by several processes", () => {
  it.scopedLive("is made by whoever comes first, and grants a limit of 50 once between four of them", () =>
    Effect.gen(function* () {
      const filename = join(directory, "shared", "shared.db")
      const keyId = yield* Id.make("key")
      const workers = yield* Effect.replicateEffect(Worker.start(program, [filename, "reserve", keyId]), 4)
      const said = yield* Effect.forEach(workers, ({ lines }) => Stream.runCollect(lines), { concurrency: 4 })
      const lines = said.flatMap((chunk) => [...chunk])
      assert.lengthOf(lines, 4)
      for (const line of lines) assert.match(line, /^granted \d+$/)
      assert.strictEqual(
        lines.map((line) => Number(line.split(" ")[1])).reduce((sum, granted) => sum + granted, 0),
        50
      )
      const count = yield* Effect.provide(
        Effect.flatMap(QuotaStore.QuotaStore, (quota) => quota.count(keyId, "2026-11-21")),
        SqliteStorage.layer({ filename })
      )
      assert.strictEqual(count.reserved, 50)
    })
  )

  it.scopedLive("gives every watch to one of four that claim at once", () =>
    Effect.gen(function* () {
      const filename = join(directory, "claimed.db")
      const keyId = yield* Id.make("key")
      const workers = yield* Effect.replicateEffect(Worker.start(program, [filename, "claim", keyId]), 4)
      const said = yield* Effect.forEach(workers, ({ lines }) => Stream.runCollect(lines), { concurrency: 4 })
      const claimed = said.flatMap((chunk) => [...chunk])
      for (const line of claimed) assert.match(line, /^claimed wat_/)
      assert.strictEqual(new Set(claimed).size, claimed.length)
      const left = yield* Effect.provide(
        Effect.flatMap(WatchStore.WatchStore, (watches) => watches.nextDueAt),
        SqliteStorage.layer({ filename })
      )
      assert.deepStrictEqual([claimed.length, left], [100, Option.none()])
    })
  )

  it.scopedLive("has everything that a process acknowledged before it was killed with -9", () =>
    Effect.gen(function* () {
      const filename = join(directory, "killed.db")
      const keyId = yield* Id.make("key")
      const said: Array<string> = []
      for (const acknowledged of [41, 65, 88]) {
        const worker = yield* Worker.start(program, [filename, "acknowledge", keyId])
        yield* worker.lines.pipe(
          // Killed in the middle of its work; what it said until it was dead is read to the end.
          Stream.zipWithIndex,
          Stream.tap(([, index]) => (index === acknowledged ? worker.kill : Effect.void)),
          Stream.runForEach(([line]) => Effect.sync(() => said.push(line)))
        )
      }
      assert.isAbove(said.length, 41 + 65 + 88)
      yield* Effect.gen(function* () {
        const keys = yield* KeyStore.KeyStore
        const executions = yield* ExecutionStore.ExecutionStore
        const quota = yield* QuotaStore.QuotaStore
        const of = (word: string) =>
          said.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []))
        const ids = (word: string) => of(word).map((id) => Schema.decodeUnknownSync(Id.ExecutionId)(id))
        for (const id of of("key"))
          assert.isTrue(Option.isSome(yield* keys.find(Schema.decodeUnknownSync(Id.KeyId)(id))), id)
        for (const id of ids("begun")) assert.isTrue(Option.isSome(yield* executions.find(keyId, id)), id)
        for (const id of ids("completed"))
          assert.deepStrictEqual(yield* executions.status(id), Option.some("complete" as const), id)
        const count = yield* quota.count(keyId, "2026-11-21")
        assert.isAtLeast(count.used, ids("committed").length)
        assert.isAtLeast(count.used + count.reserved, ids("reserved").length)
        assert.isAtLeast(ids("committed").length, 3)
        const watches = yield* WatchStore.WatchStore
        for (const id of of("watch"))
          assert.isTrue(Option.isSome(yield* watches.find(keyId, Schema.decodeUnknownSync(Id.WatchId)(id))), id)
        const finished = of("finished")
        const live = yield* watches.expired(Number.MAX_SAFE_INTEGER, 1000)
        const open = new Set<string>(live.map((claim) => claim.run.id))
        assert.isAtLeast(finished.length, 3)
        for (const id of finished) assert.isFalse(open.has(id), id)
        // Of each process at most the one run lives that it had when it was killed.
        assert.isAtMost(live.length, 3)
        const outbox = new Set((yield* watches.outbox(10_000)).map((event) => event.id))
        for (const id of finished) assert.isTrue(outbox.has(Id.derive("evt", id)), id)
        const events = yield* EventStore.EventStore
        const page = yield* events.read(keyId, { after: 0, types: [], watchId: Option.none(), limit: 10_000 })
        const log = page._tag === "Events" ? page.events : []
        assert.deepStrictEqual(
          log.map((event) => event.sequence),
          log.map((_, index) => index + 1)
        )
        for (const id of of("appended"))
          assert.isTrue(
            log.some((event) => event.id === id),
            id
          )
        assert.lengthOf(
          said.filter((line) => line.startsWith("broken")),
          0
        )
      }).pipe(Effect.provide(SqliteStorage.layer({ filename })))
    })
  )
})
