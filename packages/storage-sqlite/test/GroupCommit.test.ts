import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { transaction } from "../src/GroupCommit.js"
import * as SqliteReads from "../src/SqliteReads.js"
import * as SqliteStorage from "../src/SqliteStorage.js"

const directory = mkdtempSync(join(tmpdir(), "assay-sqlite-groups-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const client = (name: string, writesPerCommit?: number) =>
  SqliteStorage.layerClient({ filename: join(directory, `${name}.db`), writesPerCommit })

const put = (sql: SqlClient, name: string) =>
  sql`INSERT INTO idempotency_key (key_id, name, fingerprint, execution_id, bound_at) VALUES ('a', ${name}, 'b', 'c', 1)`

/** What another connection sees: what is committed. */
const committed = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { rows } = yield* SqliteReads.SqliteReads
  const found = yield* rows(sql`SELECT name FROM idempotency_key ORDER BY name`)
  return found.map((row) => Object.values(row as object)[0])
})

const unbounded = { concurrency: "unbounded" } as const
const numbers = Array.from({ length: 100 }, (_, index) => String(index).padStart(3, "0"))

describe("GroupCommit", () => {
  for (const size of [1, 7, 64])
    it.scoped(
      `transactions that wait at once are all committed when they have answered, ${size} at most together`,
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          yield* Effect.forEach(
            numbers,
            (name) =>
              Effect.gen(function* () {
                yield* transaction(sql)(put(sql, name))
                assert.include(yield* committed, name)
              }),
            unbounded
          )
          assert.deepStrictEqual(yield* committed, numbers)
        }).pipe(Effect.provide(client(`size-${size}`, size)))
    )

  it.scoped("one that fails, dies or breaks a rule of the schema changes nothing, and the others are committed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const endings: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        Effect.void,
        Effect.fail("refused"),
        Effect.die("a bug"),
        Effect.zipRight(put(sql, "twice"), put(sql, "twice")),
        Effect.void
      ]
      const exits = yield* Effect.forEach(
        endings,
        (ending, index) => Effect.exit(transaction(sql)(Effect.zipRight(put(sql, `of ${index}`), ending))),
        unbounded
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, false, false, true])
      assert.deepStrictEqual(exits[1], Exit.fail("refused"))
      assert.deepStrictEqual(exits[2], Exit.die("a bug"))
      assert.deepStrictEqual(yield* committed, ["of 0", "of 4"])
      yield* transaction(sql)(put(sql, "later"))
      assert.include(yield* committed, "later")
    }).pipe(Effect.provide(client("failing")))
  )

  it.scoped("a commit that fails fails every one of its group, and the next group is committed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      // A rule that is checked at the commit only.
      yield* sql`CREATE TABLE parent (id INTEGER PRIMARY KEY)`
      yield* sql`CREATE TABLE child (of INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`
      const exits = yield* Effect.forEach(
        [put(sql, "one"), sql`INSERT INTO child VALUES (7)`, put(sql, "two")],
        (self) => Effect.exit(transaction(sql)(self)),
        unbounded
      )
      for (const exit of exits) {
        const error = yield* Effect.flip(exit)
        assert.instanceOf(error, SqlError)
        assert.deepStrictEqual(
          codeOf(error).pipe((code) => code._tag === "Some" && code.value),
          "SQLITE_CONSTRAINT_FOREIGNKEY"
        )
      }
      assert.deepStrictEqual(yield* committed, [])
      yield* transaction(sql)(put(sql, "later"))
      assert.deepStrictEqual(yield* committed, ["later"])
    }).pipe(Effect.provide(client("commit")))
  )

  it.scoped("a transaction that SQLite ends by itself takes its group with it, and none of them answers success", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`PRAGMA max_page_count = 200`
      const exits = yield* Effect.forEach(
        [
          put(sql, "before"),
          sql`INSERT INTO idempotency_key (key_id, name, fingerprint, execution_id, bound_at)
            VALUES ('a', 'large', zeroblob(10000000), 'c', 1)`,
          put(sql, "after")
        ],
        (self) => Effect.exit(transaction(sql)(self)),
        unbounded
      )
      const found = yield* committed
      for (const [index, name] of ["before", "large", "after"].entries())
        assert.strictEqual(exits[index] !== undefined && Exit.isSuccess(exits[index]), found.includes(name), name)
      assert.notInclude(found, "large")
      yield* transaction(sql)(put(sql, "later"))
      assert.include(yield* committed, "later")
    }).pipe(Effect.provide(client("full")))
  )

  it.scoped("one that is interrupted while it waits does not run", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const started = yield* Deferred.make<void>()
      const fiber = yield* Effect.fork(
        transaction(sql)(Effect.zipRight(Deferred.succeed(started, undefined), put(sql, "no")))
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      yield* transaction(sql)(put(sql, "yes"))
      assert.isFalse(yield* Deferred.isDone(started))
      assert.deepStrictEqual(yield* committed, ["yes"])
    }).pipe(Effect.provide(client("interrupted")))
  )

  it.scoped("one inside of another is a part of it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const inner = Effect.exit(transaction(sql)(Effect.zipRight(put(sql, "inner"), Effect.fail("refused"))))
      yield* transaction(sql)(Effect.zipRight(put(sql, "outer"), inner))
      assert.deepStrictEqual(yield* committed, ["outer"])
    }).pipe(Effect.provide(client("nested")))
  )

  it.scoped("two connections to a file take turns", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const other = Context.get(yield* Layer.build(client("turns")), SqlClient)
      yield* Effect.forEach(
        numbers,
        (name, index) => {
          const through = index % 2 === 0 ? sql : other
          return transaction(through)(put(through, name))
        },
        unbounded
      )
      assert.deepStrictEqual(yield* committed, numbers)
    }).pipe(Effect.provide(client("turns")))
  )
})
