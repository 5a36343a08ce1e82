import { execFile } from "node:child_process"
import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as StorageHealth from "@assay/core/storage/StorageHealth"
import { codeOf } from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer, Option, Ref, Schema } from "effect"
import { transaction } from "./GroupCommit.js"
import { isLocked, operation, whenUnlocked } from "./SqliteStore.js"

/**
 * Remembers failures that concern the database as a whole: it is damaged, or cannot be written. Damage lasts until the
 * next start. Of a full disk the next question for the cause finds out whether it is over.
 *
 * @since 0.1.0
 * @category services
 */
export class SqliteHealth extends Context.Tag("@assay/storage-sqlite/SqliteHealth")<
  SqliteHealth,
  {
    /** Takes note of a statement that failed; of most failures, such as `SQLITE_BUSY`, nothing is kept. */
    readonly note: (error: SqlError) => Effect.Effect<void>
  }
>() {}

/**
 * `operation`, which also takes note of what concerns the database as a whole.
 *
 * @since 0.1.0
 * @category combinators
 */
export const operations: Effect.Effect<typeof operation, never, SqliteHealth> = Effect.map(
  SqliteHealth,
  ({ note }): typeof operation =>
    (name) =>
    (self) =>
      operation(name)(Effect.tapError(self, (error) => (error instanceof SqlError ? note(error) : Effect.void)))
)

/**
 * What is found of the file before it is opened.
 *
 * - `wasOpen`: a process that used it did not end in peace, or has not ended.
 * - `isForeign`: it is the database of another program.
 *
 * @since 0.1.0
 * @category models
 */
export interface Found {
  readonly wasOpen: boolean
  readonly isForeign: boolean
}

/**
 * Looks at the file and what is beside it, before SQLite writes to either.
 *
 * @since 0.1.0
 * @category combinators
 */
export const find = (filename: string): Effect.Effect<Found> =>
  Effect.sync(() => {
    if (filename === ":memory:" || !existsSync(filename)) return { wasOpen: false, isForeign: false }
    const applicationId = applicationIdOf(filename)
    return {
      // The last one to close the database removes this file (https://www.sqlite.org/wal.html#the_wal_file).
      wasOpen: existsSync(`${filename}-wal`) && statSync(`${filename}-wal`).size > 0,
      isForeign: applicationId !== 0 && applicationId !== ours
    }
  })

/** "ASSY" (https://www.sqlite.org/pragma.html#pragma_application_id). */
export const ours = 0x41535359

/**
 * Whether a file is a database of this package, by its header.
 *
 * @since 0.1.0
 * @category combinators
 */
export const isOurs = (filename: string): boolean => applicationIdOf(filename) === ours

// https://www.sqlite.org/fileformat2.html#the_database_header
const applicationIdOf = (filename: string): number => {
  const header = Buffer.alloc(72)
  const file = openSync(filename, "r")
  const read = readSync(file, header, 0, header.length, 0)
  closeSync(file)
  return read === header.length && header.toString("latin1", 0, 16) === "SQLite format 3\0"
    ? header.readUInt32BE(68)
    : 0
}

/**
 * Reads the schema and one row of each table, so that damage that everybody would meet stops the start.
 *
 * @since 0.1.0
 * @category combinators
 */
export const inspect: Effect.Effect<void, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'`
  for (const { name } of tables) yield* sql`SELECT * FROM ${sql(name)} LIMIT 1`
})

/**
 * Keeps what is known against the database. Where the file was in use when it was found, its structure is checked in a
 * process of its own (`PRAGMA quick_check`), while this one serves.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  filename: string,
  found: Found
): Layer.Layer<SqliteHealth | StorageHealth.StorageHealth, never, SqlClient> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const known = yield* Ref.make(Option.none<Trouble>())

      const keep = (trouble: Trouble) =>
        Effect.gen(function* () {
          const before = yield* Ref.get(known)
          if (Option.exists(before, ({ cause, isDamage }) => isDamage || cause === trouble.cause)) return
          yield* Ref.set(known, Option.some(trouble))
          yield* Effect.logError(trouble.cause)
        })
      const note = (error: SqlError) =>
        Option.match(Option.flatMap(codeOf(error), troubleOf), { onNone: () => Effect.void, onSome: keep })

      const tryAgain = write(sql).pipe(
        Effect.zipRight(Ref.set(known, Option.none())),
        Effect.zipRight(Effect.logInfo("The database can be written again.")),
        Effect.catchAll(note)
      )
      const cause = Effect.gen(function* () {
        if (Option.exists(yield* Ref.get(known), ({ isDamage }) => !isDamage)) yield* tryAgain
        const trouble = yield* Ref.get(known)
        return Option.isSome(trouble) ? Option.some(trouble.value.cause) : yield* lockedBy(sql)
      })

      if (found.wasOpen)
        yield* quickCheck(filename).pipe(
          Effect.flatMap((line) =>
            line === "ok"
              ? Effect.logInfo("The database was in use when this process started; its structure is sound.")
              : keep({ cause: `The database is damaged: ${line}. Restore a backup.`, isDamage: true })
          ),
          Effect.catchAll(() => Effect.logWarning("The structure of the database could not be checked.")),
          Effect.forkScoped
        )

      return Context.empty().pipe(
        Context.add(SqliteHealth, { note }),
        Context.add(StorageHealth.StorageHealth, { cause })
      )
    })
  )

interface Trouble {
  readonly cause: string
  /** It does not end by itself. */
  readonly isDamage: boolean
}

/**
 * What a failure says about the database as a whole, in one line; none where it says nothing. By the codes of
 * https://www.sqlite.org/rescode.html.
 *
 * @since 0.1.0
 * @category combinators
 */
export const causeOf = (code: string): Option.Option<string> => Option.map(troubleOf(code), ({ cause }) => cause)

const troubleOf = (code: string): Option.Option<Trouble> => {
  if (code === "SQLITE_NOTADB")
    return damage("The file is no SQLite database, or its header is damaged (SQLITE_NOTADB). Restore a backup.")
  if (code.startsWith("SQLITE_CORRUPT")) return damage(`The database is damaged (${code}). Restore a backup.`)
  if (code === "SQLITE_FULL" || code === "ENOSPC") return passing(`The disk is full (${code}).`)
  if (code.startsWith("SQLITE_IOERR")) return passing(`The disk does not read or write (${code}).`)
  return code.startsWith("SQLITE_READONLY") ? passing(`The database cannot be written (${code}).`) : Option.none()
}

const damage = (cause: string): Option.Option<Trouble> => Option.some({ cause, isDamage: true })
const passing = (cause: string): Option.Option<Trouble> => Option.some({ cause, isDamage: false })

/** Takes the lock of a writer, which changes nothing. A commit of another process, or a group of ours, is over sooner. */
const lockedBy = (sql: SqlClient): Effect.Effect<Option.Option<string>> =>
  whenUnlocked(transaction(sql)(Effect.void)).pipe(
    Effect.as(Option.none<string>()),
    Effect.timeoutTo({ duration: "800 millis", onSuccess: (free) => free, onTimeout: () => Option.some(locked) }),
    Effect.catchAll((error) => Effect.succeed(isLocked(error) ? Option.some(locked) : Option.none<string>()))
  )

const locked = "Another process has locked the database file."

/** Writes something that needs room, and removes it in the same commit. */
const write = (sql: SqlClient) =>
  transaction(sql)(
    Effect.gen(function* () {
      yield* sql`CREATE TABLE storage_probe (bytes BLOB NOT NULL) STRICT`
      yield* sql`INSERT INTO storage_probe (bytes) VALUES (zeroblob(65536))`
      yield* sql`DROP TABLE storage_probe`
    })
  )

// A check reads the whole file, which would stop this process meanwhile.
const quickCheck = (filename: string) =>
  Effect.async<string, CheckImpossible>((resume) => {
    const program = fileURLToPath(new URL("./process/QuickCheck.js", import.meta.url))
    const child = execFile(process.execPath, [program, filename], (error, output) => {
      const line = output.trim().split("\n")[0] ?? ""
      resume(error !== null || line === "" ? new CheckImpossible() : Effect.succeed(line.slice(0, 200)))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })

class CheckImpossible extends Schema.TaggedError<CheckImpossible>()("CheckImpossible", {}) {}
