/// <reference path="./better-sqlite3.d.ts" />
import * as StorageVersion from "@assay/core/storage/StorageVersion"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import Database, { type Statement as Prepared } from "better-sqlite3"
import { Context, Effect, Layer, Option } from "effect"
import { selectNumber } from "./Migrations.js"
import { lockMillis } from "./SqliteStore.js"

/**
 * Reads the database beside the connection that writes, so that no reader waits for a transaction.
 *
 * @since 0.1.0
 * @category services
 */
export class SqliteReads extends Context.Tag("@assay/storage-sqlite/SqliteReads")<
  SqliteReads,
  {
    /** The rows of a statement as of the last commit, read at once. Its text is prepared the first time. */
    readonly rows: (statement: Statement<object>) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
    /** The number of the schema that the database has now; none where it cannot be read, as of one in memory. */
    readonly number: () => Option.Option<number>
  }
>() {}

/**
 * A read-only connection of its own; the version of the stores is what SQLite answers it. A database in memory has one
 * connection only, which then reads as well, and no version.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (filename: string): Layer.Layer<SqliteReads | StorageVersion.StorageVersion, never, SqlClient> =>
  filename === ":memory:"
    ? Layer.merge(
        Layer.succeed(SqliteReads, { rows: (statement) => statement, number: () => Option.none() }),
        StorageVersion.layerUnknown
      )
    : Layer.scopedContext(
        Effect.gen(function* () {
          // The file has its schema and its log by now, and is closed by the writer last, who tidies up.
          yield* SqlClient
          const db = yield* Effect.acquireRelease(
            Effect.sync(() => new Database(filename, { readonly: true, timeout: lockMillis })),
            (db) => Effect.sync(() => db.close())
          )
          const prepared = new Map<string, Prepared>()
          const prepare = (text: string): Prepared => {
            const known = prepared.get(text)
            if (known !== undefined) return known
            const made = db.prepare(text)
            prepared.set(text, made)
            return made
          }
          // It differs after each commit of another connection, of this process or another one
          // (https://www.sqlite.org/pragma.html#pragma_data_version).
          const version = db.prepare("PRAGMA data_version").pluck()
          const number = db.prepare(selectNumber).pluck()
          const keyVersion = db.prepare("SELECT version FROM key_version WHERE key_id = ?").pluck()
          const numberOf = (read: () => unknown): Option.Option<number> => {
            try {
              const found = read()
              return typeof found === "number" ? Option.some(found) : Option.none()
            } catch {
              // What cannot be read cannot be compared.
              return Option.none()
            }
          }

          return Context.empty().pipe(
            Context.add(SqliteReads, {
              rows: (statement) =>
                Effect.try({
                  try: () => {
                    const [text, parameters] = statement.compile()
                    return prepare(text).all(...parameters)
                  },
                  catch: (cause) => new SqlError({ cause, message: "Failed to read" })
                }),
              number: () => numberOf(() => number.get())
            }),
            Context.add(StorageVersion.StorageVersion, {
              current: () => numberOf(() => version.get()),
              // A key of which nothing was changed since there are such numbers has none.
              ofKey: (id) => numberOf(() => keyVersion.get(id) ?? 0)
            })
          )
        })
      )
