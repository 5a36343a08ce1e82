import * as StorageError from "@assay/core/storage/StorageError"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import { Data, Effect, Option, type ParseResult } from "effect"

/**
 * A database, and what each kind does in its own way. All other SQL of the stores is the same for SQLite and for Postgres.
 *
 * @since 0.1.0
 * @category models
 */
export interface SqlDatabase {
  readonly sql: SqlClient
  /** The rows of a query outside of transactions, as of the last commit. */
  readonly rows: (query: Statement.Statement<object>) => Effect.Effect<ReadonlyArray<unknown>, SqlError>
  /** A query of one column with these texts. */
  readonly each: (texts: ReadonlyArray<string>) => Statement.Fragment
  /** Ends a query of rows that its transaction changes. */
  readonly forUpdate: Statement.Fragment
  /** Ends a query of rows that its transaction refers to. */
  readonly forKeyShare: Statement.Fragment
  /** Locks the rows of a query until the transaction ends, where others could change them. */
  readonly hold: (query: Statement.Statement<object>) => Effect.Effect<void, SqlError>
  /** Maps the errors of a method to those of a store. */
  readonly operation: InStore<SqlError | Uncertain | ParseResult.ParseError>
  /** As `operation`, for a method that only reads: nothing is uncertain then. */
  readonly reading: InStore<SqlError | ParseResult.ParseError>
  /** Runs one statement that writes. */
  readonly statement: Together
  /** Runs statements in one transaction, one at a time of those that have one of these names. */
  readonly transaction: (...names: ReadonlyArray<string>) => Together
}

/**
 * Maps the errors of the method with this name.
 *
 * @since 0.1.0
 * @category models
 */
export type InStore<Error> = (
  name: string
) => <A, R>(self: Effect.Effect<A, Error, R>) => Effect.Effect<A, StorageError.StorageError, R>

/**
 * Runs statements so that all of them are committed or none.
 *
 * @since 0.1.0
 * @category models
 */
export type Together = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError | Uncertain, R>

/**
 * Maps an error to the terms of a store, without SQL, rows or names of files and hosts. `codeless` stands for a code where
 * the error has none.
 *
 * @since 0.1.0
 * @category combinators
 */
export const operation =
  (codeless: string): InStore<SqlError | Uncertain | ParseResult.ParseError> =>
  (operation) =>
  (self) => {
    const failed = (reason: "unavailable" | "uncertain", error: SqlError) =>
      new StorageError.StorageError({
        reason,
        operation,
        detail: Option.getOrElse(codeOf(error), () => codeless)
      })
    return Effect.catchTags(self, {
      SqlError: (error) => failed("unavailable", error),
      Uncertain: ({ cause }) => failed("uncertain", cause),
      ParseError: () =>
        new StorageError.StorageError({ reason: "corrupt", operation, detail: "a stored row cannot be read" })
    })
  }

/**
 * The code of the database (`SQLITE_BUSY`, SQLSTATE) or of the system (`ENOSPC`, `ECONNREFUSED`) in a thrown value, at any
 * depth.
 *
 * @since 0.1.0
 * @category combinators
 */
export const codeOf = (thrown: unknown): Option.Option<string> => {
  if (typeof thrown !== "object" || thrown === null) return Option.none()
  if ("code" in thrown && typeof thrown.code === "string") return Option.some(thrown.code)
  return "cause" in thrown ? codeOf(thrown.cause) : Option.none()
}

/**
 * The answer to a commit was lost: it happened, or it did not.
 *
 * @since 0.1.0
 * @category errors
 */
export class Uncertain extends Data.TaggedError("Uncertain")<{ readonly cause: SqlError }> {}
