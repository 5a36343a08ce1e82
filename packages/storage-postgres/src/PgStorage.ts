import * as Processes from "@assay/core/storage/Processes"
import type * as Storage from "@assay/core/storage/Storage"
import * as StorageError from "@assay/core/storage/StorageError"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Cause, type Duration, Layer, Option, type Redacted } from "effect"
import * as PgTypes from "pg-types"
import * as Migrations from "./Migrations.js"
import * as PgEventStore from "./PgEventStore.js"
import * as PgExecutionStore from "./PgExecutionStore.js"
import * as PgKeyStore from "./PgKeyStore.js"
import * as PgQuotaStore from "./PgQuotaStore.js"
import { codeOf } from "./PgStore.js"
import * as PgWatchStore from "./PgWatchStore.js"

/**
 * Where the database is (`postgres://user:password@host/database`), how many connections are opened at most (10), and how
 * long is waited for one (15 seconds), whether it is opened or others have all of them.
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
 * Every store in one Postgres database, brought to the newest schema. Any number of processes of any machine may share it.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Storage.Storage, StorageError.StorageError> =>
  Layer.mergeAll(
    PgExecutionStore.layer,
    PgKeyStore.layer,
    PgQuotaStore.layer,
    PgWatchStore.layer,
    PgEventStore.layer,
    Processes.layerUnknown
  ).pipe(Layer.provide(layerClient(options)))

/**
 * A client of the database, whose schema is the newest.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerClient = (options: Options): Layer.Layer<SqlClient, StorageError.StorageError> =>
  Layer.provideMerge(
    Layer.effectDiscard(Migrations.run),
    PgClient.layer({
      url: options.url,
      maxConnections: options.connections ?? 10,
      connectTimeout: options.connectTimeout ?? "15 seconds",
      applicationName: "assay",
      types: { getTypeParser }
    })
  ).pipe(
    Layer.catchAllCause((cause) =>
      Layer.fail(
        new StorageError.StorageError({
          reason: "unavailable",
          operation: "PgStorage.layer",
          detail: Option.getOrElse(
            Option.firstSomeOf([...Cause.failures(cause), ...Cause.defects(cause)].map(codeOf)),
            () => "the database could not be opened"
          )
        })
      )
    )
  )

/** Whole numbers of eight bytes as numbers: times and counts stay below 2^53. */
const getTypeParser = (oid: number, format?: "text" | "binary") => {
  if (oid === PgTypes.builtins.INT8) return Number
  return format === "binary" ? PgTypes.getTypeParser(oid, format) : PgTypes.getTypeParser(oid, "text")
}
