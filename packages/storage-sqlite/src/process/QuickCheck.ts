import { codeOf } from "@assay/storage-sql/SqlDatabase"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { Cause, Console, Effect, Option } from "effect"

// The program `node QuickCheck.js <file>`: writes "ok", or the first fault in the structure of a database, as one line
// (https://www.sqlite.org/pragma.html#pragma_quick_check). It fails where it could not look.
const [, , filename = ""] = process.argv

const check = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ readonly quick_check: string }>`PRAGMA quick_check(1)`
  return row === undefined ? "no answer" : row.quick_check.replace(/\s+/g, " ")
}).pipe(
  Effect.provide(SqliteClient.layer({ filename, readonly: true, disableWAL: true })),
  Effect.catchSomeCause((cause) =>
    Option.map(
      Option.filter(codeOf(Cause.squash(cause)), (code) => code.startsWith("SQLITE_CORRUPT")),
      Effect.succeed
    )
  )
)

Effect.runPromise(Effect.flatMap(check, Console.log)).catch(() => {
  process.exitCode = 1
})
