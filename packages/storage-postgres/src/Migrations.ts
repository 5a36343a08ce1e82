import { codeOf } from "@assay/storage-sql/SqlDatabase"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect, Option, Schema } from "effect"
import { initial } from "./migrations/0001_initial.js"
import { formerSecrets } from "./migrations/0002_former_secrets.js"
import { ledgerSums } from "./migrations/0003_ledger_sums.js"
import { invitations } from "./migrations/0004_invitations.js"
import { lock } from "./PgStore.js"

/**
 * A change of the schema. `oldest` is the oldest schema with code that still works with it: its own number where older code
 * fails, a lower one where it only expands what is there.
 *
 * @since 0.1.0
 * @category models
 */
export interface Migration {
  readonly run: Effect.Effect<void, unknown, SqlClient>
  readonly oldest: number
}

/**
 * All migrations in order, by number and name. A released migration is never edited: a change is a new number.
 *
 * @since 0.1.0
 * @category models
 */
export const all: { readonly [name: string]: Migration } = {
  "0001_initial": { run: initial, oldest: 1 },
  "0002_former_secrets": { run: formerSecrets, oldest: 1 },
  "0003_ledger_sums": { run: ledgerSums, oldest: 1 },
  "0004_invitations": { run: invitations, oldest: 1 }
}

/**
 * Brings the database to the newest of these schemas, in one transaction that begins with an advisory lock: of processes
 * that open it at once one migrates, and the others wait for it and have nothing to do. Fails with `SchemaTooNew` where a
 * later version migrated it to what this code cannot work with.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (
  migrations: typeof all
): Effect.Effect<void, SqlError | Migrator.MigrationError | SchemaTooNew, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const known = newestOf(migrations)
    // Most processes find nothing to do, and one that opens a standby could not write.
    const before = yield* Effect.asSome(schema).pipe(
      Effect.catchIf(
        (error) => Option.contains(codeOf(error), "42P01"),
        () => Effect.succeedNone
      )
    )
    const isMigrated = Option.exists(before, ({ number }) => number >= known)
    yield* Effect.gen(function* () {
      // A role may have limits of its own, for what serves.
      yield* sql.unsafe("SET LOCAL statement_timeout = 0")
      yield* sql.unsafe("SET LOCAL lock_timeout = 0")
      yield* sql.unsafe(lock(["schema"]))
      // As the migrator makes it, and what older code reads of later migrations.
      yield* sql`
        CREATE TABLE IF NOT EXISTS effect_sql_migrations (
          migration_id INTEGER     NOT NULL PRIMARY KEY,
          created_at   TIMESTAMPTZ NOT NULL DEFAULT now(),
          name         TEXT        NOT NULL,
          oldest       INTEGER     NOT NULL DEFAULT 1
        )`
      const ran = yield* Migrator.make({})({
        loader: Migrator.fromRecord(
          Object.fromEntries(Object.entries(migrations).map(([name, { run }]) => [name, run]))
        )
      })
      for (const [name, { oldest }] of Object.entries(migrations))
        if (ran.some(([id]) => id === numberOf(name)))
          yield* sql`UPDATE effect_sql_migrations SET oldest = ${oldest} WHERE migration_id = ${numberOf(name)}`
    }).pipe(
      sql.withTransaction,
      Effect.unless(() => isMigrated)
    )
    const found = yield* schema
    if (isTooNew(found, known)) return yield* new SchemaTooNew({ ...found, known })
  })

/**
 * Brings the database to the newest schema.
 *
 * @since 0.1.0
 * @category combinators
 */
export const run: Effect.Effect<void, SqlError | Migrator.MigrationError | SchemaTooNew, SqlClient> = Effect.suspend(
  () => make(all)
)

const numberOf = (name: string): number => Number.parseInt(name, 10)

const newestOf = (migrations: typeof all): number => Math.max(...Object.keys(migrations).map(numberOf))

/**
 * The number of the newest schema that this code knows.
 *
 * @since 0.1.0
 * @category constructors
 */
export const newest: number = newestOf(all)

/**
 * The schema of a database: its number, and the oldest one with code that works with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  readonly number: number
  readonly oldest: number
}

const decodeFound = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ number: Schema.Int, oldest: Schema.Int })))

/**
 * Reads which schema a database has.
 *
 * @since 0.1.0
 * @category combinators
 */
export const schema: Effect.Effect<Found, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql`
    SELECT coalesce(max(migration_id), 0) AS number, coalesce(max(oldest), 0) AS oldest FROM effect_sql_migrations`
  return (yield* Effect.orDie(decodeFound(rows)))[0]
})

/**
 * Whether code that knows schemas up to `known` cannot work with this one.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isTooNew = (found: Pick<Found, "oldest">, known: number): boolean => found.oldest > known

/**
 * A later version migrated the database to a schema that this code cannot work with. `known` is the newest that it knows.
 *
 * @since 0.1.0
 * @category errors
 */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<Found & { readonly known: number }> {
  override get message(): string {
    return (
      `A newer version migrated the database to schema ${this.number}, which needs code of schema ${this.oldest} or later; ` +
      `this one knows schema ${this.known}. Run the newer version.`
    )
  }
}
