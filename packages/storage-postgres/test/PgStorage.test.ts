import { StorageSuite } from "@assay/core/testing"
import { afterAll, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as PgStorage from "../src/PgStorage.js"
import * as TestPostgres from "./TestPostgres.js"

const database = await TestPostgres.database()
afterAll(() => database?.drop())

TestPostgres.describeOn(database)("PgStorage", () => {
  const url = Redacted.make(database?.url ?? "")
  /** The tables of the stores and their indexes, without the rows of earlier states, whose room is used again. */
  const bytes = Effect.promise(async () => {
    // While the server analyzes a table by itself, it keeps earlier states of the rows of all.
    await database?.query(`
      DO $$ DECLARE name regclass; BEGIN
        FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
          EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name);
        END LOOP;
      END $$`)
    await database?.query("VACUUM FULL")
    const rows = await database?.query(`
      SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
    return Number(rows?.[0]?.bytes ?? 0)
  })
  const suite = StorageSuite.suite("PgStorage", PgStorage.layer({ url, connections: 4 }), { persistent: true, bytes })
  for (const { effect, title } of suite.cases) it.effect(title, () => effect)
})
