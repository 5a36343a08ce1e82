import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  EventStore,
  ExecutionStore,
  Id,
  KeyStore,
  Processes,
  QuotaStore,
  Reaper,
  type Storage,
  WatchStore
} from "@assay/core"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Schema, Scope, Stream, TestClock, TestServices } from "effect"
import * as Tier from "../../../test/Tier.js"
import * as SqliteStorage from "../src/SqliteStorage.js"
import * as Worker from "./process/Worker.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-processes-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let program = ""
beforeAll(async () => {
  program = await Effect.runPromise(Worker.compile)
})

describe.runIf(Tier.landing)("SqliteStorage, by several processes", () => {
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

/** A process in the middle of an execution: its name, the execution, and when it has ended. */
const working = (filename: string, keyId: string) =>
  Effect.gen(function* () {
    const worker = yield* Worker.start(program, [filename, "work", keyId])
    const said = yield* Stream.runHead(worker.lines)
    const [, name = "", id = ""] = /^works as (\S+) on (\S+)$/.exec(Option.getOrElse(said, () => "")) ?? []
    return { ...worker, name, id: Schema.decodeUnknownSync(Id.ExecutionId)(id) }
  })

const lockFiles = (folder: string) => readdirSync(folder).filter((file) => file.includes("-process-"))

const goneOf = (names: ReadonlyArray<string>) =>
  Effect.flatMap(Processes.Processes, ({ gone }) => Effect.map(gone(names), (answer) => [...answer]))

const eventually = <A, E, R>(ask: Effect.Effect<A, E, R>, holds: (answer: A) => boolean, tries = 100) =>
  Effect.repeat(Effect.delay(ask, "50 millis"), { until: holds, times: tries })

describe("SqliteProcesses", () => {
  it.scopedLive("ends what a process left that was killed with -9, and nothing of one that lives or stands still", () =>
    Effect.gen(function* () {
      const filename = join(directory, "living", "living.db")
      const keyId = yield* Id.make("key")
      const [one, two, frozen] = [
        yield* working(filename, keyId),
        yield* working(filename, keyId),
        yield* working(filename, keyId)
      ]
      const names = [one.name, two.name, frozen.name]
      assert.strictEqual(new Set(names).size, 3)
      yield* frozen.signal("SIGSTOP")
      yield* Effect.gen(function* () {
        const executions = yield* ExecutionStore.ExecutionStore
        const quota = yield* QuotaStore.QuotaStore
        const states = Effect.forEach([one, two, frozen], ({ id }) =>
          Effect.map(executions.status(id), Option.getOrNull)
        )
        assert.deepStrictEqual(yield* goneOf(names), [])
        assert.deepStrictEqual(yield* Reaper.endOrphans, [])
        assert.deepStrictEqual(yield* states, ["running", "running", "running"])

        yield* one.kill
        yield* eventually(goneOf(names), ({ length }) => length > 0)
        assert.deepStrictEqual(yield* goneOf(names), [one.name])
        assert.deepStrictEqual(yield* Reaper.endOrphans, [one.id])
        assert.deepStrictEqual(yield* Reaper.endOrphans, [])
        assert.deepStrictEqual(yield* states, ["failed", "running", "running"])
        const today = new Date(yield* Effect.clockWith((clock) => clock.currentTimeMillis)).toISOString().slice(0, 10)
        assert.deepInclude(yield* quota.count(keyId, today), { reserved: 2, used: 0 })
      }).pipe(Effect.provide(SqliteStorage.layer({ filename })))
    })
  )

  it.scoped(
    "removes the lock file of a process that is gone once no lease carries its name, and keeps all others",
    () =>
      Effect.gen(function* () {
        const folder = join(directory, "removed")
        const filename = join(folder, "removed.db")
        const keyId = yield* Id.make("key")
        const [dead, alive] = [yield* working(filename, keyId), yield* working(filename, keyId)]
        yield* dead.kill
        const scope = yield* Scope.make()
        const context = yield* Layer.build(SqliteStorage.layer({ filename })).pipe(Scope.extend(scope))
        const self = Option.getOrThrow(Context.get(context, Processes.Processes).self)
        yield* TestServices.provideLive(
          eventually(Effect.provide(goneOf([dead.name]), context), ({ length }) => length > 0)
        )
        const fileOf = (name: string) => `removed.db-process-${name}`
        assert.sameMembers(lockFiles(folder), [dead.name, alive.name, self].map(fileOf))
        // Its execution runs, and it is what proves that nobody runs it.
        yield* TestClock.adjust("1 hour")
        assert.sameMembers(lockFiles(folder), [dead.name, alive.name, self].map(fileOf))
        assert.deepStrictEqual(yield* Effect.provide(Reaper.endOrphans, context), [dead.id])
        yield* TestClock.adjust("15 seconds")
        assert.sameMembers(lockFiles(folder), [alive.name, self].map(fileOf))
        assert.deepStrictEqual(yield* Effect.provide(goneOf([dead.name, alive.name]), context), [])
        yield* Scope.close(scope, Exit.void)
        assert.sameMembers(lockFiles(folder), [alive.name].map(fileOf))
      })
  )

  it.scopedLive("removes at the start what processes left that held nothing, however short the next ones live", () =>
    Effect.gen(function* () {
      const folder = join(directory, "short")
      const filename = join(folder, "short.db")
      const dead = yield* working(filename, yield* Id.make("key"))
      yield* dead.kill
      const open = <A, E>(self: Effect.Effect<A, E, Storage.Storage>) =>
        Effect.provide(self, SqliteStorage.layer({ filename }))
      yield* open(eventually(Reaper.endOrphans, ({ length }) => length > 0))
      yield* open(
        eventually(
          Effect.sync(() => lockFiles(folder)),
          ({ length }) => length === 1
        )
      )
      assert.deepStrictEqual(lockFiles(folder), [])
    })
  )

  it.scoped("proves nothing of a name without a lock file, and gives a database in memory no file", () =>
    Effect.gen(function* () {
      const folder = join(directory, "nothing")
      yield* Effect.provide(
        Effect.gen(function* () {
          const { self } = yield* Processes.Processes
          assert.lengthOf(lockFiles(folder), 1)
          assert.deepStrictEqual(yield* goneOf(["01ARZ3NDEKTSV4RRFFQ69G5FAV", ...Option.toArray(self)]), [])
        }),
        SqliteStorage.layer({ filename: join(folder, "nothing.db") })
      )
      assert.deepStrictEqual(lockFiles(folder), [])
      const before = readdirSync(".")
      yield* Effect.provide(goneOf(["another"]), SqliteStorage.layer({ filename: ":memory:" }))
      assert.deepStrictEqual(readdirSync("."), before)
    })
  )
})
