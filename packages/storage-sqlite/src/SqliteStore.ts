import { StorageError } from "@assay/core"
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Option, type ParseResult } from "effect"

/**
 * Maps an error to the terms of a store, without SQL, rows or file names.
 *
 * @since 0.1.0
 * @category combinators
 */
export const operation =
  (name: string) =>
  <A, R>(
    self: Effect.Effect<A, SqlError | ParseResult.ParseError, R>
  ): Effect.Effect<A, StorageError.StorageError, R> =>
    Effect.catchTags(self, {
      SqlError: (error) =>
        new StorageError.StorageError({
          reason: "unavailable",
          operation: name,
          detail: Option.getOrElse(codeOf(error), () => "SQLITE_ERROR")
        }),
      ParseError: () =>
        new StorageError.StorageError({ reason: "corrupt", operation: name, detail: "a stored row cannot be read" })
    })

/**
 * Runs statements in one transaction. The first has to write: a transaction that begins by reading fails instead of
 * waiting when another process writes. A commit that fails changes nothing.
 *
 * @since 0.1.0
 * @category combinators
 */
export const transaction =
  (sql: SqlClient) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
    Effect.suspend(() => {
      let failure = Option.none<E>()
      const noted = Effect.tapError(self, (error) =>
        Effect.sync(() => {
          failure = Option.some(error)
        })
      )
      return sql.withTransaction(noted).pipe(
        Effect.catchSomeDefect((defect) =>
          defect instanceof SqlError
            ? Option.some(
                Option.match(failure, {
                  // The client treats a failed COMMIT as a bug and leaves the transaction open.
                  onNone: () => Effect.zipRight(Effect.ignore(sql`ROLLBACK`), Effect.fail(defect)),
                  // A full disk ends the transaction, so that there is nothing to roll back
                  // (https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
                  onSome: (error): Effect.Effect<never, E | SqlError> => Effect.fail(error)
                })
              )
            : Option.none()
        )
      )
    }).pipe(
      // A fiber that yields inside the transaction would hold the database while others take their turns, and one of
      // these that waits for the database would block this fiber.
      Effect.withMaxOpsBeforeYield(Number.MAX_SAFE_INTEGER)
    )

/**
 * The code of the driver (`SQLITE_BUSY`) or the system (`ENOSPC`) in a thrown value, at any depth.
 *
 * @since 0.1.0
 * @category combinators
 */
export const codeOf = (thrown: unknown): Option.Option<string> => {
  if (typeof thrown !== "object" || thrown === null) return Option.none()
  if ("code" in thrown && typeof thrown.code === "string") return Option.some(thrown.code)
  return "cause" in thrown ? codeOf(thrown.cause) : Option.none()
}
