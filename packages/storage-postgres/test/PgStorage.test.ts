import { StorageSuite } from "@assay/core/testing"
import * as PgClient from "@effect/sql-pg/PgClient"
import { afterAll, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const postgres = await TestPostgres.start()
afterAll(() => postgres?.stop())

describe.skipIf(postgres === undefined)("PgStorage", () => {
  const url = Redacted.make(postgres?.url ?? "")
  /** The tables of the stores and their indexes, without the rows of earlier states, whose room is used again. */
  const bytes = Effect.provide(
    Effect.flatMap(PgClient.PgClient, (sql) =>
      Effect.map(
        Effect.zipRight(
          sql`VACUUM FULL`,
          sql<{ readonly bytes: string }>`
          SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
          WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
        ),
        (rows) => Number(rows[0]?.bytes ?? 0)
      )
    ),
    PgClient.layer({ url })
  )
  const suite = StorageSuite.suite("PgStorage", PgStorage.layer({ url, connections: 4 }), { persistent: true, bytes })
  for (const { effect, title } of suite.cases) it.effect(title, () => effect)
})
