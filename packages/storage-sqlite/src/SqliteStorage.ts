import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import type * as Secrets from "@assay/core/keys/Secrets"
import type * as Storage from "@assay/core/storage/Storage"
import * as StorageError from "@assay/core/storage/StorageError"
import * as StorageHealth from "@assay/core/storage/StorageHealth"
import * as StorageVersion from "@assay/core/storage/StorageVersion"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Cause, Effect, Layer, Option } from "effect"
import * as GroupCommit from "./GroupCommit.js"
import * as Migrations from "./Migrations.js"
import * as PrivateFile from "./PrivateFile.js"
import * as SqliteDriver from "./SqliteDriver.js"
import * as SqliteEventStore from "./SqliteEventStore.js"
import * as SqliteExecutionStore from "./SqliteExecutionStore.js"
import * as SqliteHealth from "./SqliteHealth.js"
import * as SqliteKeyStore from "./SqliteKeyStore.js"
import * as SqliteProcesses from "./SqliteProcesses.js"
import * as SqliteQuotaStore from "./SqliteQuotaStore.js"
import * as SqliteReads from "./SqliteReads.js"
import * as SqliteRefusal from "./SqliteRefusal.js"
import * as SqliteSecrets from "./SqliteSecrets.js"
import * as SqliteSize from "./SqliteSize.js"
import { lockMillis } from "./SqliteStore.js"
import * as SqliteWatchStore from "./SqliteWatchStore.js"

/**
 * Where the database is: a file, made with its directory if it is missing, or `:memory:`. `writesPerCommit` (64) is how many
 * writes that wait at the same moment share a commit at most.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly filename: string
  readonly writesPerCommit?: number | undefined
}

/**
 * Every store, with what is known against them and whether anything was committed.
 *
 * @since 0.1.0
 * @category models
 */
export type Provided = Storage.Storage | StorageHealth.StorageHealth | StorageVersion.StorageVersion

/**
 * Every store in one SQLite database, brought to the newest schema. What a method acknowledged survives a kill and a
 * loss of power. Several processes of one machine may share the file.
 *
 * @example
 * ```ts
 * import { SqliteStorage } from "@assay/storage-sqlite"
 *
 * const storage = SqliteStorage.layer({ filename: "./data/assay.db" })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Provided, StorageError.StorageError> =>
  Layer.provide(stores(options), layerClient(options))

/**
 * As `layer`, once every secret of an endpoint is sealed with the current key (`SqliteSecrets.sealAll`): for a database
 * from before secrets were sealed, and for a new key. Fails where something was sealed with a key that is not given.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSealing = (
  options: Options
): Layer.Layer<Provided, StorageError.StorageError | Secrets.SecretUnreadable, Secrets.Secrets> =>
  stores(options).pipe(Layer.provide(Layer.effectDiscard(SqliteSecrets.sealAll)), Layer.provide(layerClient(options)))

const stores = (options: Options) => Layer.provideMerge(SqliteRefusal.layer, opening(options))

const opening = (options: Options) =>
  Layer.mergeAll(
    SqliteExecutionStore.layer,
    SqliteKeyStore.layer,
    SqliteQuotaStore.layer,
    SqliteWatchStore.layer,
    SqliteEventStore.layer,
    SqliteSize.layer,
    SqliteProcesses.layer(options),
    Layer.effect(StorageHealth.StorageHealth, StorageHealth.StorageHealth),
    Layer.effect(StorageVersion.StorageVersion, StorageVersion.StorageVersion)
  )

/**
 * A client of the database, with its settings made and its schema the newest, and what is known against the database.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (
  options: Options
): Layer.Layer<
  | SqlClient
  | SqliteHealth.SqliteHealth
  | SqliteReads.SqliteReads
  | StorageHealth.StorageHealth
  | StorageVersion.StorageVersion,
  StorageError.StorageError
> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const fault = yield* SqliteDriver.fault
      if (Option.isSome(fault)) return yield* refused(fault.value)
      yield* makeDirectory(options.filename)
      const found = yield* SqliteHealth.find(options.filename)
      if (found.isForeign) return yield* refused("The file is the database of another program.")
      yield* keepPrivate(options.filename)
      return Layer.merge(SqliteHealth.layer(options.filename, found), SqliteReads.layer(options.filename)).pipe(
        Layer.provideMerge(
          Layer.effectDiscard(
            Effect.all([
              configure,
              SqliteHealth.inspect,
              Migrations.run,
              GroupCommit.prepare(options.writesPerCommit ?? GroupCommit.defaultSize),
              serve
            ])
          )
        ),
        Layer.provideMerge(SqliteClient.layer({ filename: options.filename }))
      )
    })
  ).pipe(
    // Opening the file throws, so what went wrong is a defect here.
    Layer.catchAllCause((cause) => Layer.fail(unopened(cause)))
  )

// The client opens in WAL mode with the driver's own defaults. FULL makes a commit survive a loss of power, not only of
// the process; the time to wait for another writer is in milliseconds. Until the schema is the newest nothing else runs.
const configure = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql`PRAGMA synchronous = FULL`
  yield* sql`PRAGMA busy_timeout = 5000`
  yield* sql`PRAGMA foreign_keys = ON`
})

const serve = Effect.flatMap(SqlClient, (sql) => sql.unsafe(`PRAGMA busy_timeout = ${lockMillis}`))

const makeDirectory = (filename: string) =>
  filename === ":memory:" ? Effect.void : Effect.sync(() => mkdirSync(dirname(filename), { recursive: true }))

const keepPrivate = (filename: string) =>
  Effect.gen(function* () {
    if (filename === ":memory:") return
    yield* Effect.sync(() => PrivateFile.make(filename))
    for (const end of ["", "-wal", "-shm"]) yield* PrivateFile.restrict(`${filename}${end}`)
  })

const unopened = (cause: Cause.Cause<unknown>): StorageError.StorageError => {
  const failures = [...Cause.failures(cause), ...Cause.defects(cause)]
  const refusal = failures.find((failure) => failure instanceof StorageError.StorageError)
  if (refusal !== undefined) return refusal
  const tooNew = failures.find((failure) => failure instanceof Migrations.SchemaTooNew)
  if (tooNew !== undefined) return refused(tooNew.message)
  const code = Option.getOrElse(Option.firstSomeOf(failures.map(codeOf)), () => "SQLITE_ERROR")
  return refused(Option.getOrElse(SqliteHealth.causeOf(code), () => `The database could not be opened (${code}).`))
}

const refused = (detail: string) =>
  new StorageError.StorageError({ reason: "unavailable", operation: "SqliteStorage.layer", detail })
