/// <reference path="./better-sqlite3.d.ts" />

import { existsSync, realpathSync } from "node:fs"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import Database from "better-sqlite3"
import { Effect, Layer, Option, type Scope } from "effect"
import { BackupRefused } from "./SqliteBackup.js"
import * as SqliteDriver from "./SqliteDriver.js"
import * as SqliteHealth from "./SqliteHealth.js"
import * as SqliteProcesses from "./SqliteProcesses.js"
import * as SqliteStorage from "./SqliteStorage.js"

/**
 * The rows of a table, with the values of these columns, in the order of these others by bytes.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rows {
  readonly rows: (table: {
    readonly name: string
    readonly columns: ReadonlyArray<string>
    readonly key: ReadonlyArray<string>
  }) => Iterable<ReadonlyArray<unknown>>
}

/**
 * Everything in a database, brought to the newest schema, for a copy into another kind of store. Refused while a living
 * process holds the database; until the scope is closed nobody can write to it.
 *
 * @since 0.1.0
 * @category constructors
 */
export const open = (filename: string): Effect.Effect<Rows, BackupRefused, Scope.Scope> =>
  Effect.gen(function* () {
    if (!existsSync(filename)) return yield* new BackupRefused({ reason: "missing", filename, code: "" })
    const fault = yield* SqliteDriver.fault
    if (Option.isSome(fault)) return yield* new BackupRefused({ reason: "unopened", filename, code: fault.value })
    const database = realpathSync(filename)
    if ((yield* SqliteProcesses.living(database)) > 0)
      return yield* new BackupRefused({ reason: "in_use", filename, code: "" })
    yield* Effect.scoped(Layer.build(SqliteStorage.layerClient({ filename: database }))).pipe(
      Effect.catchAll(({ detail }) => new BackupRefused({ reason: "unopened", filename, code: detail }))
    )
    if (!(yield* attempt(filename, () => SqliteHealth.isOurs(database))))
      return yield* new BackupRefused({ reason: "foreign", filename, code: "" })
    const connection = yield* Effect.acquireRelease(
      attempt(filename, () => new Database(database, { readonly: false, timeout: 0 })),
      (db) => Effect.sync(() => db.close())
    )
    yield* Effect.acquireRelease(
      attempt(filename, () => connection.exec("BEGIN IMMEDIATE")),
      () => Effect.sync(() => connection.exec("ROLLBACK"))
    )
    return {
      rows: ({ columns, key, name }) =>
        connection
          .prepare(
            `SELECT ${columns.map(quoted).join(", ")} FROM ${quoted(name)} ORDER BY ${key.map(quoted).join(", ")}`
          )
          .raw()
          .iterate() as Iterable<ReadonlyArray<unknown>>
    }
  })

const quoted = (name: string): string => `"${name}"`

const attempt = <A>(filename: string, act: () => A): Effect.Effect<A, BackupRefused> =>
  Effect.try({
    try: act,
    catch: (error) => {
      const code = Option.getOrElse(codeOf(error), () => "EIO")
      return new BackupRefused({ reason: code === "SQLITE_BUSY" ? "in_use" : "failed", filename, code })
    }
  })
