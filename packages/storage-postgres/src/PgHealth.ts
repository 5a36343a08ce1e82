import * as StorageHealth from "@assay/core/storage/StorageHealth"
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect, Layer, Option, Ref, Schema } from "effect"
import * as Migrations from "./Migrations.js"
import * as PgRefusal from "./PgRefusal.js"
import { isDiskFull, reading } from "./PgStore.js"

/**
 * Leases are judged by the clocks of the processes. Two that are this far from the clock of the database are at most 30 s
 * apart: of a lease of 120 s, renewed every 30 s, 90 s are left, and of one of a delivery, 60 s, more than the 20 s that an
 * attempt takes.
 */
const toleranceMillis = 15_000

const Row = Schema.Struct({ recovering: Schema.Boolean, readOnly: Schema.Boolean, now: Schema.Int })
const decode = Schema.decodeUnknown(Schema.NonEmptyArray(Row))

/**
 * What is known against the database, read at most every five seconds: that it takes no writes, as the standby of another
 * server does, that its disk is full, that a later version migrated it to a schema that this one cannot work with, or that
 * its clock and the one of this process are more than 15 s apart. A database that does not answer is no such cause: each
 * call says that.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<StorageHealth.StorageHealth, never, SqlClient> = Layer.effect(
  StorageHealth.StorageHealth,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const probe = Effect.gen(function* () {
      const [row] = yield* decode(
        yield* sql`
        SELECT pg_is_in_recovery() AS recovering, current_setting('default_transaction_read_only') = 'on' AS "readOnly",
          (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`
      )
      const now = yield* Clock.currentTimeMillis
      // Who migrates has the table to itself, for longer than a health check may take.
      const schema = yield* Migrations.schema.pipe(
        Effect.provideService(SqlClient, sql),
        Effect.timeout("1 second"),
        Effect.option
      )
      const oldest = Option.match(schema, { onNone: () => 0, onSome: ({ oldest }) => oldest })
      return causeOf({ ...row, oldest, full: yield* isDiskFull(sql) }, now)
    }).pipe(
      reading("StorageHealth.cause"),
      Effect.orElseSucceed(() => Option.none<string>())
    )
    const [cause, forget] = yield* Effect.cachedInvalidateWithTTL(probe, "5 seconds")
    const asked = yield* Ref.make(0)
    return {
      // A clock that is set back would make a good answer last, and is what this reports.
      cause: Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(Ref.getAndSet(asked, now), (before) =>
          Effect.zipRight(now < before ? forget : Effect.void, cause)
        )
      )
    }
  })
)

/**
 * What the answer of a server says about it, in one line; none where nothing is to be said.
 *
 * @since 0.1.0
 * @category combinators
 */
export const causeOf = (
  server: typeof Row.Type & { readonly oldest: number; readonly full: boolean },
  now: number
): Option.Option<string> => {
  if (server.recovering) return Option.some("The database takes no writes: it is the standby of another server.")
  if (server.readOnly) return Option.some("The database takes no writes: default_transaction_read_only is on.")
  if (server.full) return Option.some("The database takes no writes: the disk of its server is full.")
  if (Migrations.isTooNew(server, Migrations.newest)) return Option.some(PgRefusal.causeOf(server))
  const seconds = Math.round(Math.abs(server.now - now) / 1000)
  return seconds * 1000 > toleranceMillis
    ? Option.some(`The clocks of this process and of the database are ${seconds} s apart.`)
    : Option.none()
}
