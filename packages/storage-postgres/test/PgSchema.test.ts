import * as Id from "@assay/core/domain/Id"
import { Documents } from "@assay/core/testing"
import * as SqlEventStore from "@assay/storage-sql/SqlEventStore"
import * as SqlExecutionStore from "@assay/storage-sql/SqlExecutionStore"
import { selectByHash } from "@assay/storage-sql/SqlKeyStore"
import * as SqlWatchStore from "@assay/storage-sql/SqlWatchStore"
import { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import { afterAll, assert, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Migrations from "../src/Migrations.js"
import * as PgEventStore from "../src/PgEventStore.js"
import * as PgStorage from "../src/PgStorage.js"
import * as PgWatchStore from "../src/PgWatchStore.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const client = PgStorage.layerClient({ url: Redacted.make(database?.url ?? ""), connections: 3 })

/** What the planner does where reading a whole table costs too much, as it does in a large one. */
const plan = (statement: Statement<object>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const [text, params] = statement.compile()
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        for (const setting of ["enable_seqscan", "enable_bitmapscan", "enable_sort"])
          yield* sql.unsafe(`SET LOCAL ${setting} = off`)
        const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${text}`, params)
        return rows.map((row) => row["QUERY PLAN"].trim()).join("\n")
      })
    )
  })

TestPostgres.describeOn(database)("the schema", () => {
  it.effect("is what the snapshot says, after every migration", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const lines = yield* sql<{ readonly line: string }>`
        SELECT line FROM (
          SELECT table_name AS name, 1 AS part, ordinal_position AS place, table_name || '.' || column_name || ' ' || data_type ||
            CASE WHEN is_nullable = 'NO' THEN ' NOT NULL' ELSE '' END ||
            CASE WHEN is_identity = 'YES' THEN ' IDENTITY ' || identity_generation ELSE '' END ||
            coalesce(' DEFAULT ' || column_default, '') AS line
          FROM information_schema.columns WHERE table_schema = 'public'
          UNION ALL
          SELECT conrelid::regclass::text, 2, row_number() OVER (ORDER BY conname),
            conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
          FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'c', 'u', 'f')
          UNION ALL
          SELECT tablename, 3, row_number() OVER (ORDER BY indexname), indexdef FROM pg_indexes WHERE schemaname = 'public'
        ) AS described
        ORDER BY name COLLATE "C", part, place`
      yield* Effect.promise(() =>
        expect(`${lines.map(({ line }) => line).join("\n")}\n`).toMatchFileSnapshot("./schema.txt")
      )
    }).pipe(Effect.provide(client))
  )

  it.effect("is made once: running the migrations again does nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const before = yield* sql`SELECT * FROM effect_sql_migrations`
      assert.lengthOf(before, Object.keys(Migrations.all).length)
      yield* Migrations.run
      assert.deepStrictEqual(yield* sql`SELECT * FROM effect_sql_migrations`, before)
    }).pipe(Effect.provide(client))
  )

  it.live("is made once by many that open an empty database at the same time", () =>
    Effect.gen(function* () {
      const fresh = yield* Effect.promise(() => TestPostgres.database())
      const open = Effect.scoped(
        Effect.provide(
          Effect.flatMap(SqlClient, (sql) => sql`SELECT count(*) FROM watch`),
          layerOf(fresh)
        )
      )
      yield* Effect.all([open, open, open, open], { concurrency: "unbounded" })
      yield* Effect.promise(async () => fresh?.drop())
    })
  )

  it.effect("answers what is asked often by indexes, without reading a table or sorting one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const key = yield* Id.make("key")
      const plans = {
        authentication: yield* plan(selectByHash(sql, "0x00")),
        previous: yield* plan(SqlExecutionStore.selectPrevious(sql, key, Documents.token(1), undefined)),
        list: yield* plan(sql`SELECT id FROM execution WHERE key_id = ${key} ORDER BY seq DESC LIMIT 20`),
        expired: yield* plan(
          sql`SELECT seq FROM execution WHERE status = 'running' AND lease_until <= 1 ORDER BY lease_until LIMIT 9`
        ),
        unsettled: yield* plan(
          sql`SELECT id FROM reservation WHERE state = 'reserved' AND reserved_at < 1 ORDER BY reserved_at LIMIT 9`
        ),
        queues: yield* plan(sql.unsafe(PgWatchStore.lockQueues({ now: 1, perKey: 2, limit: 9, waits: false }))),
        runs: yield* plan(SqlWatchStore.selectExpired(sql, 1, 9)),
        held: yield* plan(SqlEventStore.selectHeld(sql)),
        old: yield* plan(sql`SELECT id ${SqlEventStore.old(sql, 1, 9)}`),
        endpoints: yield* plan(sql`SELECT id ${PgEventStore.dueWebhooks(sql, 1, 2)} ORDER BY due_at LIMIT 9`)
      }
      assert.match(plans.authentication, /Index Scan using api_key_by_hash/)
      assert.match(plans.previous, /Index Scan Backward using execution_previous/)
      assert.match(plans.list, /Index Scan Backward using execution_by_key/)
      assert.match(plans.queues, /Index (?:Only )?Scan using watch_queue_next/)
      assert.match(plans.endpoints, /Index Scan using webhook_due/)
      assert.notMatch(JSON.stringify(plans), /Seq Scan|Sort/)
      // Few rows come out of an index here, and only these are put in order.
      const due = yield* plan(sql.unsafe(PgWatchStore.selectDue({ now: 1, perKey: 2, limit: 9 })))
      assert.match(due, /using watch_waiting on watch/)
      assert.notMatch(due, /Seq Scan/)
    }).pipe(Effect.provide(client))
  )
})

const layerOf = (found: TestPostgres.TestDatabase | undefined) =>
  PgStorage.layerClient({ url: Redacted.make(found?.url ?? ""), connections: 2 })
