import { KeyStore, StorageHealth, StorageVersion } from "@assay/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Metric, MetricState, Option, Redacted } from "effect"
import * as PgHealth from "../src/PgHealth.js"
import * as PgSize from "../src/PgSize.js"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const options = { url: Redacted.make(database?.url ?? ""), connections: 2 }

/** With a clock that is set by so much. */
const atClock = <A>(millis: number, self: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.clockWith((clock) => {
    const now = () => clock.unsafeCurrentTimeMillis() + millis
    return Effect.withClock(self, {
      [Clock.ClockTypeId]: Clock.ClockTypeId,
      unsafeCurrentTimeMillis: now,
      unsafeCurrentTimeNanos: () => BigInt(now()) * 1_000_000n,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
      sleep: (duration) => clock.sleep(duration)
    })
  })

TestPostgres.describeOn(database)("what is known of a database", () => {
  it.live("is nothing where it takes writes, and that it takes none as long as it takes none", () =>
    Effect.gen(function* () {
      yield* Effect.provide(
        Effect.gen(function* () {
          const health = yield* StorageHealth.StorageHealth
          assert.deepStrictEqual(yield* health.cause, Option.none())
          assert.deepStrictEqual((yield* StorageVersion.StorageVersion).current(), Option.none())
        }),
        PgStorage.layer(options)
      )
      const name = new URL(Redacted.value(options.url)).pathname.slice(1)
      yield* Effect.promise(async () =>
        database?.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
      )
      yield* Effect.provide(
        Effect.gen(function* () {
          const health = yield* StorageHealth.StorageHealth
          assert.match(Option.getOrThrow(yield* health.cause), /takes no writes/)
          const keys = yield* KeyStore.KeyStore
          const error = yield* Effect.flip(keys.touch(`key_${"0".repeat(26)}` as never, 1))
          assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "25006"])
        }),
        PgStorage.layer(options)
      )
      yield* Effect.promise(async () =>
        database?.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`)
      )
    })
  )

  it("is the difference of the clocks where leases would end too early", () => {
    const server = { recovering: false, readOnly: false, full: false, oldest: 1, now: 1_000_000 }
    assert.deepStrictEqual(PgHealth.causeOf(server, 1_014_000), Option.none())
    assert.match(Option.getOrThrow(PgHealth.causeOf(server, 1_040_000)), /40 s apart/)
    assert.match(Option.getOrThrow(PgHealth.causeOf(server, 960_000)), /40 s apart/)
    assert.match(Option.getOrThrow(PgHealth.causeOf({ ...server, recovering: true }, 1_000_000)), /standby/)
  })

  it.live("is that its disk is full once a write failed for that, as long as one would", () =>
    Effect.gen(function* () {
      // What the server says of a full disk, without one.
      const fill = `
        CREATE FUNCTION no_room() RETURNS TRIGGER LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER no_room BEFORE UPDATE ON api_key FOR EACH STATEMENT EXECUTE FUNCTION no_room();
        CREATE TRIGGER no_room BEFORE UPDATE ON effect_sql_migrations FOR EACH STATEMENT EXECUTE FUNCTION no_room()`
      const keys = yield* KeyStore.KeyStore
      const health = yield* StorageHealth.StorageHealth
      yield* Effect.promise(async () => database?.query(fill))
      const error = yield* Effect.flip(keys.touch(`key_${"0".repeat(26)}` as never, 1))
      assert.deepStrictEqual([error.reason, error.detail], ["unavailable", "53100"])
      assert.match(Option.getOrThrow(yield* health.cause), /disk of its server is full/)
      assert.match(Option.getOrThrow(yield* atClock(6_000, health.cause)), /disk of its server is full/)
      yield* Effect.promise(async () => database?.query("DROP FUNCTION no_room CASCADE"))
      assert.deepStrictEqual(yield* atClock(12_000, health.cause), Option.none())
    }).pipe(Effect.provide(PgStorage.layer(options)))
  )

  it.live("is the difference also right after a clock was set back, although the last answer is kept for 5 s", () =>
    Effect.gen(function* () {
      const health = yield* StorageHealth.StorageHealth
      assert.deepStrictEqual(yield* health.cause, Option.none())
      assert.match(Option.getOrThrow(yield* atClock(-3_600_000, health.cause)), /3600 s apart/)
    }).pipe(Effect.provide(PgStorage.layer(options)))
  )

  it.live("is its size, as a gauge", () =>
    Effect.gen(function* () {
      const size = yield* PgSize.read
      assert.isAbove(size.bytes, 100_000)
      assert.containsAllKeys(size.rows, ["execution", "watch", "event", "delivery", "reservation"])
      const told = Effect.map(Metric.snapshot, (pairs) =>
        pairs.some(
          ({ metricKey, metricState }) =>
            metricKey.name === "assay_storage_bytes" &&
            MetricState.isGaugeState(metricState) &&
            Number(metricState.value) > 100_000
        )
      )
      for (let tries = 0; tries < 1_000 && !(yield* told); tries++) yield* Effect.sleep("50 millis")
      assert.isTrue(yield* told)
    }).pipe(Effect.provide(PgSize.layer), Effect.provide(PgStorage.layerClient(options)))
  )

  it.live("are its connections and its waits for locks, as gauges", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const value = (name: string, state?: string) =>
        Effect.map(Metric.snapshot, (pairs) => {
          const found = pairs.find(
            ({ metricKey }) =>
              metricKey.name === name && (state === undefined || metricKey.tags.some((tag) => tag.value === state))
          )
          return MetricState.isGaugeState(found?.metricState) ? Number(found.metricState.value) : undefined
        })
      const until = (name: string, isThere: (value: number) => boolean, state?: string) =>
        Effect.gen(function* () {
          for (let tries = 0; tries < 600; tries++) {
            const now = yield* value(name, state)
            if (now !== undefined && isThere(now)) return
            yield* Effect.sleep("50 millis")
          }
          assert.fail(`${name} ${state}: ${yield* value(name, state)}`)
        })
      const held = yield* Effect.fork(sql.withTransaction(Effect.zipRight(sql`SELECT 1`, Effect.never)))
      yield* until("assay_postgres_connections", (busy) => busy >= 1, "busy")
      yield* Fiber.interrupt(held)
      yield* until("assay_postgres_connections", (idle) => idle >= 1, "idle")
      yield* until("assay_postgres_waiting", (waiting) => waiting === 0)
      yield* until("assay_postgres_lock_waits", (waits) => waits >= 0)
    }).pipe(Effect.provide(PgSize.layer), Effect.provide(PgStorage.layerClient(options)))
  )

  it.scopedLive("count the statements that wait for a lock of another session, and none once it is free", () =>
    Effect.gen(function* () {
      // A session that has no limit for its waits, as one of psql, and so as long as the test wants it.
      const session = Effect.map(Layer.build(PgStorage.layerPatient({ ...options, connections: 1 })), (context) =>
        Context.get(context, SqlClient)
      )
      const [holder, one, two] = [yield* session, yield* session, yield* session]
      const locked = yield* Deferred.make<void>()
      const held = yield* holder
        .withTransaction(
          holder`LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE`.pipe(
            Effect.zipRight(Deferred.succeed(locked, undefined)),
            Effect.zipRight(Effect.never)
          )
        )
        .pipe(Effect.fork)
      yield* Deferred.await(locked)
      const waiting = yield* Effect.fork(
        Effect.all(
          [one, two].map((sql) => sql`SELECT count(*) FROM api_key`),
          { concurrency: "unbounded" }
        )
      )
      const waits = Effect.map(Metric.snapshot, (pairs) => {
        const state = pairs.find(({ metricKey }) => metricKey.name === "assay_postgres_lock_waits")?.metricState
        return MetricState.isGaugeState(state) ? Number(state.value) : undefined
      })
      // It looks when it begins, and then every 15 s: so it begins again and again.
      const until = (expected: number) =>
        Effect.gen(function* () {
          for (let tries = 0; tries < 300; tries++) {
            const now = yield* Layer.build(Layer.fresh(PgSize.layer)).pipe(
              Effect.zipRight(Effect.sleep("100 millis")),
              Effect.zipRight(waits),
              Effect.scoped
            )
            if (now === expected) return
          }
          assert.strictEqual(yield* waits, expected)
        })
      yield* until(2)
      yield* Fiber.interrupt(held)
      yield* Fiber.join(waiting)
      yield* until(0)
    }).pipe(Effect.provide(PgStorage.layerClient(options)))
  )
})
