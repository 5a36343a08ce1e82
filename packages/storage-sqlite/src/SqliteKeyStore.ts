import type { KeyId } from "@assay/core/domain/Id"
import * as KeyStore from "@assay/core/storage/KeyStore"
import * as SqlKeyStore from "@assay/storage-sql/SqlKeyStore"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { database } from "./SqliteDatabase.js"
import type { SqliteHealth } from "./SqliteHealth.js"
import type { SqliteReads } from "./SqliteReads.js"

/**
 * Keys in SQLite.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<KeyStore.KeyStore, never, SqlClient | SqliteHealth | SqliteReads> = Layer.effect(
  KeyStore.KeyStore,
  Effect.map(database, (database) => {
    const { each, operation, sql, statement } = database
    const store = SqlKeyStore.make(database)
    return {
      ...store,
      removeUnused: Effect.fn("KeyStore.removeUnused")((ids: ReadonlyArray<KeyId>) =>
        Effect.tap(store.removeUnused(ids), () =>
          sql`DELETE FROM key_version WHERE key_id IN (${each(ids)}) AND key_id NOT IN (SELECT id FROM api_key)`.pipe(
            statement,
            operation("KeyStore.removeUnused")
          )
        )
      )
    }
  })
)
