import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Effect, ManagedRuntime } from "effect"

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

// biome-ignore lint/suspicious/noExplicitAny: tests look into rows of any shape.
export type Row = any

/** The file of a server, seen and touched from outside. */
export class DatabaseFile {
  readonly #runtime: ManagedRuntime.ManagedRuntime<SqlClient, unknown>

  constructor(filename: string) {
    this.#runtime = ManagedRuntime.make(SqliteClient.layer({ filename }))
  }

  rows(text: string, parameters: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> {
    return this.#runtime.runPromise(Effect.flatMap(SqlClient, (sql) => sql.unsafe(text, parameters)))
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

  /** What runs at this moment and may do so only once for a watch; none of these is more than 1. */
  async mostAtOnce(): Promise<{ readonly runs: number; readonly executions: number }> {
    const [most] = await this.rows(`
      SELECT
        (SELECT ifnull(max(n), 0) FROM (
          SELECT count(*) AS n FROM watch_run WHERE status = 'running' GROUP BY watch_id)) AS runs,
        (SELECT ifnull(max(n), 0) FROM (
          SELECT count(*) AS n FROM execution WHERE status = 'running' GROUP BY watch_id)) AS executions`)
    return most
  }

  /** What is still to be done, by what it is. */
  async unfinished(): Promise<Record<"runs" | "executions" | "units" | "events" | "deliveries", number>> {
    const [left] = await this.rows(`
      SELECT
        (SELECT count(*) FROM watch_run WHERE status = 'running') AS runs,
        (SELECT count(*) FROM execution WHERE status = 'running') AS executions,
        (SELECT count(*) FROM reservation WHERE state = 'reserved') AS units,
        (SELECT count(*) FROM outbox) AS events,
        (SELECT count(*) FROM delivery WHERE status = 'pending') AS deliveries`)
    return left
  }

  /** Lets time pass while no process lives: every moment that is waited for, and every one that is counted from. */
  async elapse(millis: number): Promise<void> {
    const memory = ["$.grid.anchor", "$.nextDueAt", "$.lastCheckedAt", "$.lastSuccessAt", "$.lastChangedAt", "$.since"]
      .map((path) => `'${path}', json_extract(memory, '${path}') - :millis`)
      .join(", ")
    const statements = [
      "UPDATE execution SET lease_until = lease_until - :millis",
      "UPDATE watch_run SET lease_until = lease_until - :millis",
      "UPDATE reservation SET reserved_at = reserved_at - :millis",
      `UPDATE watch
       SET next_due_at = next_due_at - :millis, asked_at = asked_at - :millis, memory = json_set(memory, ${memory})`,
      "UPDATE watch_queue SET due_at = due_at - :millis",
      "UPDATE delivery SET due_at = due_at - :millis",
      "UPDATE webhook SET due_at = due_at - :millis"
    ]
    for (const statement of statements) await this.rows(statement.replaceAll(":millis", String(Math.round(millis))))
  }
}
