// biome-ignore lint/suspicious/noExplicitAny: tests look into rows of any shape.
export type Row = any

/** What a server keeps, seen and touched from outside, in either store. */
export abstract class Database {
  /** Runs a statement that both stores understand, without parameters but those of the store. */
  abstract rows(text: string, parameters?: ReadonlyArray<unknown>): Promise<ReadonlyArray<Row>>

  /** What is another value after anything was written. */
  abstract version(): Promise<unknown>

  abstract close(): Promise<void>

  /** What runs at this moment and may do so only once for a watch; none of these is more than 1. */
  async mostAtOnce(): Promise<{ readonly runs: number; readonly executions: number }> {
    const [most] = await this.rows(`
      SELECT
        (SELECT coalesce(max(n), 0) FROM (
          SELECT count(*) AS n FROM watch_run WHERE status = 'running' GROUP BY watch_id) AS run) AS runs,
        (SELECT coalesce(max(n), 0) FROM (
          SELECT count(*) AS n FROM execution WHERE status = 'running' AND watch_id IS NOT NULL
          GROUP BY watch_id) AS executing) AS executions`)
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
    const passed = Math.round(millis)
    const statements = [
      "UPDATE execution SET lease_until = lease_until - :millis",
      "UPDATE watch_run SET lease_until = lease_until - :millis",
      "UPDATE reservation SET reserved_at = reserved_at - :millis",
      "UPDATE watch SET next_due_at = next_due_at - :millis, asked_at = asked_at - :millis",
      "UPDATE watch_queue SET due_at = due_at - :millis",
      "UPDATE delivery SET due_at = due_at - :millis",
      "UPDATE webhook SET due_at = due_at - :millis"
    ]
    for (const statement of statements) await this.rows(statement.replaceAll(":millis", String(passed)))
    for (const { id, memory } of await this.rows("SELECT id, memory FROM watch"))
      await this.rows(`UPDATE watch SET memory = ${quoted(earlier(memory, passed))} WHERE id = ${quoted(id)}`)
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

const moments = ["nextDueAt", "lastCheckedAt", "lastSuccessAt", "lastChangedAt", "since"]

/** What a watch remembers, so much earlier. */
const earlier = (memory: string, millis: number): string => {
  const shift = (moment: unknown) => (typeof moment === "number" ? moment - millis : moment)
  const read: Row = JSON.parse(memory)
  for (const name of moments) if (name in read) read[name] = shift(read[name])
  if (read.grid !== undefined && read.grid !== null) read.grid.anchor = shift(read.grid.anchor)
  return JSON.stringify(read)
}
