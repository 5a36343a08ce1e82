import { SqliteRows } from "@assay/storage-sqlite"
import { Effect, type Option } from "effect"
import * as SecretsKey from "../SecretsKey.js"
import * as Backup from "./Backup.js"
import * as Database from "./Database.js"
import type * as ExitCode from "./ExitCode.js"
import { Refusal } from "./Refusal.js"
import { Shell } from "./Shell.js"

/**
 * The arguments of `assay migrate`: a SQLite database and a Postgres database. Without the latter, the one of the
 * settings is used.
 */
export interface Request {
  readonly from: string
  readonly to: Option.Option<string>
  readonly json: boolean
}

/**
 * Copies everything from a SQLite database into a Postgres database that is empty, or has what an earlier call copied, and
 * compares both sides.
 */
export const migrate = (request: Request): Effect.Effect<ExitCode.ExitCode, Refusal, Shell> =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const filename = yield* Effect.flatMap(Database.findNamed(request.from), Database.fileOf)
    const target = yield* Database.find(request.to)
    if (target._tag !== "Postgres")
      return yield* new Refusal({
        detail: "--to takes postgres://<user>:<password>@<host>/<database>, as does ASSAY_DATABASE"
      })
    const { PgCopy, PgStorage } = yield* Effect.promise(() => import("@assay/storage-postgres"))
    const copied = yield* Effect.mapError(SqliteRows.open(filename), Backup.refusalOf).pipe(
      Effect.flatMap((source) =>
        PgCopy.copy(source).pipe(
          Effect.provide(PgStorage.layerPatient({ url: target.url, connections: 2 })),
          Effect.catchTags({
            StorageError: (error) => Database.refusalOf(error),
            CopyRefused: (error) => new Refusal({ detail: reasonOf(error) })
          })
        )
      ),
      Effect.scoped
    )
    yield* shell.write(
      request.json
        ? `${JSON.stringify({ from: filename, tables: copied })}\n`
        : [
            ...copied.map(
              ({ copied, hash, rows, table }) =>
                `${table}: ${rows} rows on both sides, ${copied} copied now, ${hash.slice(0, 16)}`
            ),
            `Everything in ${filename} is in the Postgres database too. Set ASSAY_SECRETS_KEY of every server on it to the key that this database had, which is in ${SecretsKey.pathOf(filename)} where that setting was not used.`
          ]
            .map((line) => `${line}\n`)
            .join("")
    )
    const code: ExitCode.ExitCode = 0
    return code
  })

const reasonOf = ({ reason, table }: { readonly reason: "other_data" | "differs"; readonly table: string }): string =>
  reason === "other_data"
    ? `the table ${table} of the Postgres database has rows that are not from this file; name an empty database with --to`
    : `the table ${table} differs from the file after the copy; stop what uses either database, and copy into an empty one`
