import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect } from "effect"
import { transaction } from "./GroupCommit.js"
import { initial } from "./migrations/0001_initial.js"
import { reported } from "./migrations/0002_reported.js"
import { watches } from "./migrations/0003_watches.js"
import { removed } from "./migrations/0004_removed.js"
import { idempotency } from "./migrations/0005_idempotency.js"
import { sealed } from "./migrations/0006_sealed.js"
import { documents } from "./migrations/0007_documents.js"
import { keyVersions } from "./migrations/0008_key_versions.js"
import { formerSecrets } from "./migrations/0009_former_secrets.js"
import { ledgerSums } from "./migrations/0010_ledger_sums.js"
import { invitations } from "./migrations/0011_invitations.js"
import { ours } from "./SqliteHealth.js"

/**
 * All migrations in order. A released migration is never edited: a change is a new number.
 *
 * @since 0.1.0
 * @category models
 */
export const all = {
  "0001_initial": initial,
  "0002_reported": reported,
  "0003_watches": watches,
  "0004_removed": removed,
  "0005_idempotency": idempotency,
  "0006_sealed": sealed,
  "0007_documents": documents,
  "0008_key_versions": keyVersions,
  "0009_former_secrets": formerSecrets,
  "0010_ledger_sums": ledgerSums,
  "0011_invitations": invitations
}

/**
 * Brings the database to the newest schema, in one transaction. A process that opens it meanwhile waits, and then has
 * nothing to do. Fails with `SchemaTooNew`, and changes nothing, where a later version has migrated it.
 *
 * @since 0.1.0
 * @category combinators
 */
export const run: Effect.Effect<void, SqlError | Migrator.MigrationError | SchemaTooNew, SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient
    const migrate = Migrator.make({})({ loader: Migrator.fromRecord(all) })
    yield* transaction(sql)(
      Effect.gen(function* () {
        // Marks the file as ours, first because a transaction that begins by reading cannot wait for another writer.
        yield* sql.unsafe(`PRAGMA application_id = ${ours}`)
        yield* migrate
        const [row] = yield* sql.unsafe<{ readonly number: number }>(selectNumber)
        if (row !== undefined && row.number > newest) return yield* new SchemaTooNew({ number: row.number })
      })
    )
  }
)

/**
 * The number of the newest schema that this code knows.
 *
 * @since 0.1.0
 * @category constructors
 */
export const newest: number = Math.max(...Object.keys(all).map((name) => Number.parseInt(name, 10)))

/**
 * The statement that reads which schema a database has.
 *
 * @since 0.1.0
 * @category constructors
 */
export const selectNumber = "SELECT max(migration_id) AS number FROM effect_sql_migrations"

/**
 * A later version migrated the database to a schema that this code does not know.
 *
 * @since 0.1.0
 * @category errors
 */
export class SchemaTooNew extends Data.TaggedError("SchemaTooNew")<{ readonly number: number }> {
  override get message(): string {
    return `A newer version migrated the database to schema ${this.number}; this one knows schema ${newest}. Run the newer version.`
  }
}
