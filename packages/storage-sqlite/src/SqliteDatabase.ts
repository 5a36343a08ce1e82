/** @internal */

import type * as SqlDatabase from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { transaction } from "./GroupCommit.js"
import { operations, type SqliteHealth } from "./SqliteHealth.js"
import { SqliteReads } from "./SqliteReads.js"

/**
 * A SQLite database: one writer at a time, so that a transaction is alone with what it reads, and readers beside it.
 */
export const database: Effect.Effect<SqlDatabase.SqlDatabase, never, SqlClient | SqliteHealth | SqliteReads> =
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { rows } = yield* SqliteReads
    const operation = yield* operations
    return {
      sql,
      rows,
      each: (texts) => sql`SELECT value FROM json_each(${JSON.stringify(texts)})`,
      forUpdate: sql.literal(""),
      forKeyShare: sql.literal(""),
      hold: () => Effect.void,
      operation,
      reading: operation,
      statement: transaction(sql),
      transaction: () => transaction(sql)
    }
  })
