import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect, ManagedRuntime } from "effect"
import { Database, type Row } from "./Database.js"

/** Where a process can be stopped: at a write of the service, which then never becomes part of the file. */
export const writes = {
  "begin the execution": "BEFORE INSERT ON execution",
  "reserve the unit": "BEFORE INSERT ON reservation",
  "store the result": "BEFORE UPDATE ON execution WHEN NEW.status IN ('complete', 'partial')",
  "settle the unit": "BEFORE UPDATE ON reservation WHEN NEW.state = 'committed'",
  "finish the run": "BEFORE UPDATE ON watch_run WHEN NEW.status <> 'running'",
  "append the event": "BEFORE INSERT ON event",
  "clear the outbox": "BEFORE DELETE ON outbox",
  "claim the delivery": "BEFORE UPDATE ON delivery WHEN NEW.lease_token IS NOT NULL",
  "note the delivery": "BEFORE UPDATE ON delivery WHEN NEW.lease_token IS NULL"
} as const

export type Write = keyof typeof writes

/** The file of a server, seen and touched from outside. */
export class DatabaseFile extends Database {
  readonly #runtime: ManagedRuntime.ManagedRuntime<SqlClient, unknown>

  constructor(filename: string) {
    super()
    this.#runtime = ManagedRuntime.make(SqliteClient.layer({ filename }))
  }

  rows(text: string, parameters: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> {
    return this.#runtime.runPromise(Effect.flatMap(SqlClient, (sql) => sql.unsafe(text, parameters)))
  }

  async version(): Promise<unknown> {
    const [{ data_version }] = await this.rows("PRAGMA data_version")
    return data_version
  }

  close(): Promise<void> {
    return this.#runtime.dispose()
  }

  /**
   * From now on a process that comes to this write stays in it for ever, and what it would have written is not there
   * when it is killed. Neither a delay nor an error would leave exactly what stands between two writes.
   */
  async stopAt(write: Write): Promise<void> {
    await this.rows(`
      CREATE VIEW IF NOT EXISTS for_ever AS
      WITH RECURSIVE step (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM step) SELECT n FROM step`)
    await this.rows(`CREATE TRIGGER stop ${writes[write]} BEGIN SELECT max(n) FROM for_ever; END`)
  }

  /** Lets every write through again. */
  async release(): Promise<void> {
    await this.rows("DROP TRIGGER stop")
    await this.rows("DROP VIEW for_ever")
  }

  /** Resolves when a process stays in a write: it has the file for much longer than any write takes. */
  async isStopped(): Promise<boolean> {
    await this.rows("PRAGMA busy_timeout = 0")
    try {
      for (let refused = 0; refused < 20; refused++) {
        // A write that changes nothing still has to have the file.
        const held = await this.rows("UPDATE watch_run SET id = id WHERE seq < 0").then(
          () => false,
          () => true
        )
        if (!held) return false
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      return true
    } finally {
      await this.rows("PRAGMA busy_timeout = 5000")
    }
  }
}
