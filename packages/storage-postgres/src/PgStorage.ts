import type * as Secrets from "@assay/core/keys/Secrets"
import * as Processes from "@assay/core/storage/Processes"
import type * as Storage from "@assay/core/storage/Storage"
import * as StorageError from "@assay/core/storage/StorageError"
import type * as StorageHealth from "@assay/core/storage/StorageHealth"
import * as StorageVersion from "@assay/core/storage/StorageVersion"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Cause, type Duration, Effect, Layer, Option, type Redacted } from "effect"
import * as Migrations from "./Migrations.js"
import * as PgEventStore from "./PgEventStore.js"
import * as PgExecutionStore from "./PgExecutionStore.js"
import * as PgHealth from "./PgHealth.js"
import * as PgKeyStore from "./PgKeyStore.js"
import * as PgPool from "./PgPool.js"
import * as PgQuotaStore from "./PgQuotaStore.js"
import * as PgRefusal from "./PgRefusal.js"
import * as PgSecrets from "./PgSecrets.js"
import * as PgSize from "./PgSize.js"
import * as PgWatchStore from "./PgWatchStore.js"

/**
 * Where the database is (`postgres://user:password@host/database`), how many connections are opened at most (10), and how
 * long is waited for one (10 seconds), whether it is opened or others have all of them.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly url: Redacted.Redacted<string>
  readonly connections?: number | undefined
  readonly connectTimeout?: Duration.DurationInput | undefined
}

/**
 * Every store, with what is known against them. Whether anything was committed is not known without a request to the
 * server, so nothing that was read is used again.
 *
 * @since 0.1.0
 * @category models
 */
export type Provided = Storage.Storage | StorageHealth.StorageHealth | StorageVersion.StorageVersion

/**
 * Every store in one Postgres database, brought to the newest schema. Any number of processes of any machine may share it.
 *
 * @example
 * ```ts
 * import { PgStorage } from "@assay/storage-postgres"
 * import { Redacted } from "effect"
 *
 * const storage = PgStorage.layer({ url: Redacted.make("postgres://assay@db.internal/assay") })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Provided, StorageError.StorageError> =>
  Layer.provide(stores, layerClient(options))

/**
 * As `layer`, once every secret of an endpoint is sealed with the current key (`PgSecrets.sealAll`): for a new key. Fails
 * where something was sealed with a key that is not given.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerSealing = (
  options: Options
): Layer.Layer<Provided, StorageError.StorageError | Secrets.SecretUnreadable, Secrets.Secrets> =>
  Layer.provide(
    stores,
    // Rewriting a table takes as long as it takes.
    Layer.provide(
      layerClient(options),
      Layer.provide(Layer.effectDiscard(PgSecrets.sealAll), layerPatient({ ...options, connections: 1 }))
    )
  )

const stores = Layer.provideMerge(
  PgRefusal.layer,
  Layer.suspend(() => opening)
)

const opening = Layer.mergeAll(
  PgExecutionStore.layer,
  PgKeyStore.layer,
  PgQuotaStore.layer,
  PgWatchStore.layer,
  PgEventStore.layer,
  PgHealth.layer,
  PgSize.layer,
  Processes.layerUnknown,
  StorageVersion.layerUnknown
)

/**
 * A client of the database with the newest schema, or a later one that this code works with. Its statements end within
 * 12 seconds.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (options: Options): Layer.Layer<SqlClient, StorageError.StorageError> =>
  opened(Layer.provide(PgPool.layer(pool(options)), migrated(options)))

/**
 * As `layerClient`, with statements that take as long as they take: for copies.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerPatient = (options: Options): Layer.Layer<SqlClient, StorageError.StorageError> =>
  opened(Layer.provideMerge(Layer.effectDiscard(Migrations.run), PgPool.layerPatient(pool(options))))

const pool = (options: Options): PgPool.Options => ({
  url: options.url,
  connections: options.connections ?? 10,
  connectTimeout: options.connectTimeout ?? "10 seconds"
})

/** A migration takes as long as it takes, on a connection of its own. */
const migrated = (options: Options) =>
  Layer.effectDiscard(Effect.provide(Migrations.run, PgPool.layerPatient({ ...pool(options), connections: 1 })))

const opened = <A, E>(self: Layer.Layer<A, E>): Layer.Layer<A, StorageError.StorageError> =>
  self.pipe(
    Layer.catchAllCause((cause) => {
      const errors = [...Cause.failures(cause), ...Cause.defects(cause)]
      const tooNew = errors.find((error) => error instanceof Migrations.SchemaTooNew)
      return Layer.fail(
        new StorageError.StorageError({
          reason: "unavailable",
          operation: "PgStorage.layer",
          detail: tooNew?.message ?? reasonOf(Option.firstSomeOf(errors.map(codeOf)))
        })
      )
    })
  )

/** What an operator can do about it, by https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const reasonOf = (code: Option.Option<string>): string =>
  Option.match(code, {
    onNone: () => "The Postgres server cannot be reached.",
    onSome: (code) => {
      if (code.startsWith("28")) return `The Postgres server refuses this user or its password (${code}).`
      if (code === "3D000") return `The Postgres server has no such database (${code}).`
      if (code === "42501") return `The user may not make or read the tables of this database (${code}).`
      if (code.startsWith("53")) return `The Postgres server has no room or no connection left (${code}).`
      return /^E[A-Z_]+$/.test(code)
        ? `The Postgres server cannot be reached (${code}).`
        : `The Postgres database cannot be opened (${code}).`
    }
  })
