import { codeOf } from "@assay/storage-sql/SqlDatabase"
import * as SqlSecrets from "@assay/storage-sql/SqlSecrets"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Option } from "effect"
import { lock, operation, transaction } from "./PgStore.js"

/**
 * Seals with the current key the secrets of endpoints that are in clear or sealed with an older key, and then rewrites their
 * table, so that nothing of the former is left in it. Fails where something was sealed with a key that is not given; then
 * nothing changes. Logs and backups of the server keep what they have.
 *
 * @since 0.1.0
 * @category combinators
 */
export const sealAll: SqlSecrets.Sealing = Effect.gen(function* () {
  const sql = yield* SqlClient
  const changed = yield* SqlSecrets.sealAll({ sql, forUpdate: sql.literal("FOR UPDATE") }).pipe(
    transaction(sql, lock(["sealing of secrets"])),
    SqlSecrets.operation(operation, "PgSecrets.sealAll")
  )
  if (changed > 0)
    yield* Effect.catchAll(sql`VACUUM FULL webhook`, (error) =>
      Effect.logWarning(
        `Webhook secrets are encrypted anew, but their table could not be rewritten (${Option.getOrElse(codeOf(error), () => "no code")}) and may still hold the old ones: run VACUUM FULL webhook`
      )
    )
})
