/** @internal */

import type * as SqlDatabase from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { lock, operation, reading, statement, transaction } from "./PgStore.js"

/** A Postgres database: what must be in order is locked by names of its transactions, or by rows. */
export const database: Effect.Effect<SqlDatabase.SqlDatabase, never, SqlClient> = Effect.map(SqlClient, (sql) => ({
  sql,
  rows: (query) => query,
  each: (texts) => sql`SELECT jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb)`,
  forUpdate: sql.literal("FOR UPDATE"),
  forKeyShare: sql.literal("FOR KEY SHARE"),
  hold: (query) => sql`${query} FOR UPDATE`,
  operation,
  reading,
  statement: statement(sql),
  transaction: (...names) => transaction(sql, lock(names))
}))
