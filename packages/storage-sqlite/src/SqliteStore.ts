import * as StorageError from "@assay/core/storage/StorageError"
import type { SqlError } from "@effect/sql/SqlError"
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
