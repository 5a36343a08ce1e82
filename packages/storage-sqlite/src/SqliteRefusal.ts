/** @internal */

import type { Storage } from "@assay/core/storage/Storage"
import * as StorageCalls from "@assay/core/storage/StorageCalls"
import { StorageHealth } from "@assay/core/storage/StorageHealth"
import { StorageVersion } from "@assay/core/storage/StorageVersion"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer, Option } from "effect"
import * as GroupCommit from "./GroupCommit.js"
import * as Migrations from "./Migrations.js"
import { SqliteReads } from "./SqliteReads.js"

/**
 * Refuses every call once another process has migrated the database to a schema that this code does not know, says so in
 * the log, and makes it the cause of the health. Which schema that is is read before each call, and again by each writer
 * that has the lock, which a migration needs too: so nothing is written into a schema that is not known.
 */
export const layer: Layer.Layer<
  Storage | StorageHealth | StorageVersion,
  never,
  Storage | StorageHealth | StorageVersion | SqlClient | SqliteReads
> = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const { number } = yield* SqliteReads
    const health = yield* StorageHealth
    const version = yield* StorageVersion
    const isKnown = () => !Option.exists(number(), (schema) => schema > Migrations.newest)
    let isTold = false
    const refusal = Effect.suspend(() => {
      const found = Option.filter(number(), (schema) => schema > Migrations.newest)
      const cause = Option.map(found, (schema) => new Migrations.SchemaTooNew({ number: schema }).message)
      if (Option.isNone(cause) || isTold) return Effect.succeed(cause)
      isTold = true
      return Effect.as(Effect.logError(`${cause.value} This process does no more work.`), cause)
    })
    GroupCommit.guard(
      sql,
      Effect.flatMap(
        refusal,
        Option.match({
          onNone: () => Effect.void,
          onSome: (message) => new SqlError({ cause: { code: "SCHEMA_TOO_NEW" }, message })
        })
      )
    )
    return (yield* StorageCalls.stores(StorageCalls.refusing(refusal))).pipe(
      // What was answered before is not answered again.
      Context.add(StorageVersion, {
        current: () => (isKnown() ? version.current() : Option.none()),
        ofKey: (id) => (isKnown() ? version.ofKey(id) : Option.none())
      }),
      Context.add(StorageHealth, {
        cause: Effect.flatMap(
          refusal,
          Option.match({ onNone: () => health.cause, onSome: (cause) => Effect.succeed(Option.some(cause)) })
        )
      })
    )
  })
)
