import { SqlClient } from "@effect/sql/SqlClient"
import { afterAll, assert, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import * as PgCopy from "../src/PgCopy.js"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

const client = PgStorage.layerClient({ url: Redacted.make(database?.url ?? ""), connections: 2 })

const outbox = Array.from({ length: 250 }, (_, index) => [index + 7, `evt_${index}`, `{"text":"“${index}” \\u0000"}`])
const documents = Array.from({ length: 3 }, (_, index) => [
  index + 1,
  Buffer.from([index, 0, 255]),
  "subject",
  Buffer.alloc(9, index)
])

/** A source with these rows and no others, that ends with a defect after so many of the outbox. */
const sourceOf = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  endsAfter = Number.POSITIVE_INFINITY
): PgCopy.Source => ({
  *rows({ name }) {
    if (name === "document") yield* documents
    if (name !== "outbox") return
    for (const [index, row] of rows.entries()) {
      if (index === endsAfter) throw new Error("the process was killed")
      yield row
    }
  }
})

const ofOutbox = (copied: ReadonlyArray<PgCopy.Copied>) => copied.find(({ table }) => table === "outbox")

TestPostgres.describeOn(database)("a copy into Postgres", () => {
  it.live("goes on where it was stopped, is the same on both sides, and goes into no database with other rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      assert.isTrue(Exit.isFailure(yield* Effect.exit(PgCopy.copy(sourceOf(outbox, 150)))))
      assert.deepStrictEqual(yield* sql`SELECT count(*) AS rows, max(seq) AS last FROM outbox`, [
        { rows: 100, last: 106 }
      ])

      const first = yield* PgCopy.copy(sourceOf(outbox))
      assert.deepInclude(ofOutbox(first), { rows: 250, copied: 150 })
      assert.deepInclude(
        first.find(({ table }) => table === "document"),
        { rows: 3, copied: 0 }
      )
      const rows = yield* sql`SELECT seq, id, event FROM outbox ORDER BY seq`
      assert.deepStrictEqual(
        rows.map(({ event, id, seq }) => [seq, id, event]),
        outbox
      )
      const again = yield* PgCopy.copy(sourceOf(outbox))
      assert.deepStrictEqual(ofOutbox(again), { ...ofOutbox(first), copied: 0 })

      // One row of the source changed, or is gone, since it was copied.
      const changed = outbox.with(3, [10, "evt_3", "{}"])
      for (const other of [changed, outbox.slice(0, 200)]) {
        const error = yield* Effect.flip(PgCopy.copy(sourceOf(other)))
        assert.deepInclude(error, { _tag: "CopyRefused", reason: "other_data", table: "outbox" })
      }
      const [next] = yield* sql`INSERT INTO outbox (id, event) VALUES ('evt_new', '{}') RETURNING seq`
      assert.strictEqual(next?.seq, 257)
      assert.deepInclude(yield* Effect.flip(PgCopy.copy(sourceOf(outbox))), { reason: "other_data" })
    }).pipe(Effect.provide(client))
  )
})
