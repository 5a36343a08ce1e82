import { EventEmitter } from "node:events"
import * as StorageError from "@assay/core/storage/StorageError"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Data, Effect, Exit, Option, type ParseResult } from "effect"

/**
 * Maps an error to the terms of a store, without SQL, rows or names of hosts.
 *
 * @since 0.1.0
 * @category combinators
 */
export const operation =
  (name: string) =>
  <A, R>(
    self: Effect.Effect<A, SqlError | Uncertain | ParseResult.ParseError, R>
  ): Effect.Effect<A, StorageError.StorageError, R> =>
    Effect.catchTags(self, {
      SqlError: (error) =>
        new StorageError.StorageError({
          reason: "unavailable",
          operation: name,
          detail: Option.getOrElse(codeOf(error), () => "no code")
        }),
      Uncertain: ({ cause }) =>
        new StorageError.StorageError({
          reason: "uncertain",
          operation: name,
          detail: Option.getOrElse(codeOf(cause), () => "no code")
        }),
      ParseError: () =>
        new StorageError.StorageError({ reason: "corrupt", operation: name, detail: "a stored row cannot be read" })
    })

/**
 * The answer to a commit was lost: it happened, or it did not.
 *
 * @since 0.1.0
 * @category errors
 */
export class Uncertain extends Data.TaggedError("Uncertain")<{ readonly cause: SqlError }> {}

/**
 * Runs statements in one transaction, after those of the same store that hold its lock: so the order of sequences is the
 * order of commits, and what was counted stays counted. The lock belongs to the transaction, not to the session.
 *
 * @since 0.1.0
 * @category combinators
 */
export const transaction =
  (sql: SqlClient.SqlClient, store: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError | Uncertain, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.scoped(
        Effect.gen(function* () {
          const connection = yield* sql.reserve
          const execute = (text: string, parameters: ReadonlyArray<unknown> = []) =>
            connection.executeRaw(text, parameters)
          yield* execute("BEGIN")
          const exit = yield* restore(
            Effect.zipRight(
              execute("SELECT pg_advisory_xact_lock(hashtext($1))", [`assay ${store}`]),
              Effect.provideService(self, SqlClient.TransactionConnection, [connection, 0])
            )
          ).pipe(Effect.exit)
          if (Exit.isFailure(exit)) {
            yield* Effect.ignore(execute("ROLLBACK"))
            return yield* exit
          }
          yield* Effect.catchAll(execute("COMMIT"), (cause): Effect.Effect<never, SqlError | Uncertain> => {
            if (isRefusal(cause)) return Effect.fail(cause)
            return Effect.zipRight(closed(connection), new Uncertain({ cause }))
          })
          return exit.value
        })
      )
    )

/** The server answered that it did not commit. Class 57 is a shutdown, which may come between the commit and its answer. */
const isRefusal = (error: SqlError): boolean =>
  Option.exists(codeOf(error), (code) => /^[0-9A-Z]{5}$/.test(code) && !/^(08|57)/.test(code))

/** The pool drops a connection that reported an error before it is given back, and its socket is closed with it. */
const closed = (connection: object): Effect.Effect<void> =>
  Effect.sync(() => {
    if ("pg" in connection && connection.pg instanceof EventEmitter)
      connection.pg.emit("error", new Error("the answer to a commit was lost"))
  })

/**
 * The code of the server (SQLSTATE) or the system (`ECONNREFUSED`) in a thrown value, at any depth.
 *
 * @since 0.1.0
 * @category combinators
 */
export const codeOf = (thrown: unknown): Option.Option<string> => {
  if (typeof thrown !== "object" || thrown === null) return Option.none()
  if ("code" in thrown && typeof thrown.code === "string") return Option.some(thrown.code)
  return "cause" in thrown ? codeOf(thrown.cause) : Option.none()
}
