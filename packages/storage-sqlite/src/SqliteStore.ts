import * as SqlDatabase from "@assay/storage-sql/SqlDatabase"
import { Effect, Option } from "effect"

/**
 * Maps an error to the terms of a store, without SQL, rows or file names. What finds the file locked by another process is
 * tried again for five seconds.
 */
export const operation: SqlDatabase.SqlDatabase["operation"] = (name) => {
  const inStore = SqlDatabase.operation("SQLITE_ERROR")(name)
  return (self) => inStore(whenUnlocked(self))
}

/**
 * Tries again for five seconds what finds the file locked by another process. SQLite would wait by itself, and this whole
 * process with it.
 */
export const whenUnlocked = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(self, { while: (error) => (isLocked(error) ? Effect.as(pause, true) : false), times: 350 })

/** Whether another process has the lock that a statement needs. */
export const isLocked = (error: unknown): boolean =>
  Option.exists(SqlDatabase.codeOf(error), (code) => code.startsWith("SQLITE_BUSY"))

/**
 * How long SQLite waits for a lock by itself, in milliseconds: as long as the commit of another process takes. Nothing else
 * happens in this process meanwhile.
 */
export const lockMillis = 5

/** Of the real time, as the lock of another process is, whatever clock this one has. */
const pause = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 10)
  return Effect.sync(() => clearTimeout(timer))
})
