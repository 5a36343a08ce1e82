import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, ManagedRuntime, Redacted } from "effect"
import * as PgTypes from "pg-types"
import { Database, type Row } from "./Database.js"

/** The Postgres database of a server, seen and touched from outside. */
export class DatabaseOnPostgres extends Database {
  readonly #runtime: ManagedRuntime.ManagedRuntime<PgClient.PgClient, unknown>

  constructor(url: string) {
    super()
    this.#runtime = ManagedRuntime.make(
      PgClient.layer({ url: Redacted.make(url), maxConnections: 1, types: { getTypeParser } })
    )
  }

  rows(text: string, parameters: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> {
    return this.#runtime.runPromise(Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(text, parameters)))
  }

  async version(): Promise<unknown> {
    const [{ written }] = await this.rows("SELECT pg_current_snapshot()::text AS written")
    return written
  }

  close(): Promise<void> {
    return this.#runtime.dispose()
  }
}

/** Counts and times as numbers, as SQLite has them. */
const getTypeParser = (oid: number, format?: "text" | "binary") => {
  if (oid === PgTypes.builtins.INT8) return Number
  return format === "binary" ? PgTypes.getTypeParser(oid, format) : PgTypes.getTypeParser(oid, "text")
}
