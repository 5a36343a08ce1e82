import { Processes, type Storage, StorageError } from "@assay/core"
import {
  Migrations,
  SqliteEventStore,
  SqliteExecutionStore,
  SqliteHealth,
  SqliteKeyStore,
  SqliteQuotaStore,
  SqliteReads,
  SqliteWatchStore
} from "@assay/storage-sqlite"
import { Reactivity } from "@effect/experimental"
import { SqlClient, type SqlConnection, SqlError, Statement } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import Database from "libsql"

/** All stores in a libSQL database: a file, or one that is kept in step with a server (`syncUrl`, `authToken`). */
export const layer = (
  path: string,
  options: Database.Options = {}
): Layer.Layer<Storage.Storage, StorageError.StorageError> =>
  Layer.mergeAll(
    SqliteExecutionStore.layer,
    SqliteKeyStore.layer,
    SqliteQuotaStore.layer,
    SqliteWatchStore.layer,
    SqliteEventStore.layer
  ).pipe(
    // Which processes are alive is not known on other machines, so the lease of each decides.
    Layer.merge(Processes.layerUnknown),
    Layer.provide([reads(path, options), Layer.succeed(SqliteHealth.SqliteHealth, { note: () => Effect.void })]),
    Layer.provide(Layer.effectDiscard(Migrations.run)),
    Layer.provide(client(path, options)),
    Layer.catchAllCause(() =>
      Layer.fail(
        new StorageError.StorageError({ reason: "unavailable", operation: "open", detail: `${path} cannot be opened.` })
      )
    )
  )

/** One connection, which one transaction has at a time. */
const client = (path: string, options: Database.Options) =>
  Layer.scoped(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const db = yield* open(path, options)
      db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5; PRAGMA foreign_keys = ON")
      const run = (text: string, parameters: ReadonlyArray<unknown>) => attempt(() => rowsOf(db, text, parameters))
      const connection: SqlConnection.Connection = {
        execute: (text, parameters) => run(text, parameters) as never,
        executeRaw: run,
        executeValues: (text, parameters) => Effect.map(run(text, parameters), (rows) => rows.map(Object.values)),
        executeUnprepared: (text, parameters) => run(text, parameters) as never,
        executeStream: () => Effect.dieMessage("The stores stream nothing")
      }
      const turn = yield* Effect.makeSemaphore(1)
      return yield* SqlClient.make({
        compiler: Statement.makeCompilerSqlite(),
        spanAttributes: [],
        acquirer: turn.withPermits(1)(Effect.succeed(connection)),
        transactionAcquirer: Effect.acquireRelease(turn.take(1), () => turn.release(1)).pipe(Effect.as(connection))
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))

/** A second connection, which sees what was committed. */
const reads = (path: string, options: Database.Options) =>
  Layer.scoped(
    SqliteReads.SqliteReads,
    Effect.map(Effect.zipRight(SqlClient.SqlClient, open(path, options)), (db) => ({
      rows: (query) => attempt(() => rowsOf(db, ...query.compile())),
      number: () => Option.none()
    }))
  )

const open = (path: string, options: Database.Options) =>
  Effect.acquireRelease(
    Effect.sync(() => new Database(path, options)),
    (db) => Effect.sync(() => db.close())
  )

const rowsOf = (db: Database.Database, text: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<object> => {
  const statement = db.prepare(text)
  // As one list, because a single null or blob would be taken for named parameters.
  if (statement.reader) return statement.all(parameters).map(withBytes)
  statement.run(parameters)
  return []
}

/** A row with its blobs as the bytes that the stores read. */
const withBytes = (row: unknown): object =>
  Object.fromEntries(
    Object.entries(row as object).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value) : value
    ])
  )

const attempt = <A>(read: () => A) =>
  Effect.try({ try: read, catch: (cause) => new SqlError.SqlError({ cause, message: "The statement failed" }) })
