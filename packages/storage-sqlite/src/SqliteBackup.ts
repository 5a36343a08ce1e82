import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync
} from "node:fs"
import { dirname } from "node:path"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Cause, Clock, Effect, Option, Schema } from "effect"
import * as PrivateFile from "./PrivateFile.js"
import * as SqliteDriver from "./SqliteDriver.js"
import * as SqliteHealth from "./SqliteHealth.js"
import * as SqliteProcesses from "./SqliteProcesses.js"

/**
 * Copies a database into a new file, as it was at one moment. Processes may use it meanwhile. The copy has a name only when
 * it is whole and its structure was checked, and mode 600. The key of webhook secrets is not in it.
 *
 * @see https://www.sqlite.org/lang_vacuum.html#vacuuminto
 * @since 0.1.0
 * @category combinators
 */
export const backup = (options: {
  readonly filename: string
  readonly to: string
}): Effect.Effect<void, BackupRefused> =>
  Effect.gen(function* () {
    if (!existsSync(options.filename)) return yield* refused("missing", options.filename)
    yield* driven(options.filename)
    if (existsSync(options.to)) return yield* refused("exists", options.to)
    yield* copy(options.filename, options.to)
  }).pipe(Effect.withSpan("SqliteBackup.backup"))

/**
 * Puts a copy of a backup where a database is. The database that was there is kept beside it, under the name that is
 * answered. Refused while a living process holds the database.
 *
 * @since 0.1.0
 * @category combinators
 */
export const restore = (options: {
  readonly from: string
  readonly filename: string
}): Effect.Effect<Option.Option<string>, BackupRefused> =>
  Effect.gen(function* () {
    const { filename, from } = options
    if (!existsSync(from)) return yield* refused("missing", from)
    yield* driven(from)
    if (!existsSync(filename)) {
      yield* copy(from, filename)
      return Option.none()
    }
    const database = realpathSync(filename)
    if (database === realpathSync(from)) return yield* refused("exists", from)
    const now = yield* Clock.currentTimeMillis
    const fresh = `${database}.restored-${now}`
    const kept = `${database}.replaced-${now}`
    yield* copy(from, fresh)
    return yield* Effect.zipRight(
      unused(database),
      attempt(database, () => {
        // What a damaged database could not take in stays with it.
        for (const end of ["-wal", "-shm"])
          if (existsSync(`${database}${end}`)) renameSync(`${database}${end}`, `${kept}${end}`)
        chmodSync(fresh, PrivateFile.modeOf(statSync(database).mode))
        renameSync(database, kept)
        renameSync(fresh, database)
        sync(dirname(database))
        return Option.some(kept)
      })
    )
      .pipe(Effect.tap(() => Effect.forEach(["", "-wal", "-shm"], (end) => PrivateFile.restrict(`${kept}${end}`))))
      .pipe(Effect.onError(() => Effect.sync(() => rmSync(fresh, { force: true }))))
  }).pipe(Effect.withSpan("SqliteBackup.restore"))

const driven = (filename: string) =>
  Effect.flatMap(
    SqliteDriver.fault,
    Option.match({ onNone: () => Effect.void, onSome: (fault) => refused("unopened", filename, fault) })
  )

// Under a name of its own first, so that nobody takes half a copy for a whole one.
const copy = (filename: string, to: string) =>
  Effect.gen(function* () {
    const draft = `${to}.${process.pid}.partial`
    yield* attempt(to, () => mkdirSync(dirname(to), { recursive: true }))
    yield* Effect.gen(function* () {
      // SQLite fills an empty file, and would make one that others can read.
      yield* attempt(to, () => closeSync(openSync(draft, "wx", 0o600)))
      yield* inFile(
        filename,
        Effect.flatMap(SqlClient, (sql) => sql`VACUUM INTO ${draft}`)
      )
      // The header of a database in use may not be in its file yet; that of a copy is.
      if (!(yield* attempt(draft, () => SqliteHealth.isOurs(draft)))) return yield* refused("foreign", filename)
      const [checked] = yield* inFile(
        draft,
        Effect.flatMap(SqlClient, (sql) => sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`)
      )
      if (checked?.quick_check !== "ok") return yield* refused("damaged", filename)
      yield* attempt(to, () => {
        sync(draft)
        // Unlike a rename it replaces nothing that came to be meanwhile.
        linkSync(draft, to)
        sync(dirname(to))
      })
    }).pipe(Effect.ensuring(Effect.sync(() => rmSync(draft, { force: true }))))
  })

// A process of ours holds a lock beside the database. Any other connection keeps SQLite from leaving the WAL mode
// (https://www.sqlite.org/wal.html#persistence_of_wal_mode), also where no locks beside it are to be had.
const unused = (database: string) =>
  Effect.gen(function* () {
    if ((yield* SqliteProcesses.living(database)) > 0) return yield* refused("in_use", database)
    yield* Effect.flatMap(SqlClient, (sql) =>
      Effect.zipRight(sql`PRAGMA busy_timeout = 0`, sql`PRAGMA journal_mode = DELETE`)
    ).pipe(
      Effect.provide(SqliteClient.layer({ filename: database, disableWAL: true })),
      Effect.catchAllCause((cause) =>
        // A damaged database cannot be opened, and may be replaced.
        Option.exists(codeOf(Cause.squash(cause)), (code) => /^SQLITE_(?:CORRUPT|NOTADB)/.test(code))
          ? Effect.void
          : refused("in_use", database)
      )
    )
  })

const inFile = <A, E>(filename: string, effect: Effect.Effect<A, E, SqlClient>) =>
  effect.pipe(
    Effect.provide(SqliteClient.layer({ filename, readonly: true, disableWAL: true })),
    Effect.catchAllCause((cause) => {
      const code = Option.getOrElse(codeOf(Cause.squash(cause)), () => "SQLITE_ERROR")
      const reason = code === "SQLITE_NOTADB" ? "foreign" : code.startsWith("SQLITE_CORRUPT") ? "damaged" : "failed"
      return refused(reason, filename, code)
    })
  )

const attempt = <A>(filename: string, act: () => A): Effect.Effect<A, BackupRefused> =>
  Effect.try({
    try: act,
    catch: (error) =>
      new BackupRefused({ reason: "failed", filename, code: Option.getOrElse(codeOf(error), () => "EIO") })
  })

const sync = (path: string): void => {
  const file = openSync(path, "r")
  fsyncSync(file)
  closeSync(file)
}

const refused = (reason: BackupRefused["reason"], filename: string, code = "") =>
  Effect.fail(new BackupRefused({ reason, filename, code }))

/**
 * Nothing was copied or replaced, because of the file that is named. `code` is that of SQLite or the system where one of
 * them failed, the reason in one line where the file could not be opened, else empty.
 *
 * @since 0.1.0
 * @category errors
 */
export class BackupRefused extends Schema.TaggedError<BackupRefused>()("BackupRefused", {
  reason: Schema.Literal("missing", "exists", "foreign", "damaged", "unopened", "in_use", "failed"),
  filename: Schema.String,
  code: Schema.String
}) {}
