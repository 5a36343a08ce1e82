import { StorageSuite } from "@assay/core/testing"
import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Tier from "../../../test/Tier.js"
import * as PgStorage from "../src/PgStorage.js"
import * as PgBouncer from "./PgBouncer.js"
import * as TestPostgres from "./TestPostgres.js"
import * as TransactionPooler from "./TransactionPooler.js"

const database = await TestPostgres.database()
const pooler = database === undefined ? undefined : await TransactionPooler.start(database.url, 5)
afterAll(async () => {
  await pooler?.stop()
  await database?.drop()
})

const url = Redacted.make(pooler?.url ?? "")

const bouncer = database === undefined ? undefined : await PgBouncer.start(database.url, 5)
afterAll(() => bouncer?.stop())

TestPostgres.describeOn(database)("behind a pooler in transaction mode", () => {
  it.effect(
    "a client goes on with another session after each transaction, and finds nothing that it left in the last",
    () =>
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const pids = yield* Effect.forEach(Array.from({ length: 10 }), () => sql`SELECT pg_backend_pid() AS pid`)
        assert.strictEqual(new Set(pids.map(([row]) => row?.pid)).size, 5)
        yield* sql`SELECT set_config('assay.left', 'here', false)`
        const [found] = yield* sql`SELECT current_setting('assay.left', true) AS left`
        assert.notStrictEqual(found?.left, "here")
      }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
  )

  // More connections than the pooler has sessions.
  const suite = StorageSuite.suite("PgStorage", PgStorage.layer({ url, connections: 12 }), { persistent: true })
  for (const { effect, title } of suite.cases) {
    const runs = Tier.all || /at once|two that/.test(title)
    it.effect.runIf(runs)(Tier.title(runs, title), () => effect)
  }

  it("took other sessions many times", () => {
    assert.isAbove(pooler?.switches() ?? 0, 100)
  })
})

PgBouncer.describeOn(bouncer)("behind PgBouncer in transaction mode", () => {
  const options = { url: Redacted.make(bouncer?.url ?? ""), connections: 12 }
  const suite = StorageSuite.suite("PgStorage", PgStorage.layer(options), { persistent: true })
  for (const { effect, title } of suite.cases) {
    const runs = Tier.all || /at once|two that/.test(title)
    it.effect.runIf(runs)(Tier.title(runs, title), () => effect)
  }
})
