/** @internal */

import type { Storage } from "@assay/core/storage/Storage"
import * as StorageCalls from "@assay/core/storage/StorageCalls"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Option, Ref, Schedule } from "effect"
import * as Migrations from "./Migrations.js"

/**
 * Refuses every call once a later version migrated the database to what this code cannot work with, which is looked at
 * every five seconds, and says so in the log. A database that does not answer changes nothing of what was known.
 */
export const layer: Layer.Layer<Storage, never, Storage | SqlClient> = Layer.unwrapScoped(
  Effect.gen(function* () {
    const refusal = yield* Ref.make(Option.none<string>())
    const look = Effect.gen(function* () {
      const found = Option.liftPredicate(yield* Migrations.schema, (schema) =>
        Migrations.isTooNew(schema, Migrations.newest)
      )
      const before = yield* Ref.getAndSet(refusal, Option.map(found, causeOf))
      if (Option.isSome(found) && Option.isNone(before))
        yield* Effect.logError(`${causeOf(found.value)} It does no more work: run the newer version.`)
      if (Option.isNone(found) && Option.isSome(before))
        yield* Effect.logInfo("The database has a schema again that this process works with.")
    })
    yield* look.pipe(Effect.ignore, Effect.repeat(Schedule.spaced("5 seconds")), Effect.forkScoped)
    return StorageCalls.layerRefusing(Ref.get(refusal))
  })
)

/** Why this code may not use a database of a later version, in one line. */
export const causeOf = ({ oldest }: { readonly oldest: number }): string =>
  `The database has a schema for code of schema ${oldest} or later; this process knows ${Migrations.newest}.`
