import type * as Secrets from "@assay/core/keys/Secrets"
import * as Storage from "@assay/core/storage/Storage"
import type * as StorageError from "@assay/core/storage/StorageError"
import * as StorageHealth from "@assay/core/storage/StorageHealth"
import * as StorageVersion from "@assay/core/storage/StorageVersion"
import { SqliteStorage } from "@assay/storage-sqlite"
import { Effect, Layer } from "effect"
import * as ClaimGuard from "./ClaimGuard.js"
import type { Database } from "./ServerConfig.js"

/** All stores, what is known against them, and whether anything was committed. */
export type Provided = Storage.Storage | StorageHealth.StorageHealth | StorageVersion.StorageVersion

/**
 * Stores of the embedder. What they do not say of themselves is what memory says: nothing is known against them, and
 * nothing that was read is used again.
 */
export const layerOf = <E, R>(storage: Layer.Layer<Storage.Storage, E, R>): Layer.Layer<Provided, E, R> =>
  // The clock of the process may differ from those of others.
  Layer.provideMerge(
    ClaimGuard.layer,
    // The last one that gives a service gives it to all.
    Layer.merge(Layer.merge(StorageHealth.layerMemory, StorageVersion.layerUnknown), storage)
  )

/** The stores of a database, for a server: opened once every webhook secret is sealed with the current key. */
export const layerSealing = (
  database: Database
): Layer.Layer<Provided, StorageError.StorageError | Secrets.SecretUnreadable, Secrets.Secrets> => {
  switch (database._tag) {
    case "Memory":
      return memory
    case "Sqlite":
      return SqliteStorage.layerSealing({ filename: database.filename })
    case "Postgres":
      return Layer.unwrapEffect(
        Effect.map(postgres, (PgStorage) =>
          // Here a clock may differ from those of the others.
          Layer.provideMerge(
            ClaimGuard.layer,
            PgStorage.layerSealing({ url: database.url, connections: database.connections })
          )
        )
      )
  }
}

/** The stores of a database as it is, for a command of an operator. */
export const layer = (database: Database): Layer.Layer<Storage.Storage, StorageError.StorageError> => {
  switch (database._tag) {
    case "Memory":
      return memory
    case "Sqlite":
      return SqliteStorage.layer({ filename: database.filename })
    case "Postgres":
      return Layer.unwrapEffect(
        // A command runs one query after another.
        Effect.map(postgres, (PgStorage) => PgStorage.layer({ url: database.url, connections: 2 }))
      )
  }
}

const memory = Layer.mergeAll(Storage.layerMemory, StorageHealth.layerMemory, StorageVersion.layerUnknown)

// Most processes have no Postgres, and start without its driver.
const postgres = Effect.map(
  Effect.promise(() => import("@assay/storage-postgres")),
  ({ PgStorage }) => PgStorage
)
