import { EventEmitter } from "node:events"
import { codeOf, operation as operationOf, type SqlDatabase, Uncertain } from "@assay/storage-sql/SqlDatabase"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Cause, Effect, Exit, Option } from "effect"

/** Maps an error to the terms of a store, without SQL, rows or names of hosts. */
export const operation: SqlDatabase["operation"] = operationOf("no code")

/** As `operation`, for what only reads: no answer is a failure like others. */
export const reading: SqlDatabase["reading"] = (name) => (self) =>
  operation(name)(Effect.mapError(self, (error) => (error instanceof SqlError ? unreachable(error) : error)))

/** How long a transaction may wait: for a statement, for a lock in it, and for its next statement. */
const limits = [
  "SET LOCAL statement_timeout = '10s'",
  "SET LOCAL lock_timeout = '5s'",
  "SET LOCAL idle_in_transaction_session_timeout = '15s'"
]

/**
 * Runs statements in one transaction, with limits of time that end with it. `first` is sent in the same round trip as
 * `BEGIN`: statements that lock what the others decide on. What each of the others reads was committed before it began, so
 * it sees all that earlier holders of these locks wrote.
 *
 * What was certainly not committed, but a deadlock, a lost connection or a server that became read-only, is tried again.
 */
export const transaction =
  (sql: SqlClient.SqlClient, first = "") =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError | Uncertain, R> =>
    onOneConnection<A, E, R>(sql, ({ close, execute, restore, run }) =>
      Effect.gen(function* () {
        const exit = yield* restore(
          Effect.zipRight(execute(["BEGIN", ...limits, ...(first === "" ? [] : [first])].join("; ")), run(self))
        ).pipe(Effect.exit)
        if (Exit.isFailure(exit)) {
          yield* Effect.catchAll(execute("ROLLBACK"), () => close)
          return yield* exit
        }
        const committed = yield* Effect.mapError(execute("COMMIT"), lostOr)
        // A transaction that failed before is rolled back by COMMIT, which then says so and does not fail.
        if (committed !== "COMMIT")
          return yield* new SqlError({ cause: { code: "25P02" }, message: "The transaction was rolled back" })
        return exit.value
      })
    )

/**
 * Runs one statement that writes, without a transaction around it: where its connection is lost, the answer of its commit
 * is.
 */
export const statement =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError | Uncertain, R> =>
    onOneConnection<A, E, R>(sql, ({ restore, run }) =>
      Effect.mapError(restore(run(self)), (error) => (error instanceof SqlError ? lostOr(error) : error))
    )

/**
 * A transaction of two round trips, for what is decided between two sets of statements: `reads` is sent with `BEGIN`, and what
 * `answer` makes of its rows with `COMMIT`; `read` is given the rows of that. Without a statement to write there is no
 * change. Rows are those of each statement, in their order. What was certainly not committed is tried again as in
 * `transaction`, with a new answer.
 */
export const exchange =
  (sql: SqlClient.SqlClient, reads: ReadonlyArray<string>) =>
  <A, E, R>(
    answer: (rows: Rows) => Effect.Effect<Answer<A, E, R>, E, R>
  ): Effect.Effect<A, E | SqlError | Uncertain, R> =>
    onOneConnection<A, E, R>(sql, ({ close, query, restore, run }) =>
      Effect.gen(function* () {
        const rollback = Effect.catchAll(query("ROLLBACK"), () => close)
        const { read, write } = yield* restore(
          Effect.flatMap(query(["BEGIN", ...limits, ...reads].join("; ")), (rows) => answer(rows.slice(-reads.length)))
        ).pipe(Effect.onError(() => rollback))
        if (write.length === 0) return yield* Effect.zipRight(rollback, restore(run(read([]))))
        // An error of a statement comes before the commit.
        const rows = yield* query([...write, "COMMIT"].join("; ")).pipe(
          Effect.tapError((error) => Effect.unless(rollback, () => isLost(error))),
          Effect.mapError(lostOr)
        )
        return yield* read(rows.slice(0, write.length))
      })
    )

/** What an exchange writes, and what it answers with the rows of that. */
export interface Answer<A, E, R> {
  readonly write: ReadonlyArray<string>
  readonly read: (rows: Rows) => Effect.Effect<A, E, R>
}

/** The rows of each of some statements. */
export type Rows = ReadonlyArray<ReadonlyArray<unknown>>

/** A connection for one use: `run` gives it to statements, `close` has the pool drop it. */
interface OneConnection {
  readonly execute: (text: string) => Effect.Effect<string, SqlError>
  readonly query: (text: string) => Effect.Effect<Rows, SqlError>
  readonly restore: Run
  readonly run: Run
  readonly close: Effect.Effect<void>
}
type Run = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Keeps a connection for itself, which is closed where it is of no more use, and tries again what changed nothing. */
const onOneConnection = <A, E, R>(
  sql: SqlClient.SqlClient,
  use: (connection: OneConnection) => Effect.Effect<A, E | SqlError | Uncertain, R>
): Effect.Effect<A, E | SqlError | Uncertain, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* Effect.mapError(sql.reserve, unreachable)
        const close = closed(connection)
        return yield* use({
          execute: (text) => Effect.map(connection.executeRaw(text, []), commandOf),
          query: (text) => Effect.map(connection.executeRaw(text, []), rowsOf),
          restore,
          run: (self) => Effect.provideService(self, SqlClient.TransactionConnection, [connection, 0]),
          close
        }).pipe(
          Effect.tapErrorCause((cause) => Effect.when(close, () => [...Cause.failures(cause)].some(isOfNoMoreUse))),
          Effect.tapErrorCause((cause) =>
            Effect.sync(() => {
              if ([...Cause.failures(cause)].some(isFull)) full.add(sql)
            })
          )
        )
      })
    )
  ).pipe(Effect.retry({ times: 3, while: isRepeatable }))

/**
 * Whether a write through this client failed because the disk of the server is full. Then a row is written again as it is,
 * which finds out whether that is over.
 */
export const isDiskFull = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    if (!full.delete(sql)) return Effect.succeed(false)
    const written = statement(sql)(sql`
      UPDATE effect_sql_migrations SET oldest = oldest
      WHERE migration_id = (SELECT max(migration_id) FROM effect_sql_migrations)`)
    return Effect.map(Effect.exit(written), () => full.has(sql))
  })

const full = new WeakSet<SqlClient.SqlClient>()

const isFull = (error: unknown): boolean => error instanceof SqlError && Option.contains(codeOf(error), "53100")

/** Where the pool gives none in time, the driver has no code for it. */
const unreachable = (error: SqlError): SqlError =>
  Option.isSome(codeOf(error)) ? error : new SqlError({ cause: { code: "no connection" }, message: error.message })

/** What the last of these statements did, such as `COMMIT` or `ROLLBACK`. */
const commandOf = (result: unknown): string => {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result
  return typeof last === "object" && last !== null && "command" in last ? String(last.command) : ""
}

/** The rows of each of these statements. */
const rowsOf = (results: unknown): Rows =>
  (Array.isArray(results) ? results : [results]).map((result: unknown) =>
    typeof result === "object" && result !== null && "rows" in result && Array.isArray(result.rows) ? result.rows : []
  )

const lostOr = (error: SqlError): SqlError | Uncertain => (isLost(error) ? new Uncertain({ cause: error }) : error)

/**
 * Whether there is no answer of the server to the statement. Class 57 is a shutdown or a cancellation, which may come
 * between the commit and its answer.
 */
const isLost = (error: SqlError): boolean =>
  !Option.exists(codeOf(error), (code) => /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code))

/** A server that became the standby of another one still answers, but a new connection may reach the other one. */
const isReadOnly = (error: SqlError): boolean => Option.contains(codeOf(error), "25006")

const isOfNoMoreUse = (error: unknown): boolean =>
  error instanceof Uncertain || (error instanceof SqlError && (isLost(error) || isReadOnly(error)))

/** Serialization failure, deadlock, read-only, and an end of the connection before anything could be committed. */
const isRepeatable = (error: unknown): boolean =>
  error instanceof SqlError &&
  Option.exists(codeOf(error), (code) => ["40001", "40P01", "25006", "57P01", "ECONNRESET", "EPIPE"].includes(code))

/** The pool drops a connection that reported an error before it is given back, and its socket is closed with it. */
const closed = (connection: object): Effect.Effect<void> =>
  Effect.sync(() => {
    if ("pg" in connection && connection.pg instanceof EventEmitter)
      connection.pg.emit("error", new Error("the connection is not to be used again"))
  })

/**
 * A statement that locks, until the end of the transaction, what a query answers as `name`: in one order whoever locks, so
 * that nobody waits in a circle.
 */
export const lockEach = (query: string): string => `
  SELECT pg_advisory_xact_lock(number)
  FROM (
    SELECT DISTINCT hashtextextended(name, 0) AS number FROM (${query}) AS names (name) ORDER BY number OFFSET 0
  ) AS numbers`

/** As `lockEach`, for names that are known. */
export const lock = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : lockEach(`VALUES ${names.map((name) => `(${literal(name)})`).join(", ")}`)

/** A text in a statement that takes no parameters, whatever the server takes a backslash for. */
export const literal = (text: string): string => {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted
}
