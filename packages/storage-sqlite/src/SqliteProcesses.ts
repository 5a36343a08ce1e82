import { existsSync, readdirSync, realpathSync, rmSync, statfsSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import * as Id from "@assay/core/domain/Id"
import * as LeaseToken from "@assay/core/storage/LeaseToken"
import * as Processes from "@assay/core/storage/Processes"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Array as Arr, Context, Effect, Layer, Option, Schedule, Schema, type Scope } from "effect"
import * as PrivateFile from "./PrivateFile.js"

/**
 * Every process holds an exclusive lock on a file of its own beside the database for as long as it lives, and its leases
 * carry the name of that file. The kernel ends the lock with the process, however that dies, in whatever container. So a
 * process is proven gone when another one can take the lock. Ids of processes and names of hosts prove nothing.
 *
 * Where locks are not sure to hold between all processes (a network disk, an unknown file system), this process has no
 * name, and its leases alone decide.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: { readonly filename: string }): Layer.Layer<Processes.Processes, never, SqlClient> =>
  options.filename === ":memory:"
    ? Processes.layerMemory
    : Layer.scoped(
        Processes.Processes,
        // The database is there once its client is.
        Effect.flatMap(SqlClient, (sql) => {
          const database = realpathSync(options.filename)
          return hasLocks(dirname(database)) ? make(sql, database) : unknown
        }).pipe(
          // What cannot be locked or looked at proves nothing, and is no reason not to start.
          Effect.catchAllCause((cause) =>
            Effect.zipRight(Effect.logWarning("Processes that die are noticed by their leases alone", cause), unknown)
          )
        )
      )

const unknown = Effect.map(Effect.scoped(Layer.build(Processes.layerUnknown)), Context.get(Processes.Processes))

const make = (sql: SqlClient, database: string) =>
  Effect.gen(function* () {
    const prefix = `${database}${infix}`
    // Who may read a lock file may lock it, and so keep a process that is gone from being found.
    const self = yield* enter(prefix, statSync(database).mode & 0o777)

    const isGone = (name: string) =>
      Effect.scoped(existsSync(prefix + name) ? lock(prefix + name) : Effect.succeed(false))

    // A file is needed for as long as a lease carries its name: without it nothing proves that the process is gone.
    const removeDead = Effect.gen(function* () {
      const dead = yield* Effect.filter(namesOf(prefix), (name) =>
        Option.contains(self, name) ? Effect.succeed(false) : isGone(name)
      )
      if (dead.length === 0) return
      const needed = yield* holders(sql)
      yield* Effect.forEach(
        dead.filter((name) => !needed.has(name)),
        (name) => Effect.scoped(Effect.tap(lock(prefix + name), (isLocked) => remove(isLocked, prefix + name))),
        { discard: true }
      )
    })
    yield* removeDead.pipe(
      Effect.catchAllCause((cause) => Effect.logDebug("Lock files of processes could not be removed yet", cause)),
      Effect.repeat(Schedule.spaced("15 seconds")),
      Effect.forkScoped
    )

    return Processes.Processes.of({
      self,
      gone: (names) =>
        Effect.map(
          Effect.filter(names, (name) => (Option.contains(self, name) ? Effect.succeed(false) : isGone(name))),
          (gone) => new Set(gone)
        )
    })
  })

/**
 * How many processes hold a database: those that lock a file of their own beside it. A file that cannot be locked counts as
 * held.
 *
 * @since 0.1.0
 * @category combinators
 */
export const living = (database: string): Effect.Effect<number> =>
  Effect.map(
    Effect.filter(namesOf(`${database}${infix}`), (name) =>
      Effect.map(Effect.scoped(lock(`${database}${infix}${name}`)), (isLocked) => !isLocked)
    ),
    (held) => held.length
  )

const decodeTokens = Schema.decodeUnknown(Schema.Array(Schema.Struct({ token: Schema.String })))

/** The processes that hold leases, or units that are not settled. */
const holders = (sql: SqlClient) =>
  Effect.gen(function* () {
    const rows = yield* decodeTokens(
      yield* sql`
      SELECT lease_token AS token FROM execution WHERE status = 'running' AND lease_token IS NOT NULL
      UNION SELECT lease_token FROM watch_run WHERE status = 'running'
      UNION SELECT lease_token FROM delivery WHERE lease_token IS NOT NULL
      UNION SELECT lease_token FROM reservation JOIN execution ON execution.id = reservation.id
        WHERE reservation.state = 'reserved' AND lease_token IS NOT NULL`
    )
    return new Set(Arr.getSomes(rows.map(({ token }) => LeaseToken.processOf(token))))
  })

/** Takes a name and its lock. Another process may find the new file before it is locked, and then it is given up. */
const enter = (prefix: string, mode: number): Effect.Effect<Option.Option<string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const name = (yield* Id.make("req")).slice("req_".length)
    const file = prefix + name
    PrivateFile.make(file, mode)
    // Removed before its lock ends: what ended in peace leaves nothing behind.
    const isHeld = yield* Effect.tap(lock(file), (isLocked) => Effect.addFinalizer(() => remove(isLocked, file)))
    return isHeld && existsSync(file) ? Option.some(name) : Option.none()
  }).pipe(Effect.repeat({ until: Option.isSome, times: 4 }))

/** Takes the lock of a file, for as long as the scope is open; false where another process has it, or it cannot be had. */
const lock = (file: string): Effect.Effect<boolean, never, Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* Layer.build(SqliteClient.layer({ filename: file, disableWAL: true }))
    const sql = Context.get(context, SqlClient)
    // Waiting would stop this whole process for as long as the other lives.
    yield* sql`PRAGMA busy_timeout = 0`
    // Otherwise the lock makes a second file.
    yield* sql`PRAGMA journal_mode = MEMORY`
    // Nothing is ever written, so the lock is all there is of this transaction.
    yield* sql`BEGIN EXCLUSIVE`
    return true
  }).pipe(Effect.catchAllCause(() => Effect.succeed(false)))

const remove = (isLocked: boolean, file: string) =>
  Effect.sync(() => {
    if (isLocked) rmSync(file, { force: true })
  })

const namesOf = (prefix: string): ReadonlyArray<string> => {
  const start = basename(prefix)
  return readdirSync(dirname(prefix)).flatMap((file) => {
    const name = file.slice(start.length)
    return file.startsWith(start) && isName.test(name) ? [name] : []
  })
}

const infix = "-process-"

const isName = /^[0-9A-HJKMNP-TV-Z]{26}$/

// Local file systems of Linux, where the kernel keeps the locks of all containers that share a disk, by their numbers in
// https://github.com/torvalds/linux/blob/master/include/uapi/linux/magic.h and in the sources of ZFS and bcachefs.
const local: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0xca451a4e // bcachefs
])

const hasLocks = (directory: string): boolean => process.platform === "linux" && local.has(statfsSync(directory).type)
