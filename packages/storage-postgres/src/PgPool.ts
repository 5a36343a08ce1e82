/** @internal */

import type { Socket } from "node:net"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Duration, Effect, type Layer, Metric, Redacted, Schedule, type Scope } from "effect"
import * as Pg from "pg"
import * as PgTypes from "pg-types"

/**
 * Where the pool connects to, how many connections it opens at most, how long is waited for one, and how long a server may
 * say nothing (12 seconds).
 */
export interface Options {
  readonly url: Redacted.Redacted<string>
  readonly connections: number
  readonly connectTimeout: Duration.DurationInput
  readonly silence?: Duration.DurationInput | undefined
}

/**
 * A client with statements that end: the server ends one after 10 s, and a wait for a lock after 5 s. A connection on which the
 * server says nothing for 12 s is closed, and what waited for an answer on it fails with the code `no answer`. The pool
 * opens another one for the next.
 *
 * The server is given its limits by a setting of the session, and only where the session is the client's own: a pooler in
 * transaction mode, which refuses such settings at the start, would give them to others. There the limits of transactions
 * and the silence end what hangs.
 */
export const layer = (options: Options): Layer.Layer<SqlClient, SqlError> =>
  layerPool(
    {
      ...config(options),
      onConnect: (client) => {
        watch(client, Duration.toMillis(options.silence ?? silence))
        return client.query(limitSession(client))
      }
    },
    measured
  )

/** A client with statements that have no time limit, for migrations and copies. */
export const layerPatient = (options: Options): Layer.Layer<SqlClient, SqlError> =>
  layerPool(config(options), () => Effect.void)

const layerPool = (config: Pg.PoolConfig, use: (pool: Pg.Pool) => Effect.Effect<void, never, Scope.Scope>) =>
  PgClient.layerFromPool({
    acquire: Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new Pg.Pool(config)
        // A connection that ends while nobody uses it is replaced.
        pool.on("error", () => {})
        return pool
      }),
      (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption(Duration.seconds(1)))
    ).pipe(Effect.tap(use))
  })

/** Keeps the gauges `assay_postgres_connections` and `assay_postgres_waiting` up to date. */
const measured = (pool: Pg.Pool) =>
  Effect.gen(function* () {
    yield* Metric.set(busy, pool.totalCount - pool.idleCount)
    yield* Metric.set(idle, pool.idleCount)
    yield* Metric.set(waiting, pool.waitingCount)
  }).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped, Effect.asVoid)

const connections = Metric.gauge("assay_postgres_connections", {
  description: "Connections of this process to Postgres: `busy` or `idle`."
})
const busy = Metric.tagged(connections, "state", "busy")
const idle = Metric.tagged(connections, "state", "idle")
const waiting = Metric.gauge("assay_postgres_waiting", {
  description: "Statements that wait for a connection of this process."
})

const config = ({ connections, connectTimeout, url }: Options): Pg.PoolConfig => ({
  connectionString: Redacted.value(url),
  max: connections,
  connectionTimeoutMillis: Duration.toMillis(connectTimeout),
  application_name: "assay",
  types: { getTypeParser }
})

/** Whole numbers of eight bytes as numbers: times and counts stay below 2^53. */
const getTypeParser: Pg.CustomTypesConfig["getTypeParser"] = (oid: number, format?: "text" | "binary") => {
  if (oid === PgTypes.builtins.INT8) return Number
  return format === "binary" ? PgTypes.getTypeParser(oid, format) : PgTypes.getTypeParser(oid, "text")
}

/** Longer than the server takes to end a statement by itself: the server's answer is certain. */
const silence = Duration.seconds(12)

/** Behind a pooler the number of the process is made up, and the statement does nothing. */
const limitSession = (client: Pg.ClientBase): string => {
  const own = "processID" in client && typeof client.processID === "number" ? client.processID : 0
  return `
    SELECT set_config('statement_timeout', '10s', false), set_config('lock_timeout', '5s', false),
      set_config('idle_in_transaction_session_timeout', '15s', false)
    WHERE pg_backend_pid() = ${own}`
}

/** The pool drops what is idle earlier. */
const watch = (client: Pg.ClientBase, millis: number): void => {
  const stream = streamOf(client)
  stream?.setTimeout(millis, () => {
    const { bytesRead } = stream
    // Where this process stood still, the answer may be there and not read yet.
    setImmediate(() =>
      setImmediate(() => {
        if (stream.bytesRead === bytesRead) stream.destroy(new NoAnswer())
      })
    )
  })
}

/** The driver has its socket under this name, and has no types for it. */
const streamOf = (client: Pg.ClientBase): Socket | undefined => {
  const connection: unknown = "connection" in client ? client.connection : undefined
  return typeof connection === "object" && connection !== null && "stream" in connection
    ? (connection.stream as Socket)
    : undefined
}

class NoAnswer extends Error {
  readonly code = "no answer"
  override readonly message = "The server does not answer"
}
