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
  Effect.map(database, SqlKeyStore.make)
)
