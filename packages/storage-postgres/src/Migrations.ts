import * as Migrator from "@effect/sql/Migrator"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schedule } from "effect"
import { initial } from "./migrations/0001_initial.js"

/**
 * All migrations in order. A released migration is never edited: a change is a new number.
 *
 * @since 0.1.0
 * @category models
 */
export const all = { "0001_initial": initial }

/**
 * Brings the database to the newest schema. The migrator locks its table, so that a process that opens the database
 * meanwhile waits, and then has nothing to do; of two that make that table at once one is refused, and tries again.
 *
 * @since 0.1.0
 * @category combinators
 */
export const run: Effect.Effect<void, SqlError | Migrator.MigrationError, SqlClient> = Migrator.make({})({
  loader: Migrator.fromRecord(all)
}).pipe(Effect.retry({ times: 3, schedule: Schedule.spaced("200 millis") }), Effect.asVoid)
