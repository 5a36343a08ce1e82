import { EventStore, KeyStore, StorageHealth, WatchStore } from "@assay/core"
import { StorageSuite } from "@assay/core/testing"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Redacted, Schedule } from "effect"
import * as Tier from "../../../test/Tier.js"
import * as Migrations from "../src/Migrations.js"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
const expanded = await TestPostgres.database()
afterAll(async () => {
  await database?.drop()
  await expanded?.drop()
})

const optionsOf = (found: TestPostgres.TestDatabase | undefined) => ({
  url: Redacted.make(found?.url ?? ""),
  connections: 3
})

/** An empty database, as long as the test. */
const fresh = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => TestPostgres.database()),
    (found) => Effect.promise(async () => found?.drop())
  ),
  optionsOf
)

const next = Migrations.newest + 1
const numbered = (number: number, name: string) => `${String(number).padStart(4, "0")}_${name}`

/** What a later version would do: new columns with a default, a new table, an index, and rows that only it knows. */
const expand: Migrations.Migration = {
  oldest: 1,
  run: Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`ALTER TABLE watch ADD COLUMN note TEXT`
    yield* sql`ALTER TABLE execution ADD COLUMN engine BIGINT NOT NULL DEFAULT 0`
    yield* sql`CREATE TABLE note (id TEXT NOT NULL PRIMARY KEY, body TEXT NOT NULL)`
    yield* sql`CREATE INDEX delivery_by_status ON delivery (status)`
  })
}
/** And what it would do once nothing of the version before is left. */
const contract: Migrations.Migration = {
  oldest: next,
  run: Effect.flatMap(SqlClient, (sql) => sql`ALTER TABLE watch DROP COLUMN label`)
}

const known = new RegExp(`schema ${next} or later; this process knows ${next - 1}`)

const migrate = (options: PgStorage.Options, migrations: typeof Migrations.all) =>
  Effect.provide(Migrations.make(migrations), PgStorage.layerClient(options))

const expanding = { ...Migrations.all, [numbered(next, "expanded")]: expand }

// As the later version leaves it, before the code of this one opens it.
if (expanded !== undefined) await Effect.runPromise(migrate(optionsOf(expanded), expanding))

TestPostgres.describeOn(database)("code of the schema before", () => {
  // The suite of the stores: every reader and writer, on a schema that has more than they know.
  const suite = StorageSuite.suite("PgStorage", PgStorage.layer(optionsOf(expanded)), { persistent: true })
  for (const { effect, title } of suite.cases) {
    const runs = Tier.all || /two keys/.test(title)
    it.effect.runIf(runs)(Tier.title(runs, `on an expanded schema: ${title}`), () => effect)
  }

  it.scopedLive("goes on with the stores that it had opened, and opens them anew, when a later version expands", () =>
    Effect.gen(function* () {
      const options = yield* fresh
      const opened = yield* Layer.build(PgStorage.layer(options))
      yield* migrate(options, expanding)
      const asks = Effect.gen(function* () {
        const keys = yield* KeyStore.KeyStore
        assert.deepStrictEqual(yield* keys.find("key_00000000000000000000000000"), Option.none())
        assert.deepStrictEqual(yield* (yield* StorageHealth.StorageHealth).cause, Option.none())
      })
      yield* Effect.provide(asks, opened)
      yield* Effect.provide(asks, Layer.fresh(PgStorage.layer(options)))
    })
  )

  it.scopedLive(
    "is refused, with the numbers of both schemas, where a later version declared that it cannot go on",
    () =>
      Effect.gen(function* () {
        const options = yield* fresh
        const opened = yield* Layer.build(PgStorage.layer(options))
        yield* migrate(options, { ...expanding, [numbered(next + 1, "contracted")]: contract })
        const error = yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(PgStorage.layer(options)))))
        assert.deepStrictEqual(
          [error.reason, error.detail],
          [
            "unavailable",
            `A newer version migrated the database to schema ${next + 1}, which needs code of schema ${next} or later; this one knows schema ${next - 1}. Run the newer version.`
          ]
        )
        // One that still runs is told, and gets no work.
        const health = yield* Effect.provide(StorageHealth.StorageHealth, opened)
        assert.match(Option.getOrThrow(yield* health.cause), known)
        const refused = Effect.gen(function* () {
          const keys = yield* KeyStore.KeyStore
          const watches = yield* WatchStore.WatchStore
          const events = yield* EventStore.EventStore
          const due = { now: 1, until: 2, perKey: 1, slots: [], begin: () => Effect.runSync(Effect.die("none is due")) }
          return yield* Effect.all([
            Effect.flip(keys.find("key_00000000000000000000000000")),
            Effect.flip(keys.touch("key_00000000000000000000000000", 1)),
            Effect.flip(watches.claimDue(due)),
            Effect.flip(events.claimDeliveries({ now: 1, until: 2, tokens: ["token"], perEndpoint: 1 }))
          ])
        })
        // It looks every five seconds.
        const errors = yield* Effect.retry(Effect.provide(refused, opened), Schedule.spaced("500 millis")).pipe(
          Effect.timeout("30 seconds")
        )
        for (const { detail, reason } of errors) {
          assert.strictEqual(reason, "unavailable")
          assert.match(detail, known)
        }
      })
  )
})

TestPostgres.describeOn(database)("two processes that migrate at once", () => {
  it.scopedLive("are one that does and one that waits for it, and no lock is left", () =>
    Effect.gen(function* () {
      const options = yield* fresh
      const sql = yield* Layer.build(PgStorage.layerClient(options)).pipe(
        Effect.flatMap((context) => Effect.provide(SqlClient, context))
      )
      yield* sql`CREATE TABLE ran (at TIMESTAMPTZ NOT NULL)`
      const slow: Migrations.Migration = {
        oldest: 1,
        run: Effect.flatMap(
          SqlClient,
          (sql) => sql`INSERT INTO ran SELECT clock_timestamp() FROM pg_sleep(0.5) AS slept`
        )
      }
      const both = Effect.map(migrate(options, { ...Migrations.all, [numbered(next, "slow")]: slow }), () => Date.now())
      yield* Effect.all([both, both, both], { concurrency: "unbounded" })
      assert.lengthOf(yield* sql`SELECT * FROM ran`, 1)
      assert.lengthOf(yield* sql`SELECT * FROM pg_locks WHERE locktype = 'advisory'`, 0)
    })
  )

  it.scopedLive("leave nothing of a migration that fails, and the next one begins where it began", () =>
    Effect.gen(function* () {
      const options = yield* fresh
      const failing: Migrations.Migration = {
        oldest: next,
        run: Effect.zipRight(
          expand.run,
          Effect.flatMap(SqlClient, (sql) => sql`SELECT 1 / 0`)
        )
      }
      const exit = yield* Effect.exit(migrate(options, { ...Migrations.all, [numbered(next, "failing")]: failing }))
      assert.isTrue(Exit.isFailure(exit))
      const found = Effect.provide(Migrations.schema, PgStorage.layerClient(options))
      assert.deepStrictEqual(yield* found, { number: next - 1, oldest: 1 })
      yield* migrate(options, expanding)
      assert.deepStrictEqual(yield* found, { number: next, oldest: 1 })
    })
  )
})
